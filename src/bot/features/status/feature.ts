import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { isUnread, RpcError } from '../../../contract/errors.ts';
import type { Incident, IncidentPreview } from '../../../contract/incidents.ts';
import { isMistake, type MaybeMistake } from '../../../contract/mistakes.ts';
import type { Task } from '../../../contract/tasks.ts';
import { catchUpButton } from '../../dispatch/answers/catch-up.ts';
import { explainRead } from '../../dispatch/answers/error-messages.ts';
import { notBegunWords } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import type { HomeInput, HomePart } from '../../dispatch/feature/home-part.ts';
import type { Args } from '../../grammar/grammar.ts';
import { queuedBlocks, unregisteredWords } from '../../incident/acts/queued-words.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { learnSaid } from '../../incident/lines/said-elsewhere.ts';
import { isOfNote, itemWords } from '../../incident/notes/timeline-words.ts';
import type { DeclaredIncident } from '../../incident/state/declared-incident.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { chooseRoles, fold, usersHolding } from '../../incident/state/roles.ts';
import { roomMention } from '../../incident/state/room-mention.ts';
import type { Settings } from '../../incident/state/settings.ts';
import { agedNotice, ago, sameAge, whyAway } from '../../incident/state/snapshot-words.ts';
import type { IncidentSummary, Snapshot } from '../../incident/state/snapshots.ts';
import { drillWords, howLong, mistakeWords, severityWord, standing } from '../../incident/state/state-words.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import {
  actions,
  context,
  facts,
  header,
  mention,
  section,
  sentence,
  toMrkdwn,
  type Words,
} from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { incidentSigns, taskSigns } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';
import { listButton, moreButton, runList } from './list.ts';
import { postedList, postedStatus } from './posted.ts';

/** An incident of a list. */
export interface Listed {
  readonly incident: IncidentSummary;
  /** Those who lead it; undefined when that is not known. */
  readonly leaders: readonly Leader[] | undefined;
}

/** Somebody who leads an incident; `slackId` is `""` where it is not known. */
interface Leader {
  readonly slackId: string;
  readonly name: string;
}

type Somebody = { readonly userID: string; readonly name: string };

/** Most characters of a title in a list, and in one that has little room. */
const titleLength = { full: 150, brief: 40 };

/** The row of an incident: its state in words, its number and title, who leads it, its channel, and the way in. */
export async function incidentRow(deps: Deps, listed: Listed, now: Date, isBrief: boolean): Promise<KnownBlock> {
  const { incidentID, title } = listed.incident;
  const spoken = `Open incident ${incidentID}, ${title}`;
  const button = pressable(openButton, { incidentID }, { spoken });
  return section(await incidentLine(deps, listed, now, { isBrief }), isBrief ? undefined : button);
}

/** The same as a line of mrkdwn. `isPublic`: it is read by many, so people are named and not mentioned. */
export async function incidentLine(
  deps: Deps,
  { incident, leaders }: Listed,
  now: Date,
  { isBrief = false, isPublic = false },
): Promise<string> {
  const { incidentID, title, status, severityLabel } = incident;
  const mistake = isMistake(incident);
  const isOver = status === 'resolved';
  const severity = toMrkdwn(severityWord(severityLabel, deps.settings.severities), 60);
  const room = roomMention(await deps.rooms.ofIncident(incidentID));
  const parts = [
    mistake ? mistakeWords : isOver ? `${incidentSigns.resolved} resolved` : severity,
    `*#${toMrkdwn(incidentID, 40)}* ${titleOf(title, incident, isBrief)}`,
    ...(isOver && !mistake ? [toMrkdwn(severityLabel, 60)] : []),
    isOver ? howLong(incident, now) : `${toMrkdwn(status || 'active', 40)} ${howLong(incident, now)}`.trim(),
    leaders && !(isOver && (!isPublic || leaders.length === 0)) ? commanderWords(leaders, isPublic) : '',
    ...(room === '' ? [] : [room]),
  ];
  return parts.filter(part => part !== '').join(' · ');
}

function commanderWords(leaders: readonly Leader[], isPublic: boolean): string {
  if (leaders.length === 0) return 'no commander';
  const names = leaders.map(({ slackId, name }) =>
    slackId === '' || isPublic ? toMrkdwn(name, 80) : mention(slackId),
  );
  return `commander ${names.join(', ')}`;
}

/** The row of an incident that the API does not know yet. */
export async function unregisteredRow(
  deps: Deps,
  declared: DeclaredIncident,
  now: Date,
  isBrief: boolean,
): Promise<KnownBlock> {
  const { incidentID, title } = declared;
  const button = pressable(openButton, { incidentID }, { spoken: `Open the incident ${title}` });
  return section(await unregisteredLine(deps, declared, now, { isBrief }), isBrief ? undefined : button);
}

/** The same as a line of mrkdwn. */
export async function unregisteredLine(
  deps: Deps,
  { incidentID, title, severity, isDrill, declaredAt, declaredBy }: DeclaredIncident,
  now: Date,
  { isBrief = false, isPublic = false },
): Promise<string> {
  const room = roomMention(await deps.rooms.ofIncident(incidentID));
  const age = formatDuration((now.getTime() - Date.parse(declaredAt)) / 1000);
  const parts = [
    `${incidentSigns.waiting} not registered yet`,
    titleOf(title, { status: '', isDrill, labels: [] }, isBrief),
    toMrkdwn(severityWord(severity, deps.settings.severities), 60),
    `declared ${age} ago${declaredBy === '' || isPublic ? '' : ` by ${mention(declaredBy)}`}`,
    ...(room === '' ? [] : [room]),
  ];
  return parts.join(' · ');
}

function titleOf(title: string, incident: MaybeMistake, isBrief: boolean): string {
  const drill = drillWords(incident, `${incidentSigns.drill} Drill · `);
  return `${drill}${toMrkdwn(title, isBrief ? titleLength.brief : titleLength.full)}`;
}

/** The incidents that the API listed, with those who lead them. */
export async function withCommanders(
  deps: Deps,
  now: Date,
  previews: readonly IncidentPreview[],
): Promise<readonly Listed[]> {
  const choice = await chooseRoles(deps, now).catch(() => undefined);
  const role = choice?.roles.find(each => fold(each.name) === fold(choice.commander));
  return await Promise.all(
    previews.map(async incident => {
      const people = incident.incidentMembershipPreview;
      if (!people || !role || role.roleID === 0) return { incident, leaders: undefined };
      const { importantAssignments, totalAssignments } = people;
      const leading = importantAssignments.filter(({ roleID }) => roleID === role.roleID).map(({ user }) => user);
      // A role that does not count as important is not in the preview.
      const isKnown = role.important || role.mandatory || totalAssignments === importantAssignments.length;
      return { incident, leaders: await toLeaders(deps, leading, isKnown) };
    }),
  );
}

/** The incidents as they were last seen, with those who led them then. */
export async function asRemembered(deps: Deps, now: Date, seen: readonly Snapshot[]): Promise<readonly Listed[]> {
  const commander = (await chooseRoles(deps, now).catch(() => undefined))?.commander ?? '';
  return await Promise.all(
    seen.map(async ({ summary: incident, whole }) => {
      if (!whole || commander === '') return { incident, leaders: undefined };
      return { incident, leaders: await toLeaders(deps, usersHolding(whole.incident, commander), true) };
    }),
  );
}

async function toLeaders(deps: Deps, people: readonly Somebody[], isKnown: boolean): Promise<Listed['leaders']> {
  if (people.length === 0) return isKnown ? [] : undefined;
  return Promise.all(
    people.map(async ({ userID, name }) => ({ slackId: await deps.people.toSlackId(userID), name: name || userID })),
  );
}

/** Open tasks and timeline items that are shown. */
const maxTasks = 10;
const maxItems = 5;

/** When the end was recorded, where that is a minute or more from the end itself, which the card has; `""` otherwise. */
function recordedWords(incident: Incident): string {
  const { status, incidentEnd, closedTime } = incident;
  const isSame = Math.abs(Date.parse(closedTime) - Date.parse(incidentEnd)) < 60_000;
  if (status !== 'resolved' || isMistake(incident) || closedTime === '' || isSame) return '';
  return `Recorded as resolved ${when(closedTime)}.`;
}

function taskLine(task: Task, number: number): string {
  const sign = task.status === 'progress' ? taskSigns.progress : taskSigns.todo;
  const whose = task.assignedUser ? ` · ${toMrkdwn(task.assignedUser.name || task.assignedUser.userID, 80)}` : '';
  return `${sign} *${number}.* ${toMrkdwn(toOneLine(task.text), 150)}${whose}`;
}

async function taskWords({ taskNumbers }: Deps, { incidentID, taskList }: Incident): Promise<string> {
  const numbers = await taskNumbers.of(incidentID, taskList.tasks);
  const open = taskList.tasks
    .filter(task => task.status !== 'done')
    .map(task => taskLine(task, numbers.get(task.taskID) ?? 0));
  if (open.length === 0) return '*Open tasks*: none';
  const more = open.length > maxTasks ? [`… and ${open.length - maxTasks} more: \`/task list\``] : [];
  return [`*Open tasks* (${open.length})`, ...open.slice(0, maxTasks), ...more].join('\n');
}

/** The last items of the timeline, oldest first, as mrkdwn. A failure to read them does not hide the rest. */
async function timelineWords(ctx: Context, incidentID: string): Promise<{ words: string; isRead: boolean }> {
  const title = '*Latest on the timeline*';
  try {
    const { activityItems } = await ctx.deps.api.ActivityService.QueryActivity(
      { query: { incidentID, limit: 2 * maxItems, orderDirection: 'DESC' } },
      { budget: ctx.deps.deadlines.reads.asked },
    );
    const latest = activityItems.filter(each => !isOfNote(each, activityItems)).slice(0, maxItems);
    return { words: [title, ...latest.toReversed().map(itemWords)].join('\n'), isRead: true };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    ctx.log.warn({ err: error, incident: incidentID }, 'timeline: could not be read');
    return { words: `${title}\n${explainRead(error, ctx.deps.settings.apiName)}`, isRead: false };
  }
}

/** An incident in full: the card, and under it what the card has no room for. */
async function incidentWords({ deps }: Context, incident: Incident, more: readonly KnownBlock[]): Promise<Words> {
  const { text, blocks = [] } = await deps.cards.card(incident);
  const isRow = (block: KnownBlock) => block.type === 'actions';
  const recorded = recordedWords(incident);
  const { tasks } = incident.taskList;
  // The card says how many there are.
  const isCounted = tasks.length > 0 && tasks.every(each => each.status === 'done');
  return {
    text,
    blocks: [
      ...blocks.filter(block => !isRow(block)),
      ...(recorded === '' ? [] : [section(recorded)]),
      ...(isCounted ? [] : [section(await taskWords(deps, incident))]),
      ...more,
      ...blocks.filter(isRow),
    ],
  };
}

/** An incident as everybody in a channel reads it: its announcement and its open tasks. Undefined while nothing is known of it. */
export async function publicWords(ctx: Context, asked: string): Promise<Words | undefined> {
  const { deps, location, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  if (isProvisional(incidentID)) return undefined;
  const found = await orUnreachable(
    deps.api.IncidentsService.GetIncident({ incidentID }, { budget: deps.deadlines.reads.asked }),
  );
  const snapshot = 'answer' in found ? undefined : await deps.snapshots.get(incidentID);
  const incident = 'answer' in found ? found.answer.incident : snapshot?.whole?.incident;
  if (!incident) return undefined;
  if ('answer' in found) await learnSaid(deps, incident, now);
  const { channelId = '', channelName = '' } = (await deps.rooms.ofIncident(incidentID)) ?? {};
  // In its own channel nobody needs the way there.
  const room = channelId === location.channelId ? { channelId, channelName: '' } : { channelId, channelName };
  const { text, blocks = [] } = await deps.cards.announcement(incident, room);
  const seen = blocks.filter(block => block.type !== 'actions');
  const words = { text, blocks: [...seen, section(await taskWords(deps, incident))] };
  return 'error' in found && snapshot
    ? under(agedNotice(found.error, snapshot.seenAt, now, deps.settings.apiName), words)
    : words;
}

async function whereabouts({ deps, location }: Context, incidentID: string): Promise<KnownBlock[]> {
  const room = await deps.rooms.ofIncident(incidentID);
  const where = room && room.channelId !== location.channelId ? roomMention(room) : '';
  return where ? [context(`It is handled in ${where}.`)] : [];
}

/** An incident as it stands, for one person: from the API, or as it was last seen. */
async function statusWords(ctx: Context, asked: string): Promise<Words> {
  const { deps, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  const [queued, where] = await Promise.all([deps.journal.unfinished(incidentID), whereabouts(ctx, incidentID)]);
  if (isProvisional(incidentID)) return unregisteredWords(incidentID, queued, where, now);
  const rest = [...queuedBlocks(queued, now), ...where];
  const [found, timeline] = await Promise.all([
    orUnreachable(deps.api.IncidentsService.GetIncident({ incidentID }, { budget: deps.deadlines.reads.asked })),
    timelineWords(ctx, incidentID),
  ]);
  if ('answer' in found) {
    await learnSaid(deps, found.answer.incident, now);
    deps.visits.note(incidentID, ctx.actor.userId, now);
    return incidentWords(ctx, found.answer.incident, [section(timeline.words), ...rest]);
  }
  const snapshot = await deps.snapshots.get(incidentID);
  if (!snapshot) {
    const words = await noSnapshotWords(ctx, found.error, 'I have not seen this incident before.');
    return { ...words, blocks: [...(words.blocks ?? []), ...rest] };
  }
  ctx.log.warn({ err: found.error, incident: incidentID }, 'incident: the API is away, showing its snapshot');
  const partly = agedParts(snapshot, now);
  const more = [...(timeline.isRead ? [section(timeline.words)] : []), ...rest, ...(partly ? [context(partly)] : [])];
  const summary = summaryWords(snapshot.summary);
  const words = snapshot.whole
    ? await incidentWords(ctx, snapshot.whole.incident, more)
    : { ...summary, blocks: [...(summary.blocks ?? []), ...more] };
  return under(agedNotice(found.error, snapshot.seenAt, now, deps.settings.apiName), words);
}

/** The answer of the API, or the error that says it is away. Any other error is thrown. */
export async function orUnreachable<T>(answer: Promise<T>): Promise<{ answer: T } | { error: RpcError }> {
  try {
    return { answer: await answer };
  } catch (error) {
    if (isUnread(error)) return { error };
    throw error;
  }
}

/** Says that there is no snapshot and what to do; a button tries the same again. */
export async function noSnapshotWords(ctx: Context, error: RpcError, what: string): Promise<Words> {
  ctx.log.warn({ err: error }, 'status: the API is away and there is no snapshot');
  const { draft, deps, actor, key, now } = ctx;
  const text = `${whyAway(error, ctx.deps.settings.apiName)} ${what}`;
  return notBegunWords(text, { draft, id: draft && (await deps.drafts.keep(actor, draft, key, now)) }, true);
}

/** A sentence on people and tasks of a snapshot that are older than the rest or missing; `""` when neither. */
function agedParts({ whole, seenAt }: Snapshot, now: Date): string {
  if (!whole) return 'I have only seen it in a list, so I do not know its people and tasks.';
  const behind = (seenAt.getTime() - whole.seenAt.getTime()) / 1000;
  return behind < sameAge ? '' : `Its people and tasks are as they were ${ago(whole.seenAt, now)}.`;
}

/** An incident of which only a list is known, as blocks. */
function summaryWords(summary: IncidentSummary): Words {
  const title = `${drillWords(summary, `${incidentSigns.drill} DRILL · `)}${summary.title}`;
  return {
    text: `${incidentLabel(summary.incidentID, 'Incident')}: ${toMrkdwn(summary.title, 300)}`,
    blocks: [
      header(title),
      facts([
        ['Status', standing(summary)],
        ['Severity', toMrkdwn(summary.severityLabel, 60)],
        ['Started', when(summary.incidentStart || summary.createdTime)],
        ...(summary.status === 'resolved' ? [['Ended', when(summary.incidentEnd)] as const] : []),
      ]),
      ...(summary.summary ? [section(toMrkdwn(summary.summary, 1000))] : []),
      context(incidentLabel(summary.incidentID, 'Incident')),
    ],
  };
}

/** Puts a notice above words, in the blocks and in the text. */
export function under(notice: string, words: Words): Words {
  const { text, blocks = sentence(words.text).blocks ?? [] } = words;
  return { text: `${notice}\n${text}`, blocks: [section(notice), ...blocks] };
}

/** Shows the incident of a row as it stands, below the list. */
const openButton = defineButton({
  id: 'incident.show',
  label: 'Open',
  value: z.object({ incidentID: z.string() }),
  reads: true,
  run: async (ctx, { value }) => ctx.answer(await statusWords(ctx, value.incidentID)),
});

/** Incidents on the home tab at most, and those among them that the API does not know yet. */
const mostShown = 10;
const mostUnregistered = 3;

/** The incidents that go on, on the home tab: the gravest, how many more there are, and the way to all of them. */
async function incidentsPart(
  { deps, now }: Context,
  { active, hasMore, unregistered }: HomeInput,
): Promise<readonly HomePart[]> {
  const waiting = unregistered.slice(0, mostUnregistered);
  const most = mostShown - waiting.length;
  const listed =
    'previews' in active
      ? await withCommanders(deps, now, gravestFirst(active.previews, deps.settings, each => each).slice(0, most))
      : await asRemembered(
          deps,
          now,
          gravestFirst(active.remembered, deps.settings, each => each.summary).slice(0, most),
        );
  const known = 'previews' in active ? active.previews.length : active.remembered.length;
  const count = known + unregistered.length;
  const more = count - listed.length - waiting.length;
  const title = count === 0 ? '*No incident is active.*' : `*Active incidents* (${count}${hasMore ? ' or more' : ''})`;
  const rest = more > 0 ? [context(`And ${hasMore ? 'more than ' : ''}${more} more.`)] : [];
  const blocks = [
    section(title),
    ...(await Promise.all(waiting.map(each => unregisteredRow(deps, each, now, false)))),
    ...(await Promise.all(listed.map(each => rowsOf(deps, each, now)))).flat(),
    ...rest,
    actions([pressable(listButton, {})]),
  ];
  return [{ place: 'incidents', blocks }];
}

/** The row of an incident, and the way to know what is new in it. */
async function rowsOf(deps: Deps, listed: Listed, now: Date): Promise<readonly KnownBlock[]> {
  const { incidentID, title } = listed.incident;
  const spoken = `Catch me up on incident ${incidentID}, ${title}`;
  return [await incidentRow(deps, listed, now, false), actions([catchUpButton(incidentID, { spoken })])];
}

/** The gravest first, real ones before drills; of the same severity in the order given, which is the newest first. */
function gravestFirst<T>(
  incidents: readonly T[],
  { severities }: Pick<Settings, 'severities'>,
  summaryOf: (each: T) => Pick<IncidentSummary, 'severityLabel' | 'isDrill'>,
): readonly T[] {
  const names = severities.map(each => each.toLowerCase());
  const rank = (each: T) => {
    const { severityLabel, isDrill } = summaryOf(each);
    return isDrill ? -2 : names.indexOf(severityLabel.toLowerCase());
  };
  return incidents.toSorted((one, other) => rank(other) - rank(one));
}

/** Answers with the status, and offers to post it. A mention is answered in its thread, for all. */
async function showStatus(ctx: Context, _args: Args, incidentID: string): Promise<void> {
  if (await postedStatus.answerMention(ctx, { incidentID })) return;
  const { text, blocks = [] } = await statusWords(ctx, incidentID);
  const offer = isProvisional(incidentID) ? [] : postedStatus.offer(ctx, { incidentID });
  await ctx.answer({ text, blocks: offer.length > 0 ? [...blocks, actions(offer)] : blocks });
}

/** Showing incidents: one in full, or a list of them. */
export const status: Feature = {
  name: 'status',
  verbs: [
    {
      noun: 'incident',
      verb: 'status',
      aliases: ['show', 'info', 'overview', 'details'],
      withWords: 'update',
      bare: true,
      begins: 'nothing',
      usage: '',
      summary: 'Show you alone the status: people, open tasks, latest on the timeline. By mention, show it to all.',
      reads: true,
      about: 'incident',
      run: showStatus,
    },
    {
      noun: 'incident',
      verb: 'list',
      aliases: ['ls', 'recent', 'search'],
      shorthands: { mine: 'me' },
      usage: '[query | me]',
      summary:
        'List recent incidents, your own, or those matching a query: status:active severity:major label:checkout. By mention, show everybody.',
      reads: true,
      about: 'anything',
      run: runList,
    },
  ],
  buttons: [listButton, moreButton, openButton, postedStatus.button, postedList.button] as Button[],
  onHome: incidentsPart,
  operations: {
    'IncidentsService.GetIncident': ['/incident status', 'button incident.show'],
    'IncidentsService.QueryIncidentPreviews': ['/incident list', 'button incident.list', 'button incident.list.more'],
    'IncidentsService.GetIncidentMembership': ['/incident status'],
    'ActivityService.QueryActivity': ['/incident status'],
  },
};
