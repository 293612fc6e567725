import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Task } from '../../../contract/tasks.ts';
import { withNext } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { type Button, type CardButton, defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField, userField } from '../../dispatch/forms/modal.ts';
import { onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { definePager, pageLine, toTurned } from '../../dispatch/surfaces/pager.ts';
import { withButtons } from '../../dispatch/surfaces/post-to-channel.ts';
import { type QueuedSort, queuedOf, unregisteredList } from '../../incident/acts/queued-words.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { toOthers } from '../../people/directory.ts';
import { findMentioned } from '../../people/mentions.ts';
import { actions, context, mention, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { signs, taskSigns } from '../../text/signs.ts';
import { cutMrkdwn, toOneLine } from '../../text/words.ts';
import {
  freeTask,
  giveBack,
  giveTask,
  goneWords,
  markTask,
  readTasks,
  removeTask,
  type Shown,
  toKnownStatus,
} from './actions.ts';
import { toAssignee } from './assignee.ts';
import { addTask, checkTaskText, statusNames, toNumbered } from './intents.ts';
import { type Numbered, quoted } from './numbered.ts';
import { postedTasks } from './posted.ts';
import { alone, type Beside, buttonRow } from './row.ts';
import {
  assignFace,
  deleteFace,
  doneFace,
  listFace,
  nobodyFace,
  notMeFace,
  reopenFace,
  startFace,
  Target,
} from './target.ts';

const Page = z.object({ incidentID: z.string(), page: z.number() });

/** Runs an act on the task of a button; when the task is gone, says so. */
export async function onTask(
  ctx: Context,
  target: Target,
  act: (found: Numbered) => Promise<Shown | undefined>,
): Promise<void> {
  const found = (await readTasks(ctx, target.incidentID)).find(({ task }) => task.taskID === target.taskID);
  await show(ctx, target, found ? await act(found) : { words: goneWords() });
}

function markButton(face: Pick<Button, 'id' | 'label' | 'style'>, status: keyof typeof statusNames) {
  return defineButton<Target>({
    ...face,
    value: Target,
    run: (ctx, { value }) => onTask(ctx, value, found => markTask(ctx, value.incidentID, found, status)),
  });
}

const startButton = markButton(startFace, 'progress');
const doneButton = markButton(doneFace, 'done');
const reopenButton = markButton(reopenFace, 'todo');

const assignMenu = defineButton<Target>({
  ...assignFace,
  value: Target,
  run: (ctx, { value, picked }) => onTask(ctx, value, found => giveTask(ctx, value.incidentID, found, picked)),
});

const nobodyButton = defineButton<Target>({
  ...nobodyFace,
  value: Target,
  run: (ctx, { value }) => onTask(ctx, value, found => freeTask(ctx, value.incidentID, found)),
});

const notMeButton = defineButton<Target>({
  ...notMeFace,
  value: Target,
  run: (ctx, { value }) => onTask(ctx, value, found => giveBack(ctx, value.incidentID, found)),
});

const deleteButton = defineButton<Target>({
  ...deleteFace,
  value: Target,
  run: (ctx, { value }) => onTask(ctx, value, found => removeTask(ctx, value.incidentID, found)),
});

/** Shows all tasks of an incident. */
export const listButton = defineButton<z.output<typeof Page>>({
  ...listFace,
  value: Page,
  reads: true,
  run: (ctx, { value }) => showList(ctx, value.incidentID, value.page),
});

const pager = definePager({
  id: 'task',
  value: z.object({ incidentID: z.string() }),
  show: (ctx, { incidentID }, page) => showList(ctx, incidentID, page),
});

/** Opens the form of a new task. */
export const addButton = defineButton<{ incidentID: string }>({
  id: 'task.add',
  label: 'Add task',
  value: z.object({ incidentID: z.string() }),
  run: (ctx, { value }) => ctx.openForm(addForm, { incidentID: value.incidentID }),
});

/** The form of a new task. Only Slack knows whether its assignee may be quoted, so the receipt says that. */
export const addForm = defineModal({
  id: 'task.add',
  state: z.object({ incidentID: z.string() }),
  view: (_state, filled) => ({
    title: 'Add a task',
    submit: 'Add',
    blocks: [
      textField(
        { id: 'text', label: 'What is to be done?', multiline: true, placeholder: 'Fail over to the replica' },
        filled,
      ),
      userField({ id: 'assignee', label: 'Who does it?', optional: true, hint: 'Empty: nobody yet' }, filled),
    ],
  }),
  check: filled => {
    const checked = checkTaskText(fieldValue(filled, 'text'));
    if ('problem' in checked) return { problems: { text: checked.problem } };
    return { value: { text: checked.text, assignee: fieldValue(filled, 'assignee') } };
  },
  submit: async (ctx, { text, assignee }, { incidentID }) => {
    const ids = assignee ? [assignee] : [];
    await addAndAnswer(ctx, incidentID, { text, whole: text, ids, problem: '' });
  },
});

/** All of the buttons. */
export const taskButtons: readonly Button[] = [
  startButton,
  doneButton,
  reopenButton,
  assignMenu,
  nobodyButton,
  notMeButton,
  deleteButton,
  addButton,
  listButton,
  postedTasks.button,
  ...pager.buttons,
] as Button[];

/** What the tasks put on an incident's card. */
export function cardButtons(incidentID: string): readonly CardButton[] {
  return [onCard('tasks', listButton, { incidentID, page: 0 })];
}

/** A task as a person asks for it. */
interface TaskWish {
  readonly text: string;
  /** The same with every name in its place. It becomes the text when nobody can be assigned, so that nothing typed is lost. */
  readonly whole: string;
  readonly ids: readonly string[];
  /** Why a name among them cannot be used, in mrkdwn; `""` when all can. */
  readonly problem: string;
}

/**
 * Adds a task and answers with what can be done with it. It is added also when the person named for it cannot be assigned: the work
 * matters more than the name, and the receipt says that nobody is assigned.
 */
export async function addAndAnswer(ctx: Context, incidentID: string, wish: TaskWish): Promise<void> {
  const assignee = await findAssignee(ctx, wish);
  const checked = checkTaskText('problem' in assignee ? wish.whole : wish.text);
  if ('problem' in checked) return ctx.reject(toMrkdwn(checked.problem));
  const named = 'named' in assignee ? assignee.named : undefined;
  const payload = {
    incidentID,
    text: checked.text,
    assignee: named ? toAssignee(named) : null,
    ...(named ? toClaimed(named, ctx.now) : {}),
    notice: 'problem' in assignee ? `Nobody is assigned: ${assignee.problem}` : '',
  };
  const outcome = await ctx.submit(addTask, payload, { incidentID, others: named ? toOthers([named]) : [] });
  if (outcome.state !== 'done') return ctx.answerNotDone(addTask, payload, outcome);
  await ctx.answer(await withNext(ctx, addTask, payload, outcome));
}

async function findAssignee(ctx: Context, wish: TaskWish) {
  if (wish.problem !== '') return { problem: wish.problem };
  if (wish.ids.length > 1) return { problem: 'a task has one assignee. Pick one below, or add a task for each.' };
  const found = await findMentioned(ctx.deps, wish.ids, 'task');
  if ('problem' in found) return found;
  const person = found.people[0];
  return person ? { named: await ctx.deps.people.toNamed(person) } : {};
}

/** Shows the result of an act: in the list under a notice, or with the task alone. */
export async function show(ctx: Context, target: Target, shown: Shown | undefined): Promise<void> {
  if (!shown) return;
  const { words, task, number = 0 } = shown;
  if (target.page !== null || !task) return showList(ctx, target.incidentID, target.page ?? 0, words);
  const slackId = await slackIdOf(ctx.deps, task);
  const row = task.immutable ? [] : buttonRow({ task, number }, target, slackId);
  await ctx.replace({ text: words.text, blocks: [...(words.blocks ?? [section(words.text)]), ...row] });
}

/** Shows a page of the list in place of the message that was pressed, or to the person alone. */
export async function showList(ctx: Context, incidentID: string, page = 0, notice?: Words): Promise<void> {
  await ctx.replace(await taskListWords(ctx, incidentID, page, notice));
}

/** The Slack id of the person who does a task; `""` when nobody does, or it is not known. */
export async function slackIdOf(deps: Deps, { assignedUser }: Task): Promise<string> {
  return assignedUser ? deps.people.toSlackId(assignedUser.userID) : '';
}

/** The queued changes of tasks. */
export const queuedTasks: QueuedSort = { name: 'tasks', kinds: ['task.'] };

/** Characters of the notice above the tasks of a page. */
const maxNotice = 1200;

/** The tasks of an incident for one person, a page of them, under a notice. Throws an RpcError when they cannot be read. */
async function taskListWords(ctx: Context, asked: string, wanted: number, notice?: Words): Promise<Words> {
  const { deps, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  if (isProvisional(incidentID)) return unregisteredList(deps, incidentID, queuedTasks, now);
  const { incident, notice: aged } = await readSeen(deps, incidentID, now);
  const queued = aged === '' ? [] : await queuedOf(deps, incidentID, queuedTasks, now);
  const { todoCount, doneCount } = incident.taskList;
  const all = await toNumbered(deps, incidentID, incident.taskList);
  const toRow = (each: Numbered, page: number) =>
    taskRow(deps, each, { incidentID, taskID: each.task.taskID, page, at: now.getTime() });
  const pages = toPages(await Promise.all(all.map(async each => JSON.stringify(await toRow(each, 0)).length)));
  const turned = toTurned(wanted, pages.length);
  const { page } = turned;
  const rows = await Promise.all(all.slice(pages[page], pages[page + 1]).map(each => toRow(each, page)));
  const count =
    all.length === 0
      ? 'No tasks yet. `/task add check the replica @bob` adds one.'
      : `${todoCount} open, ${doneCount} done`;
  const title = `*Tasks of ${incidentLabel(incidentID)}* ${quoted(incident.title, 100)}: ${count}`;
  const words: Words = {
    text: notice?.text ?? title,
    blocks: [
      ...(aged ? [section(aged)] : []),
      ...(notice ? [section(cutMrkdwn(notice.text, maxNotice)), ...actionsOf(notice)] : []),
      section(title),
      ...rows.flat(),
      ...pageLine(turned),
      ...queued,
      actions([...pager.turns({ incidentID }, turned), pressable(addButton, { incidentID })]),
    ],
  };
  return all.length === 0 ? words : withButtons(words, postedTasks.offer(ctx, { incidentID }));
}

/** The buttons of a notice, such as Undo. */
function actionsOf({ blocks = [] }: Words): readonly KnownBlock[] {
  return blocks.filter(block => block.type === 'actions');
}

/** A task in the list: its text, and its buttons. The API ticks the immutable ones off. */
export async function taskRow(deps: Deps, { task, number }: Numbered, target: Beside): Promise<KnownBlock[]> {
  const slackId = await slackIdOf(deps, task);
  const whose = task.assignedUser
    ? ` · ${slackId ? mention(slackId) : toMrkdwn(task.assignedUser.name || task.assignedUser.userID, 80)}`
    : '';
  const text = toMrkdwn(toOneLine(task.text), 300);
  const [sign, state] = stateOf(task);
  const line = `${sign} *${number}.* ${text} · ${state}${whose}`;
  if (task.immutable) return [section(line), context('The incident ticks this task off automatically.')];
  return [section(line), ...buttonRow({ task, number }, target, slackId)];
}

/** Sign and word of a task's state. */
export function stateOf({ status }: Task): readonly [sign: string, word: string] {
  const known = toKnownStatus(status);
  return known ? [taskSigns[known], statusNames[known]] : [signs.unknown, toMrkdwn(status, 20)];
}

/** Asks whether a task that was found by its words is to be deleted. */
export async function askDelete(ctx: Context, incidentID: string, { task, number }: Numbered): Promise<void> {
  const buttons = [pressable(deleteButton, alone(ctx, incidentID, task), { style: 'danger' })];
  const question = `Delete task ${number} ${quoted(task.text)}? Nothing was deleted yet.`;
  await ctx.reject(question, task.immutable ? [] : [actions(buttons)]);
}
