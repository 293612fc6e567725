import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Task } from '../../../contract/tasks.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { definePager, pageLine, toTurned } from '../../dispatch/surfaces/pager.ts';
import { withButtons } from '../../dispatch/surfaces/post-to-channel.ts';
import { type QueuedSort, queuedOf, unregisteredList } from '../../incident/acts/queued-words.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { aboutElsewhere, homeElsewhere } from '../../incident/room/bring-in.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { actions, context, mention, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { signs, taskSigns } from '../../text/signs.ts';
import { cutMrkdwn, toOneLine } from '../../text/words.ts';
import { type Shown, toKnownStatus } from './actions.ts';
import { addButton } from './add.ts';
import { statusNames, toNumbered } from './intents.ts';
import { postedTasks } from './posted.ts';
import { type Beside, buttonRow, type Numbered, quoted, type Target } from './row.ts';
/** Turns the pages of the list. */
export const pager = definePager({
  id: 'task',
  value: z.object({ incidentID: z.string() }),
  show: (ctx, { incidentID }, page) => showList(ctx, incidentID, page),
});

/** Shows the result of an act: in the list under a notice, or with the task alone. */
export async function show(ctx: Context, target: Target, shown: Shown | undefined): Promise<void> {
  if (!shown) return;
  const { words, task, number = 0 } = shown;
  if (target.page !== null || !task) return showList(ctx, target.incidentID, target.page ?? 0, words);
  const slackId = await slackIdOf(ctx.deps, task);
  const row = task.immutable ? [] : buttonRow({ task, number }, target, slackId);
  const about = await aboutElsewhere(ctx, target.incidentID, number > 0 ? `Task ${number}` : '');
  const [head, ...more] = words.blocks ?? [section(words.text)];
  const blocks = [...(head ? [head] : []), ...(about === '' ? [] : [context(about)]), ...more, ...row];
  await ctx.replace({ text: words.text, blocks });
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
  const where = await homeElsewhere(ctx, incidentID);
  const title = `*Tasks of ${incidentLabel(incidentID)}* ${quoted(incident.title, 100)}${where}: ${count}`;
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
