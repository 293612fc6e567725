import type { KnownBlock } from '@slack/types';
import type { Task } from '../../../contract/tasks.ts';
import type { Context, SubmitOptions } from '../../dispatch/context.ts';
import { withTyped } from '../../dispatch/help.ts';
import { afterwards } from '../../dispatch/receipts.ts';
import type { IntentKind } from '../../incident/intent-kind.ts';
import { readKnown } from '../../incident/read-incident.ts';
import { findNamed } from '../../people/mentions.ts';
import { mention, section, type Words } from '../../text/blocks.ts';
import {
  addTask,
  assignTask,
  checkTaskText,
  deleteTask,
  editTask,
  type Numbered,
  named,
  setTaskStatus,
  statusWords,
  toNumbered,
} from './intents.ts';
import { findTasks, type Target, taskButtons, taskListWords } from './list.ts';

/** Most tasks shown when words fit several. */
const maxChoices = 5;

/** Where the buttons of a task shown by itself point. */
export function alone(ctx: Context, incidentID: string, task: Pick<Task, 'taskID'>): Target {
  return { incidentID, taskID: task.taskID, page: null, at: ctx.now.getTime() };
}

/** Shows a page of the list in place of the message that was pressed, or to the person alone. */
export async function showList(ctx: Context, incidentID: string, page = 0, notice = ''): Promise<void> {
  await ctx.replace(await taskListWords(ctx.deps, ctx.now, incidentID, page, notice));
}

/** Says what is wrong, with what was typed and, where it helps, the tasks it may be about. */
export async function wrong(ctx: Context, text: string, below: readonly KnownBlock[] = []): Promise<void> {
  await ctx.answer(withTyped(text, ctx.draft, below));
}

/** All tasks of an incident, as far as they are known. Throws an RpcError when nothing is. */
async function readTasks(ctx: Context, incidentID: string): Promise<readonly Numbered[]> {
  return toNumbered((await readKnown(ctx.deps, incidentID)).taskList);
}

/** The task that somebody's words mean; when it is not one and only one, says so and yields undefined. */
export async function pickTask(ctx: Context, incidentID: string, typed: string): Promise<Numbered | undefined> {
  const all = await readTasks(ctx, incidentID);
  const found = findTasks(all, typed);
  if (found.length === 1) return found[0];
  if (found.length === 0) {
    const notice =
      typed.trim() === ''
        ? 'Which task? Say its number or some of its words.'
        : `There is no task ${named(typed, 80)}.`;
    await showList(
      ctx,
      incidentID,
      0,
      all.length === 0 ? '' : `${notice} There ${all.length === 1 ? 'is one' : `are ${all.length}`}:`,
    );
    return undefined;
  }
  const choices = found
    .slice(0, maxChoices)
    .flatMap(({ task, number }) => [
      section(
        `*${number}.* ${named(task.text)} (${task.status in statusWords ? statusWords[task.status as keyof typeof statusWords] : 'unknown'})`,
      ),
      ...(task.immutable ? [] : taskButtons(task, alone(ctx, incidentID, task))),
    ]);
  const numbers = found.map(each => each.number);
  await wrong(
    ctx,
    `${named(typed, 80)} fits ${found.length} tasks: ${numbers.slice(0, 30).join(', ')}. Say the number, or press a button.`,
    choices,
  );
  return undefined;
}

/** The task that a button is about; when it is gone, says so and yields undefined. */
export async function pressedTask(ctx: Context, target: Target): Promise<Numbered | undefined> {
  const all = await readTasks(ctx, target.incidentID);
  const found = all.find(({ task }) => task.taskID === target.taskID);
  if (!found) await gone(ctx, target);
  return found;
}

async function gone(ctx: Context, target: Target, text = ''): Promise<void> {
  const which = text === '' ? 'That task' : `The task ${named(text)}`;
  await showList(
    ctx,
    target.incidentID,
    target.page ?? 0,
    `${which} was deleted in the meantime. Nothing was changed.`,
  );
}

/** Shows what came of it where the task stood: the list with a notice, or the task by itself. */
async function show(ctx: Context, target: Target, words: Words, task: Task): Promise<void> {
  if (target.page !== null) return showList(ctx, target.incidentID, target.page, words.text);
  const slackId = task.assignedUser ? await ctx.deps.people.toSlackId(task.assignedUser.userID) : '';
  await ctx.replace({
    text: words.text,
    blocks: [...(words.blocks ?? [section(words.text)]), ...(task.immutable ? [] : taskButtons(task, target, slackId))],
  });
}

/** Submits a change of one task and shows what came of it. */
async function change<P extends { text: string }, R>(
  ctx: Context,
  intent: IntentKind<P, R>,
  payload: P,
  target: Target,
  options: SubmitOptions = {},
): Promise<{ words: Words; result: R } | undefined> {
  const outcome = await ctx.submit(intent, payload, { incidentID: target.incidentID, ...options });
  if (outcome.state === 'done')
    return { words: await afterwards(ctx, intent, payload, outcome), result: outcome.result };
  if (outcome.error.code === 'not_found') await gone(ctx, target, payload.text);
  else await ctx.answerNotDone(intent, payload, outcome);
  return undefined;
}

/** Marks a task, or says that it is so already. */
export async function markTask(
  ctx: Context,
  target: Target,
  { task, number }: Numbered,
  status: keyof typeof statusWords,
): Promise<void> {
  if (task.status === status) {
    const text = `Task ${number} is ${statusWords[status]} already: ${named(task.text)}.`;
    return show(ctx, target, { text }, task);
  }
  const payload = { incidentID: target.incidentID, taskID: task.taskID, text: task.text, status };
  const done = await change(ctx, setTaskStatus, payload, target);
  if (done) await show(ctx, target, done.words, done.result.task);
}

/** Gives a task to one person. */
export async function giveTask(
  ctx: Context,
  target: Target,
  { task, number }: Numbered,
  slackUserID: string,
): Promise<void> {
  const found = await findNamed(ctx.deps, [slackUserID]);
  const person = 'people' in found ? found.people[0] : undefined;
  if (!person) return show(ctx, target, { text: 'problem' in found ? found.problem : 'Choose who does it.' }, task);
  const known = await ctx.deps.people.toKnown(person);
  if (task.assignedUser?.userID === known.userID) {
    const text = `Task ${number} is for ${mention(slackUserID)} already: ${named(task.text)}.`;
    return show(ctx, target, { text }, task);
  }
  const payload = {
    incidentID: target.incidentID,
    taskID: task.taskID,
    text: task.text,
    assignee: { userID: known.userID, slackUserID },
  };
  const done = await change(ctx, assignTask, payload, target, { others: [known] });
  if (done) await show(ctx, target, done.words, done.result.task);
}

/** Takes a task from whoever has it. */
export async function freeTask(ctx: Context, target: Target, { task, number }: Numbered): Promise<void> {
  if (!task.assignedUser?.userID) {
    return show(ctx, target, { text: `Task ${number} is unassigned already: ${named(task.text)}.` }, task);
  }
  const payload = { incidentID: target.incidentID, taskID: task.taskID, text: task.text, assignee: null };
  const done = await change(ctx, assignTask, payload, target);
  if (done) await show(ctx, target, done.words, done.result.task);
}

/** Replaces a task's text with one that was checked. */
export async function rewordTask(
  ctx: Context,
  target: Target,
  { task, number }: Numbered,
  newText: string,
): Promise<void> {
  if (task.text === newText) {
    return show(ctx, target, { text: `Task ${number} says so already: ${named(task.text)}.` }, task);
  }
  const payload = { incidentID: target.incidentID, taskID: task.taskID, text: task.text, newText };
  const done = await change(ctx, editTask, payload, target);
  if (done) await show(ctx, target, done.words, done.result.task);
}

/** Deletes a task. */
export async function removeTask(ctx: Context, target: Target, { task }: Numbered): Promise<void> {
  const done = await change(
    ctx,
    deleteTask,
    { incidentID: target.incidentID, taskID: task.taskID, text: task.text },
    target,
  );
  if (done) await showList(ctx, target.incidentID, target.page ?? 0, done.words.text);
}

/** What somebody wants done, and whom they named for it. */
export interface TaskWish {
  readonly text: string;
  /** The same with every name in its place, for when nobody can be assigned: nothing typed is lost. */
  readonly whole: string;
  readonly ids: readonly string[];
  /** Why a name among them cannot be used, in mrkdwn; `""` when all can. */
  readonly problem: string;
}

/**
 * Adds a task. It is recorded even when whoever was named cannot be assigned, since the work matters more than the name; that
 * nobody is assigned is said.
 */
export async function recordTask(ctx: Context, incidentID: string, wish: TaskWish): Promise<void> {
  const assignee = await findAssignee(ctx, wish);
  const checked = checkTaskText('problem' in assignee ? wish.whole : wish.text);
  if ('problem' in checked) return wrong(ctx, checked.problem);
  const known = 'known' in assignee ? assignee.known : undefined;
  const payload = {
    incidentID,
    text: checked.text,
    assignee: known ? { userID: known.userID, slackUserID: known.slackUserID ?? '' } : null,
    notice: 'problem' in assignee ? `Nobody is assigned: ${assignee.problem}` : '',
    askedAt: ctx.now.toISOString(),
  };
  const outcome = await ctx.submit(addTask, payload, { incidentID, others: known ? [known] : [] });
  if (outcome.state !== 'done') return ctx.answerNotDone(addTask, payload, outcome);
  const words = await afterwards(ctx, addTask, payload, outcome);
  const { task } = outcome.result;
  const buttons = taskButtons(task, alone(ctx, incidentID, task), known?.slackUserID);
  await ctx.answer({ text: words.text, blocks: [...(words.blocks ?? []), ...buttons] });
}

async function findAssignee(ctx: Context, wish: TaskWish) {
  if (wish.problem !== '') return { problem: wish.problem };
  if (wish.ids.length > 1) return { problem: 'a task has one assignee. Pick one below, or add a task for each.' };
  const found = await findNamed(ctx.deps, wish.ids);
  if ('problem' in found) return found;
  const person = found.people[0];
  return person ? { known: await ctx.deps.people.toKnown(person) } : {};
}
