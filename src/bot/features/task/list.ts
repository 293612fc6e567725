import type { KnownBlock } from '@slack/types';
import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { HomeInput, HomePart } from '../../dispatch/feature/home-part.ts';
import { incidentOfRow } from '../../dispatch/surfaces/home.ts';
import { homePart, IncidentList, listTitle } from '../../dispatch/surfaces/incident-list.ts';
import { isFiller } from '../../grammar/find-verb.ts';
import type { Args } from '../../grammar/grammar.ts';
import { type LoneKind, loneKind } from '../../grammar/lone-words.ts';
import { aboutElsewhere } from '../../incident/room/invite.ts';
import { asksForOwn } from '../../people/mentions.ts';
import { actions, context, mention, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { taskSigns } from '../../text/signs.ts';
import { toComparable, toOneLine } from '../../text/words.ts';
import {
  alone,
  buttonRow,
  faces,
  type Numbered,
  quoted,
  type RowTarget,
  slackIdOf,
  stateOf,
  statusNames,
  type Target,
  toKnownStatus,
  toList,
  toNumbered,
} from './intents.ts';

/** The list of an incident's tasks: for a person, with buttons, and for a channel. */
export const tasks = new IncidentList<Numbered>({
  name: 'tasks',
  ids: { pager: 'task', post: 'task.list' },
  kinds: ['task.'],
  read: (ctx, { incidentID, taskList }) => toNumbered(ctx.deps, incidentID, taskList),
  count: ({ taskList }) => `${taskList.todoCount} open, ${taskList.doneCount} done`,
  none: {
    own: 'No tasks yet. `/task add check the replica @bob` adds one.',
    open: 'No tasks yet. `/task add` adds one.',
  },
  row: (ctx, incidentID, each, page) =>
    taskRow(ctx, each, { incidentID, taskID: each.task.taskID, page, at: ctx.now.getTime() }),
  buttons: incidentID => [pressable(faces.add, { incidentID })],
  line: ({ task, number }) => {
    const known = toKnownStatus(task.status);
    const state = known ? `${taskSigns[known]} ${statusNames[known]}` : task.status;
    const assignee = task.assignedUser ? task.assignedUser.name || task.assignedUser.userID : 'nobody';
    return `*${number}.* ${toMrkdwn(toOneLine(task.text), 300)} · ${toMrkdwn(state, 40)} · ${toMrkdwn(assignee, 80)}`;
  },
});

function lineOf({ task, number }: Numbered): string {
  const [sign, state] = stateOf(task);
  return `${sign} *${number}.* ${toMrkdwn(toOneLine(task.text), 300)} · ${state}`;
}

/** A task in the list: its text, and its buttons. The API ticks the immutable ones off. */
async function taskRow({ deps }: Context, { task, number }: Numbered, target: RowTarget): Promise<KnownBlock[]> {
  const slackId = await slackIdOf(deps, task);
  const { assignedUser: user } = task;
  const whose = user ? ` · ${slackId ? mention(slackId) : toMrkdwn(user.name || user.userID, 80)}` : '';
  const line = section(`${lineOf({ task, number })}${whose}`);
  if (task.immutable) return [line, context('The incident ticks this task off automatically.')];
  return [line, ...buttonRow({ task, number }, target, slackId)];
}

/** The result of an act on a task: words with the task as it is now, or above the list when the task is gone. */
export interface TaskResult extends Partial<Numbered> {
  readonly words: Words;
}

/** Shows the result of an act: in the list under a notice, or with the task alone. */
export async function show(ctx: Context, target: Target, shown: TaskResult | undefined): Promise<void> {
  if (!shown) return;
  const { words, task, number = 0 } = shown;
  if (target.page !== null || !task) return tasks.show(ctx, target.incidentID, target.page ?? 0, words);
  const row = task.immutable ? [] : buttonRow({ task, number }, target, await slackIdOf(ctx.deps, task));
  const about = await aboutElsewhere(ctx, target.incidentID, number > 0 ? `Task ${number}` : '');
  const [head = section(words.text), ...more] = words.blocks ?? [];
  await ctx.replace({ text: words.text, blocks: [head, ...(about ? [context(about)] : []), ...more, ...row] });
}

/** The person's own open tasks, on the home tab: those of all active incidents. */
export async function tasksPart(ctx: Context, { whole, isOwn }: HomeInput): Promise<readonly HomePart[]> {
  const lists = await Promise.all(
    whole.map(async incident => {
      const all = await toNumbered(ctx.deps, incident.incidentID, incident.taskList);
      const own = all.filter(({ task }) => isOpen(task) && !task.immutable && isOwn(task.assignedUser?.userID ?? ''));
      return own.map(each => ({ incident, each }));
    }),
  );
  return homePart('tasks', { none: 'none is open.', own: lists.flat() }, async ({ incident, each }) => {
    const row = section(`${lineOf(each)}\n${await incidentOfRow(ctx, incident)}`);
    if (ctx.actor.isGuest) return [row];
    // The tab is compared with the one before, so a row is the same at each time.
    const target: Target = { incidentID: incident.incidentID, taskID: each.task.taskID, page: null, at: 0 };
    const spoken = (label: string) => `${label} task ${each.number} of ${incident.title}`;
    const some = each.task.status === 'todo' ? [faces.start, faces.done] : [faces.done];
    return [row, actions(some.map(face => pressable(face, target, { spoken: spoken(face.label) })))];
  });
}

function isOpen({ status }: Numbered['task']): boolean {
  return status !== 'done';
}

/** The tasks of an incident that a person wants to see. */
interface Filter {
  /** Absent: in any state. */
  readonly only?: Exclude<LoneKind, 'all'>;
  readonly isFree: boolean;
  /** Slack ids: tasks of one of them. */
  readonly people: readonly string[];
  /** The beginning of an assignee's name; `""` for none. */
  readonly name: string;
}

const free = /^(unassigned|nobody|noone|nobodys|free|unowned)$/;

/** Whether a word says which tasks to list (`bot/grammar/verb.ts`). */
export function isTaskFilter(word: string): boolean {
  return asksForOwn(word) || free.test(word) || loneKind(word) !== undefined;
}

function readFilter({ actor }: Context, { rest, users, unresolved }: Args): Filter {
  const words = rest.split(/\s+/).map(word => toComparable(word).replace(/[,.;]$/, ''));
  const said = words.filter(word => word !== '' && !isFiller(word) && !/^(tasks?|ones?)$/.test(word));
  const kinds = new Set(said.map(loneKind).filter(each => each === 'open' || each === 'over'));
  const [only] = kinds;
  const names = said.filter(word => !isTaskFilter(word) && (!word.startsWith('@') || unresolved.length > 0));
  return {
    // Both of them are all of them.
    ...(only && kinds.size === 1 ? { only } : {}),
    isFree: said.some(word => free.test(word)),
    people: [...users.map(each => each.id), ...(said.some(asksForOwn) ? [actor.userId] : [])],
    name: names.join(' ').replace(/^@/, ''),
  };
}

/** Shows all tasks, by mention to everybody, or to the person alone those that words ask for: `open`, `unassigned`, `me`, `@bob`, `bob`. */
export async function runList(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const filter = readFilter(ctx, args);
  const isAll = filter.only === undefined && !filter.isFree && filter.people.length === 0 && filter.name === '';
  await (isAll ? tasks.answer(ctx, incidentID) : showFiltered(ctx, incidentID, args, filter));
}

/** Shows a person the tasks that they asked for, each as if it were alone. It never says “none” without how many there are. */
async function showFiltered(ctx: Context, asked: string, args: Args, filter: Filter): Promise<void> {
  const seen = await tasks.readOne(ctx, asked);
  if ('unregistered' in seen) return ctx.answer(seen.unregistered);
  const { incident, incidentID, all, aged } = seen;
  const holders = await Promise.all(all.map(({ task }) => slackIdOf(ctx.deps, task)));
  const isNamed = ({ task }: Numbered) => ` ${toComparable(task.assignedUser?.name ?? '')}`.includes(` ${filter.name}`);
  const whole = `${all.length === 1 ? 'There is 1 task' : `There are ${all.length} tasks`}: ${counted(all)}.`;
  if (filter.name !== '' && !all.some(isNamed)) {
    const words = `“${toMrkdwn(args.text, 2000)}”`;
    const text = `No task is for ${quoted(filter.name, 80)}, so ${words} was not recorded: type \`/note …\` or \`/task add …\`. ${whole}`;
    return tasks.show(ctx, incidentID, 0, { text });
  }
  const found = all.filter((each, at) => {
    const isMeant = filter.people.length === 0 || filter.people.includes(holders[at] ?? '');
    const isInState = filter.only === undefined || isOpen(each.task) === (filter.only !== 'over');
    return isMeant && isInState && isNamed(each) && !(filter.isFree && each.task.assignedUser?.userID);
  });
  const rows = await Promise.all(
    found.map(each => taskRow(ctx, each, { ...alone(ctx, incidentID, each.task), isOneOfSeveral: true })),
  );
  const end = toPages(rows.map(row => JSON.stringify(row).length))[1] ?? rows.length;
  const count = found.length === 0 ? `none. ${whole}` : counted(found);
  const title = `${listTitle(`${titleOf(filter, ctx.actor.userId)} of`, { ...incident, incidentID })}: ${count}`;
  await ctx.answer({
    text: title,
    blocks: [
      ...[...(aged ? [section(aged)] : []), section(title), ...rows.slice(0, end).flat()],
      ...(end < rows.length ? [context(`And ${rows.length - end} more: *Tasks* shows all.`)] : []),
      actions([toList(incidentID), pressable(faces.add, { incidentID })]),
    ],
  });
}

function counted(some: readonly Numbered[]): string {
  const open = some.filter(({ task }) => isOpen(task)).length;
  return `${open} open, ${some.length - open} done`;
}

/** `Your open tasks`, `Unassigned tasks`, `Tasks done by @bob` (mrkdwn). */
function titleOf({ only, isFree, people, name }: Filter, me: string): string {
  const others = people.filter(each => each !== me);
  const isOwn = others.length < people.length;
  const kinds = [
    ...(isOwn && others.length === 0 ? ['your'] : []),
    ...(isFree ? ['unassigned'] : []),
    ...(only === undefined ? [] : [only === 'open' ? 'open' : 'done']),
    'tasks',
  ].join(' ');
  const who = [
    ...(isOwn && others.length > 0 ? ['you'] : []),
    ...others.map(mention),
    ...(name ? [toMrkdwn(name, 80)] : []),
  ];
  const title = `${kinds.slice(0, 1).toUpperCase()}${kinds.slice(1)}`;
  return who.length === 0 ? title : `${title} for ${who.join(' and ')}`;
}
