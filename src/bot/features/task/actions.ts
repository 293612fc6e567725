import type { Task } from '../../../contract/tasks.ts';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context, SubmitOptions } from '../../dispatch/feature/context.ts';
import { withoutPolite } from '../../grammar/casual.ts';
import { type IntentKind, toOwner } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { toOthers } from '../../people/directory.ts';
import { findMentioned } from '../../people/mentions.ts';
import { mention, type Words } from '../../text/blocks.ts';
import { numbers } from '../../text/clock-words.ts';
import { toComparable } from '../../text/words.ts';
import { type Assignee, toAssignee } from './assignee.ts';
import { deleteTask } from './delete.ts';
import { assignTask, editTask, setTaskStatus, statusNames, toNumbered } from './intents.ts';
import { type Numbered, quoted } from './row.ts';

/** What to show after an act on a task: words with the task as it is now, or above the list when the task is gone. */
export interface Shown {
  readonly words: Words;
  readonly task?: Task;
  /** The task's. */
  readonly number?: number;
}

/** All tasks of an incident, as far as they are known. Throws an RpcError when nothing is. */
export async function readTasks(ctx: Context, incidentID: string): Promise<readonly Numbered[]> {
  return toNumbered(ctx.deps, incidentID, (await readKnown(ctx.deps, incidentID)).taskList);
}

/** Words around the number of a task that say nothing more. */
const lead = /^(?:(?:the|tasks?|todos?|items?|numbers?|no\.?|nr\.?)\s+)+(?=\S)/i;
const tail = /(?:(?<![\s,])[\s,]+(?:to|for|is|with))+$/i;

function numberIn(typed: string): string | undefined {
  const text = withoutPolite(typed.normalize('NFKC').trim()).replace(tail, '').replace(lead, '');
  const named = numbers.indexOf(text.toLowerCase());
  return named > 0 ? String(named) : /^#?(\d{1,6})[.):!]*$/.exec(text)?.[1];
}

/** What a person typed, taken apart where it is several numbers: `1 2`, `1, 2`, `1 and 2`, `1-3`. */
export function severalNumbers(typed: string): readonly string[] {
  const parts = withoutPolite(typed)
    .replace(lead, '')
    .split(/\s*(?:[\s,;&+、，]|\band\b)\s*/i)
    .filter(each => each !== '')
    .flatMap(inRange);
  return parts.length > 1 && parts.length <= mostTogether && parts.every(isTaskNumber) ? [...new Set(parts)] : [typed];
}

/** The numbers of `1-3`; anything else alone. */
function inRange(typed: string): readonly string[] {
  const [, from = '', to = ''] = /^#?(\d{1,6})[-–—]#?(\d{1,6})$/.exec(typed) ?? [];
  const count = Number(to) - Number(from) + 1;
  if (from === '' || count < 2 || count > mostTogether) return [typed];
  return Array.from({ length: count }, (_, at) => String(Number(from) + at));
}

/** Tasks that one command changes, at most. */
const mostTogether = 20;

/** Whether a person named a task by its number, and not by words. */
export function isTaskNumber(typed: string): boolean {
  return numberIn(typed) !== undefined;
}

/** Scripts that set no spaces between words: a word is looked for anywhere. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * The tasks that match what a person typed: the one of that number; else those of exactly that text; else all in which a word begins with
 * each word that was typed.
 */
export function findTasks(all: readonly Numbered[], typed: string): readonly Numbered[] {
  const number = numberIn(typed);
  if (number !== undefined) return all.filter(each => each.number === Number(number));
  const wanted = toComparable(typed);
  if (wanted === '') return [];
  const exact = all.filter(({ task }) => toComparable(task.text) === wanted);
  if (exact.length > 0) return exact;
  const words = wanted.split(' ');
  return all.filter(({ task }) => {
    const text = toComparable(task.text);
    const own = text.split(/[^\p{L}\p{M}\p{N}]+/u);
    const begins = (word: string) =>
      own.some(each => each.startsWith(word)) || text.split(' ').some(each => each.startsWith(word));
    return words.every(word => (unspaced.test(word) ? text.includes(word) : begins(word)));
  });
}

/** Says that a task is gone; `text` is its own, or `""`. */
export function goneWords(text = ''): Words {
  const which = text === '' ? 'That task' : `The task ${quoted(text)}`;
  return { text: `${which} was deleted in the meantime. Nothing was changed.` };
}

/** Submits a change of one task. Yields undefined when the person has been answered: it is queued or failed. */
async function change<P extends { incidentID: string; text: string }, R>(
  ctx: Context,
  intent: IntentKind<P, R>,
  payload: P,
  options: SubmitOptions = {},
): Promise<{ words: Words; result?: R } | undefined> {
  const outcome = await ctx.submit(intent, payload, { incidentID: payload.incidentID, ...options });
  if (outcome.state === 'done')
    return { words: await afterwards(ctx, intent, payload, outcome), result: outcome.result };
  if (outcome.state !== 'held' && outcome.error.code === 'not_found') return { words: goneWords(payload.text) };
  await ctx.answerNotDone(intent, payload, outcome);
  return undefined;
}

/** The same for a change that leaves the task there. */
async function changeKept<P extends { incidentID: string; text: string }>(
  ctx: Context,
  intent: IntentKind<P, Numbered>,
  payload: P,
  options: SubmitOptions = {},
): Promise<Shown | undefined> {
  const changed = await change(ctx, intent, payload, options);
  return changed && { words: changed.words, ...changed.result };
}

/** The status, when this version knows it. */
export function toKnownStatus(status: string): keyof typeof statusNames | undefined {
  return status in statusNames ? (status as keyof typeof statusNames) : undefined;
}

/** Who does the task now; null for nobody. */
async function assigneeOf({ deps }: Context, { assignedUser }: Task): Promise<Assignee | null> {
  if (!assignedUser?.userID) return null;
  const { userID } = assignedUser;
  return { userID, slackUserID: await deps.people.toSlackId(userID), slackTeamID: deps.slack.identity.teamId };
}

/** Marks a task, unless it is so already. */
export async function markTask(
  ctx: Context,
  incidentID: string,
  { task, number }: Numbered,
  status: keyof typeof statusNames,
  options: SubmitOptions = {},
): Promise<Shown | undefined> {
  if (task.status === status) {
    return { words: { text: `Task ${number} is ${statusNames[status]} already: ${quoted(task.text)}.` }, task, number };
  }
  if (task.immutable) {
    return {
      words: { text: `The incident ticks task ${number} off automatically: ${quoted(task.text)}.` },
      task,
      number,
    };
  }
  const { taskID, text } = task;
  const payload = { incidentID, taskID, text, status, was: toKnownStatus(task.status) };
  return changeKept(ctx, setTaskStatus, payload, options);
}

/** Marks the tasks of several numbers, or none of them when one is missing. Yields what to say above the list (mrkdwn). */
export async function markAll(
  ctx: Context,
  incidentID: string,
  numbers: readonly string[],
  status: keyof typeof statusNames,
): Promise<string> {
  const all = await readTasks(ctx, incidentID);
  const found = numbers.map(number => ({ number, task: findTasks(all, number)[0] }));
  const missing = found.filter(each => each.task === undefined).map(each => quoted(each.number, 20));
  if (missing.length > 0) return `There is no task ${missing.join(' and no task ')}. Nothing was changed.`;
  const notices: string[] = [];
  for (const [at, { number, task }] of found.entries()) {
    const options = { step: `task ${number}`, hasMore: at + 1 < found.length };
    const shown = task && (await markTask(ctx, incidentID, task, status, options));
    if (shown) notices.push(shown.words.text);
  }
  return notices.join('\n');
}

/** The number of the one task that `done` without words can mean; `""` for any other verb, and where several are open or none. */
export async function onlyOpen(ctx: Context, incidentID: string, status: keyof typeof statusNames): Promise<string> {
  if (status !== 'done') return '';
  const open = (await readTasks(ctx, incidentID)).filter(({ task }) => task.status !== 'done' && !task.immutable);
  return open.length === 1 ? String(open[0]?.number ?? '') : '';
}

/** Assigns a task to one person. */
export async function giveTask(
  ctx: Context,
  incidentID: string,
  { task, number }: Numbered,
  slackUserID: string,
): Promise<Shown | undefined> {
  const found = await findMentioned(ctx.deps, [slackUserID], 'task');
  const person = 'people' in found ? found.people[0] : undefined;
  if (!person) return { words: { text: 'problem' in found ? found.problem : 'Choose who does it.' }, task, number };
  const named = await ctx.deps.people.toNamed(person);
  if (task.assignedUser?.userID === named.userID) {
    return {
      words: { text: `Task ${number} is for ${mention(slackUserID)} already: ${quoted(task.text)}.` },
      task,
      number,
    };
  }
  const { taskID, text } = task;
  const was = await assigneeOf(ctx, task);
  const payload = { incidentID, taskID, text, assignee: toAssignee(named), was, ...toClaimed(named, ctx.now) };
  return changeKept(ctx, assignTask, payload, { others: toOthers([named]) });
}

/** Unassigns a task. */
export async function freeTask(
  ctx: Context,
  incidentID: string,
  { task, number }: Numbered,
): Promise<Shown | undefined> {
  if (!task.assignedUser?.userID) {
    return { words: { text: `Task ${number} is unassigned already: ${quoted(task.text)}.` }, task, number };
  }
  const { taskID, text } = task;
  const was = await assigneeOf(ctx, task);
  return changeKept(ctx, assignTask, { incidentID, taskID, text, assignee: null, was });
}

/** Gives a task back that was given to the person, as long as it is theirs. */
export async function giveBack(ctx: Context, incidentID: string, found: Numbered): Promise<Shown | undefined> {
  const { task, number } = found;
  const holder = await assigneeOf(ctx, task);
  if (holder === null || holder.slackUserID === ctx.actor.userId) return freeTask(ctx, incidentID, found);
  const whose = holder.slackUserID === '' ? 'somebody else' : mention(holder.slackUserID);
  return { words: { text: `Task ${number} is not yours any more, it is for ${whose}: ${quoted(task.text)}.` }, task };
}

/** Replaces a task's text by a checked one. */
export async function rewordTask(
  ctx: Context,
  incidentID: string,
  { task, number }: Numbered,
  newText: string,
): Promise<Shown | undefined> {
  if (task.text === newText) {
    return { words: { text: `Task ${number} already says that: ${quoted(task.text)}.` }, task, number };
  }
  const { taskID, text } = task;
  return changeKept(ctx, editTask, { incidentID, taskID, text, newText });
}

/** What a delivery that is carried out again has deleted; undefined when it has deleted nothing yet. */
export async function removedBefore(ctx: Context): Promise<Shown | undefined> {
  if (!ctx.mayStand) return undefined;
  const known = await ctx.deps.journal.findByKey(`${ctx.key}/${deleteTask.kind}`, toOwner(ctx.actor));
  const done = known && (await change(ctx, deleteTask, deleteTask.payload.parse(known.payload)));
  return done && { words: done.words };
}

/** Deletes a task. */
export async function removeTask(
  ctx: Context,
  incidentID: string,
  { task, number }: Numbered,
): Promise<Shown | undefined> {
  const { taskID, text } = task;
  const [status, assignee] = [toKnownStatus(task.status) ?? 'todo', await assigneeOf(ctx, task)];
  const done = await change(ctx, deleteTask, { incidentID, taskID, text, number, status, assignee });
  return done && { words: done.words };
}
