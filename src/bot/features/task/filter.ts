import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { isFiller } from '../../grammar/filtered-list.ts';
import type { Args } from '../../grammar/grammar.ts';
import { type LoneKind, loneKind } from '../../grammar/lone-words.ts';
import { unregisteredList } from '../../incident/acts/queued-words.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { asksForOwn } from '../../people/mentions.ts';
import { actions, context, mention, section, toMrkdwn } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { toComparable } from '../../text/words.ts';
import { addButton } from './add.ts';
import { toNumbered } from './intents.ts';
import { queuedTasks, showList, slackIdOf, taskRow } from './list.ts';
import { postedTasks } from './posted.ts';
import { alone, listFace, type Numbered, quoted } from './row.ts';

/** Which tasks of an incident somebody wants to see. */
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

function readFilter({ actor }: Context, { text, users, unresolved }: Args): Filter {
  const words = text.split(/\s+/).map(word => toComparable(word).replace(/[,.;]$/, ''));
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
  if (!isAll) await showFiltered(ctx, incidentID, args, filter);
  else if (!(await postedTasks.answerMention(ctx, { incidentID }))) await showList(ctx, incidentID);
}

/** Shows a person the tasks that they asked for, each as if it were alone. It never says “none” without how many there are. */
async function showFiltered(ctx: Context, asked: string, { sentence }: Args, filter: Filter): Promise<void> {
  const { deps, actor, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  if (isProvisional(incidentID)) return ctx.answer(await unregisteredList(deps, incidentID, queuedTasks, now));
  const { incident, notice } = await readSeen(deps, incidentID, now);
  const all = await toNumbered(deps, incidentID, incident.taskList);
  const holders = await Promise.all(all.map(({ task }) => slackIdOf(deps, task)));
  const isNamed = ({ task }: Numbered) => ` ${toComparable(task.assignedUser?.name ?? '')}`.includes(` ${filter.name}`);
  const whole = `${all.length === 1 ? 'There is 1 task' : `There are ${all.length} tasks`}: ${counted(all)}.`;
  if (filter.name !== '' && !all.some(isNamed)) {
    const words = `“${toMrkdwn(sentence, 2000)}”`;
    const text = `No task is for ${quoted(filter.name, 80)}, so ${words} was not recorded: type \`/note …\` or \`/task add …\`. ${whole}`;
    return showList(ctx, incidentID, 0, { text });
  }
  const found = all.filter((each, at) => {
    const { status, assignedUser } = each.task;
    const isMeant = filter.people.length === 0 || filter.people.includes(holders[at] ?? '');
    const isInState = filter.only === undefined || (status === 'done') === (filter.only === 'over');
    return isMeant && isInState && isNamed(each) && !(filter.isFree && assignedUser?.userID);
  });
  const rows = await Promise.all(
    found.map(each => taskRow(deps, each, { ...alone(ctx, incidentID, each.task), isOneOfSeveral: true })),
  );
  const end = toPages(rows.map(row => JSON.stringify(row).length))[1] ?? rows.length;
  const name = `${titleOf(filter, actor.userId)} of ${incidentLabel(incidentID)}`;
  const count = found.length === 0 ? `none. ${whole}` : counted(found);
  const title = `*${name}* ${quoted(incident.title, 100)}: ${count}`;
  await ctx.answer({
    text: title,
    blocks: [
      ...(notice ? [section(notice)] : []),
      section(title),
      ...rows.slice(0, end).flat(),
      ...(end < rows.length ? [context(`And ${rows.length - end} more: *Tasks* shows all.`)] : []),
      actions([pressable(listFace, { incidentID, page: 0 }), pressable(addButton, { incidentID })]),
    ],
  });
}

function counted(some: readonly Numbered[]): string {
  const open = some.filter(({ task }) => task.status !== 'done').length;
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
