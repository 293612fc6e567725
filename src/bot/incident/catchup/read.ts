import type { ActivityItem } from '../../../contract/activity.ts';
import { isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { readFormed } from '../../../contract/note-forms.ts';
import type { Task } from '../../../contract/tasks.ts';
import { trimEnd } from '../../../trim-end.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { namesOf } from '../../people/directory.ts';
import { type Absence, leftBehind } from '../../people/reach.ts';
import type { CalledTable } from '../../schema/calls.ts';
import { context, mentioned, section, toLinkLabel, toMrkdwn, toSafeUrl, type Words } from '../../text/blocks.ts';
import { toSlackTime } from '../../text/shown-times.ts';
import { incidentSigns, signs, taskSigns } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { andMore, cap, cutMrkdwn, endSentence, toOneLine } from '../../text/words.ts';
import type { IncidentDeps } from '../acts/intent-kind.ts';
import { unregisteredWords } from '../acts/queued-words.ts';
import { readSeen } from '../acts/read-incident.ts';
import { toCurrentID } from '../acts/registration.ts';
import { learnNotes } from '../lines/elsewhere.ts';
import { isImportant } from '../notes/notes.ts';
import { isOfNote, itemText } from '../notes/timeline-words.ts';
import { commanderRole, usersHolding } from '../state/roles.ts';
import { drillWords, howLong, mistakeName, severityWord } from '../state/state-words.ts';
import { type Latest, nextLine, type TimelineNote } from '../state/update-store.ts';

/** Items that are read at once, and how often, at most. */
const readAtOnce = 100;
const mostReads = 5;

/** The incident of a catch-up, and the person who reads it. */
interface Wanted {
  readonly incidentID: string;
  /** Undefined: everything from the start. */
  readonly since: Date | undefined;
  /** Slack id of the person whose own acts are no news; `""`: all acts are news. */
  readonly userId: string;
  readonly now: Date;
}

/**
 * Reads the state of an incident, and the items of its timeline since a moment. While the API cannot be reached, its state when it was seen
 * last. `deps` decide what the person sees. Throws the RpcError when nothing is known.
 */
export async function readCatchUp(
  deps: IncidentDeps,
  { since, userId, now, ...wanted }: Wanted,
): Promise<{
  readonly words: Words;
  /** The timeline was read: the person knows now what is on it. */
  readonly isRead: boolean;
}> {
  const incidentID = await toCurrentID(deps, wanted.incidentID);
  if (isProvisional(incidentID)) {
    const words = unregisteredWords(incidentID, await deps.journal.unfinished(incidentID), [], now);
    return { words, isRead: false };
  }
  const { incident, notice } = await readSeen(deps, incidentID, now);
  const timeline = notice === '' ? await readItems(deps, incidentID, since) : undefined;
  if (timeline) await learnNotes(deps, incident, now);
  const holders = incident.incidentMembership.assignments.map(each => each.user);
  const [latest, notes, commander, overview, taskNumbers, called, absent] = await Promise.all([
    deps.updates.latest(incident),
    deps.updates.notes(incidentID),
    commanderRole(deps, now),
    deps.cards.overview(incident),
    deps.taskNumbers.of(incidentID, incident.taskList.tasks),
    incident.status === 'resolved' ? [] : readCalled(deps, incidentID),
    deps.people.absentUsers(holders),
  ]);
  const items = timeline?.items ?? [];
  const updates = await toUpdates(deps, notes, { items, since, userId });
  const { tasks } = incident.taskList;
  const news = timeline && findNews({ items, tasks, since, isOwn: await tellOwn(deps, items, userId) });
  const words = briefWords({
    ...{ incident, updates, news, since, latest, commander, absent, called, overview, taskNumbers, notice, now },
    isCut: timeline?.isCut ?? false,
    severities: deps.settings.severities,
  });
  return { words, isRead: news !== undefined };
}

/**
 * The newest items of a timeline, by the time they speak of, newest first: those that were written down since a moment are among them, or a
 * page before. Undefined while they cannot be read.
 */
async function readItems(
  { api, deadlines, log }: IncidentDeps,
  incidentID: string,
  since: Date | undefined,
): Promise<{ readonly items: readonly ActivityItem[]; readonly isCut: boolean } | undefined> {
  const query = { incidentID, orderDirection: 'DESC' as const, limit: readAtOnce };
  const items: ActivityItem[] = [];
  let next = '';
  try {
    for (let read = 0; read < mostReads; read += 1) {
      const { activityItems, cursor } = await api.ActivityService.QueryActivity(
        { query, cursor: { nextValue: next, hasMore: next !== '' } },
        { budget: deadlines.reads.asked },
      );
      items.push(...activityItems);
      if (!cursor.hasMore || !activityItems.some(item => isSince(item, since))) return { items, isCut: false };
      next = cursor.nextValue;
    }
    return { items, isCut: true };
  } catch (error) {
    if (!isUnread(error)) throw error;
    log.warn({ err: error, incident: incidentID }, 'catch-up: the timeline could not be read');
    return undefined;
  }
}

/** The people who were called to an incident, each with their last answer. */
async function readCalled({ calls, people }: IncidentDeps, incidentID: string): Promise<readonly CalledPerson[]> {
  const standing = (await calls.ofIncident(incidentID)).filter(each => each.state !== 'withdrawn');
  const last = new Map(standing.flatMap(call => call.people.map(each => [each.user_id, each.answer] as const)));
  const names = await namesOf(people, [...last.keys()].slice(0, mostCalled));
  return [...last].map(([id, answer]) => ({ name: names.get(id) ?? 'somebody', answer }));
}

/** Tells the items that are a person's own: of a note the one who added it, else the API's user. */
async function tellOwn(
  { people }: IncidentDeps,
  items: readonly ActivityItem[],
  userId: string,
): Promise<(item: ActivityItem) => boolean> {
  if (userId === '') return () => false;
  const users = [...new Set(items.map(({ user }) => user.userID))].filter(id => id !== '');
  const own = new Set<string>();
  for (const id of users) if ((await people.toSlackId(id)) === userId) own.add(id);
  return ({ user, fieldValues: { addedByUser } }) =>
    typeof addedByUser === 'string' ? addedByUser === userId : own.has(user.userID);
}

/** An update in a catch-up. */
interface ToldUpdate {
  readonly at: Date;
  /** As typed, to be escaped. */
  readonly text: string;
  /** The name of the person who gave it, in plain text; `""` when that is not known. */
  readonly by: string;
  readonly activityItemID: string;
  /** The item of the timeline, where it was read. */
  readonly item: ActivityItem | undefined;
  /** Another person gave it since the reader looked last. */
  readonly isNew: boolean;
}

/** All updates of an incident, newest first. They are remembered, so a long timeline hides none of them. */
async function toUpdates(
  { people }: IncidentDeps,
  notes: readonly TimelineNote[],
  { items, since, userId }: Pick<Wanted, 'since' | 'userId'> & { readonly items: readonly ActivityItem[] },
): Promise<readonly ToldUpdate[]> {
  const updates = notes.filter(each => each.kind === 'update');
  // They are kept as mentions, and a catch-up has no mentions.
  const names = await namesOf(
    people,
    [...new Set(updates.map(each => mentioned(each.by)))].filter(id => id !== ''),
  );
  const byID = new Map(items.map(each => [each.activityItemID, each]));
  return updates.map(({ activityItemID, text, by, at }) => {
    const item = byID.get(activityItemID);
    const id = mentioned(by);
    const isLater = since !== undefined && (item ? isSince(item, since) : at >= since);
    const name = id === '' ? (/[<>&]/.test(by) ? '' : by) : (names.get(id) ?? '');
    return { at, text, by: name, activityItemID, item, isNew: isLater && (userId === '' || id !== userId) };
  });
}

/** The groups of points in a catch-up, in its order. */
const groups = ['decision', 'task', 'link', 'note'] as const;
type Group = (typeof groups)[number];

/** One thing that a catch-up tells. `at` is when it happened, in epoch milliseconds. */
type Point =
  | { readonly group: Exclude<Group, 'task'>; readonly at: number; readonly item: ActivityItem }
  | { readonly group: 'task'; readonly at: number; readonly task: Task; readonly item: ActivityItem | undefined };

interface News {
  /** Of each group the newest first; tasks as they were added. */
  readonly points: Readonly<Record<Group, readonly Point[]>>;
  /** What belongs to no group: a role, a severity, a label. The sentence tells the present state of it. */
  readonly others: number;
  /** Any of it is new to the person. */
  readonly isAny: boolean;
}

/** The timeline that a catch-up is made of. */
interface Timeline {
  readonly items: readonly ActivityItem[];
  readonly tasks: readonly Task[];
  /** Items that were written down before are left out; undefined: none is. */
  readonly since: Date | undefined;
  /** Whether the person did it themselves, so that it is no news to them. */
  isOwn(item: ActivityItem): boolean;
}

/** When an item was written down, in epoch milliseconds: the time that it speaks of may be long before. */
function writtenAt({ createdTime, eventTime }: ActivityItem): number {
  return toTime(createdTime) || toTime(eventTime);
}

/** Whether an item was written down at or after a moment. */
function isSince(item: ActivityItem, since: Date | undefined): boolean {
  return since === undefined || writtenAt(item) >= since.getTime();
}

/** Finds the news for a person. It leaves out updates, summaries and words about the end: a catch-up has places of their own for these. */
export function findNews({ items, tasks, since, isOwn }: Timeline): News {
  const written = items.filter(item => isSince(item, since) && !isOfNote(item, items) && !isLeading(item));
  const points: Record<Group, Point[]> = { decision: [], task: [], link: [], note: [] };
  let others = 0;
  for (const item of written.filter(each => !isOwn(each))) {
    const group = groupOf(item);
    if (group === 'other') others += 1;
    else if (group !== 'task') points[group].push({ group, at: toTime(item.eventTime), item });
  }
  const isAny = others > 0 || groups.some(group => points[group].length > 0);
  const standing = standingTasks(tasks, written, { since, isOwn });
  points.task.push(...standing.filter(each => each.isNew || each.task.status !== 'done'));
  for (const group of ['decision', 'link', 'note'] as const) points[group].sort((one, other) => other.at - one.at);
  return { points, others, isAny: isAny || standing.some(each => each.isNew) };
}

/** Whether an item is a note that once led its incident. */
function isLeading({ activityKind, body, fieldValues }: ActivityItem): boolean {
  return activityKind === 'userNote' && (fieldValues.source === 'resolution' || readFormed(body).form !== undefined);
}

/** A decision begins so. */
const decision = /^(?:decision|decided|we(?: have|’ve|'ve)? decided?|agreed)\b/i;

/** The group of an item. A catch-up tells the present state of tasks, and not each change of them. */
function groupOf(item: ActivityItem): Group | 'other' {
  switch (item.activityKind) {
    case 'taskAdded':
    case 'taskUpdated':
    case 'taskCompleted':
      return 'task';
    case 'contextAttached':
      return 'link';
    case 'userNote':
      if (isImportant(item) || decision.test(itemText(item).trim())) return 'decision';
      return item.fieldValues.source === 'dashboard' ? 'link' : 'note';
    default:
      return 'other';
  }
}

/** The tasks as they stand, each with the newest item about it. `isNew`: another person changed it since the person looked. */
function standingTasks(
  tasks: readonly Task[],
  written: readonly ActivityItem[],
  { since, isOwn }: Pick<Timeline, 'since' | 'isOwn'>,
) {
  const about = Map.groupBy(
    written.filter(item => groupOf(item) === 'task').toSorted((one, other) => writtenAt(other) - writtenAt(one)),
    item => String(item.fieldValues.taskID ?? ''),
  );
  return tasks.map(task => {
    const at = toTime(task.modifiedTime) || toTime(task.createdTime);
    const items = about.get(task.taskID) ?? [];
    const isNew = since !== undefined && at >= since.getTime() && !(items.length > 0 && items.every(isOwn));
    return { group: 'task' as const, at, task, item: items[0], isNew };
  });
}

function toTime(time: string): number {
  return Date.parse(time) || 0;
}

/** The most characters of a catch-up, as it is sent. */
const mostCharacters = 3000;
/**
 * The most points of each group that a catch-up shows: together they fill a screen. Notes are the log, so it shows them only as news, or
 * where nobody has posted an update.
 */
const mostShown: Readonly<Record<Group, number>> = { decision: 6, task: 8, link: 4, note: 4 };
/** Where there is no room, groups lose points in this order, down to a few; then updates lose words; then the rest goes. */
const leastFirst: readonly Group[] = ['note', 'link', 'task', 'decision'];
const few: Readonly<Record<Group, number>> = { decision: 3, task: 3, link: 1, note: 1 };
/** Characters of each update, from much room to little. */
const updateLengths = [280, 160, 100, 60] as const;
/** People who are named in one place. */
const mostNamed = 4;
/** People who were called and are named. */
const mostCalled = 8;
/** The longest address that is linked. */
const mostAddress = 300;

interface CalledPerson {
  readonly name: string;
  readonly answer: CalledTable['answer'];
}

/** The facts of a catch-up. */
interface BriefInput {
  readonly incident: Incident;
  /** All updates, newest first. */
  readonly updates: readonly ToldUpdate[];
  /** The news; undefined while the timeline cannot be read. */
  readonly news: News | undefined;
  /** Undefined: it tells everything from the start. */
  readonly since: Date | undefined;
  /** The timeline is longer than what was read of it. */
  readonly isCut: boolean;
  /** The first words about the incident. */
  readonly latest: Latest;
  /** The role that leads an incident; `""` for none. */
  readonly commander: string;
  /** The holders of its roles who cannot act, and why, by their ids in the API. */
  readonly absent: ReadonlyMap<string, Absence>;
  /** The people who were called, in plain text, with their last answers; none once it is over. */
  readonly called: readonly CalledPerson[];
  readonly severities: readonly string[];
  /** Numbers of tasks, by their ids. */
  readonly taskNumbers: ReadonlyMap<string, number>;
  /** Address of the incident's page; `""` for none. */
  readonly overview: string;
  /** Says how old this is (mrkdwn); `""` for now. */
  readonly notice: string;
  readonly now: Date;
}

/** How much of each part is shown. */
interface Extent {
  readonly points: Record<Group, number>;
  updates: number;
  /** Characters of each update. */
  length: number;
}

/**
 * The catch-up: a sentence, all updates, and the news. It has no mentions, and at most {@link mostCharacters}; the oldest updates are
 * left out where there are more than these hold.
 */
export function briefWords(input: BriefInput): Words {
  const { news, since, updates } = input;
  const countShown = (group: Group) =>
    group === 'note' && since === undefined && updates.length > 0
      ? 0
      : Math.min(mostShown[group], news?.points[group].length ?? 0);
  const extent: Extent = {
    points: {
      decision: countShown('decision'),
      task: countShown('task'),
      link: countShown('link'),
      note: countShown('note'),
    },
    updates: updates.length,
    length: updateLengths[0],
  };
  for (;;) {
    const paragraphs = toParagraphs(input, extent);
    const rest = restLine(input, extent);
    const text = [...paragraphs, ...rest].join('\n');
    if (text.length <= mostCharacters || !shrink(extent))
      return { text, blocks: [...paragraphs.map(each => section(each)), ...rest.map(each => context(each))] };
  }
}

/** Takes the least of what is shown away; false when nothing is left that could go. */
function shrink(extent: Extent): boolean {
  const { points, length } = extent;
  const shorter = updateLengths.find(each => each < length);
  const least =
    leastFirst.find(group => points[group] > few[group]) ??
    (shorter === undefined || extent.updates === 0 ? leastFirst.find(group => points[group] > 0) : undefined);
  if (least) points[least] -= 1;
  else if (shorter !== undefined && extent.updates > 0) extent.length = shorter;
  else if (extent.updates > 0) extent.updates -= 1;
  else return false;
  return true;
}

function toParagraphs(input: BriefInput, extent: Extent): readonly string[] {
  const { incident, news, notice, since } = input;
  const head = [...(notice === '' ? [] : [notice]), leadLines(input), ...sinceLine(input), ...factLines(input)];
  const told = input.updates.slice(0, extent.updates);
  const toLines = (some: typeof told) => some.map(each => updateLine(input, each, extent.length));
  const points = (group: Group) =>
    (news?.points[group] ?? []).slice(0, extent.points[group]).map(each => pointLine(input, each));
  const { tasks } = incident.taskList;
  const done = tasks.filter(each => each.status === 'done').length;
  const sections: readonly (readonly string[])[] = [
    ['*New updates*', ...toLines(told.filter(each => each.isNew))],
    [told.some(each => each.isNew) ? '*Updates before*' : '*Updates*', ...toLines(told.filter(each => !each.isNew))],
    ['*Decisions and important notes*', ...points('decision')],
    [
      ...(tasks.length === 0 ? [] : [`*Tasks*: ${tasks.length - done} open${done === 0 ? '' : ` (${done} done)`}`, '']),
      ...points('task'),
    ],
    ['*Dashboards and links*', ...points('link')],
    [since === undefined ? '*Notes*' : '*New notes*', ...points('note')],
  ];
  const unread = 'The timeline cannot be read at the moment, so I cannot say what else is new.';
  const shown = sections.filter(lines => lines.length > 1).map(lines => lines.filter(each => each !== '').join('\n'));
  return [head.join('\n'), ...shown, ...(news ? [] : [unread])];
}

/** The first two lines: what it is, since when, who leads; what a person said last, and when the next update is due. */
function leadLines(input: BriefInput): string {
  const { incident, latest, severities, overview, now } = input;
  const { incidentID, title, status, severity } = incident;
  const label = `Incident ${incidentID} “${cap(title, 100)}”`;
  const name = isAddress(overview) ? `<${toSafeUrl(overview)}|${toLinkLabel(label)}>` : toMrkdwn(toOneLine(label), 150);
  const summary = { ...incident, severityLabel: severity };
  const isOver = status === 'resolved';
  const state = isMistake(incident)
    ? `was ${mistakeName.toLowerCase()} ${howLong(summary, now)}`
    : isOver
      ? `was resolved ${howLong(summary, now)}`
      : `has been ${said(status || 'active', 20)} ${howLong(summary, now)}`;
  const drill = drillWords(incident, `${incidentSigns.drill} Drill · `);
  const { lead, update } = latest;
  const spoken = lead && `${leadNames[lead.kind]}: ${endSentence(said(lead.text, 200))}`;
  const next = !isOver && update ? nextLine(update) : '';
  const standing = `${drill}*${name}* (${said(severityWord(severity, severities), 60)}) ${state.trim()}.`;
  return [
    [standing, ...leaderWords(input)].join(' '),
    [spoken ?? 'Nobody has posted an update yet.', ...(next === '' ? [] : [`Next update ${next}.`])].join(' '),
  ].join('\n');
}

const leadNames = { update: 'Latest update', summary: 'Summary', outcome: 'Outcome' } as const;

function leaderWords({ incident, commander, absent }: BriefInput): readonly string[] {
  if (commander === '') return [];
  const role = said(commander, 40);
  const names = usersHolding(incident, commander).map(each => `${nameOf(each)}${leftBehind(absent, each.userID)}`);
  if (names.length > 0) return [`${role.slice(0, 1).toUpperCase()}${role.slice(1)}: ${andMore(names, mostNamed)}.`];
  return incident.status === 'resolved' ? [] : [`${signs.warning} Nobody is ${role}.`];
}

/** The line that says since when the catch-up tells news, and whether there is any. */
function sinceLine({ news, updates, since, now }: BriefInput): readonly string[] {
  if (since === undefined || news === undefined) return [];
  const from = `since ${toSlackTime(since, now)}, ${formatDuration((now.getTime() - since.getTime()) / 1000)} ago`;
  const hasNews = news.isAny || updates.some(each => each.isNew);
  return [hasNews ? `News ${from}:` : `*Nothing new* ${from}.`];
}

/** What it is about, where an update leads, and who was called. */
function factLines(input: BriefInput): readonly string[] {
  const { latest, since } = input;
  const { summary, lead } = latest;
  const isAbout = since === undefined && summary && lead?.kind !== 'summary';
  const called = input.called.map(({ name, answer }) => `${said(name, 40)} (${answers[answer]})`);
  return [
    ...(isAbout ? [`Summary: ${said(summary.text, 200)}`] : []),
    ...(called.length === 0 ? [] : [`Called: ${andMore(called, mostCalled)}.`]),
  ];
}

const answers: Readonly<Record<CalledPerson['answer'], string>> = {
  ...{ coming: 'coming', there: 'here', none: 'no answer yet', cannot: 'cannot' },
};

function updateLine(input: BriefInput, { at, text, by, activityItemID, item }: ToldUpdate, length: number): string {
  const author = by === '' ? [] : [said(by, 40)];
  return [
    `• ${toSlackTime(at, input.now)} ${said(text, length)}`,
    ...author,
    ...linkOf(input, activityItemID, item),
  ].join(' · ');
}

/** One point: its time, its words, who did it, and the way to it. */
function pointLine(input: BriefInput, point: Point): string {
  const { now, taskNumbers } = input;
  const at = `• ${toSlackTime(new Date(point.at), now)}`;
  const link = linkOf(input, point.item?.activityItemID, point.item);
  if (point.group === 'task') {
    const { status, text, taskID } = point.task;
    const sign = status === 'done' ? taskSigns.done : status === 'progress' ? taskSigns.progress : taskSigns.todo;
    const number = taskNumbers.get(taskID);
    const words = `${sign} ${number === undefined ? '' : `${number}. `}${said(text, 120)}`;
    const { assignedUser } = point.task;
    const owner = assignedUser && assignedUser.userID !== '' ? `for ${nameOf(assignedUser)}` : 'for nobody yet';
    return [`• ${words}`, owner, ...link].join(' · ');
  }
  return [`${at} ${wordsOf(point.item, point.group)}`, ...authorOf(point.item), ...link].join(' · ');
}

function wordsOf(item: ActivityItem, group: Group): string {
  const text = itemText(item);
  if (group === 'link') {
    const [, address = item.url] = /(https?:\/\/\S+)/.exec(text) ?? [];
    const labelOf = (words: string) => toLinkLabel(trimEnd(words.replace(address, ''), /[:\s]/));
    // Further lines, such as the times that a dashboard shows, are behind the link.
    const line = text.split('\n').find(each => each.includes(address)) ?? '';
    if (isAddress(address)) return `<${toSafeUrl(address)}|${labelOf(line) || labelOf(text) || 'a link'}>`;
  }
  return said(text || item.activityKind, isImportant(item) ? 200 : 140);
}

/** A note names its author, and not the account that added it. A change may name in its own words the person who made it. */
function authorOf(item: ActivityItem): readonly string[] {
  const { saidBy, addedBy } = item.fieldValues;
  const name = [saidBy, addedBy, item.user.name].find(isText);
  const isNamed = name !== undefined && item.activityKind !== 'userNote' && itemText(item).includes(name);
  return name === undefined || isNamed ? [] : [said(name, 40)];
}

/** The message that an item notes, else its place on the incident's page, else that page. */
function linkOf(
  { overview }: BriefInput,
  itemID: string | undefined,
  item: ActivityItem | undefined,
): readonly string[] {
  const permalink = item?.fieldValues.permalink;
  if (isText(permalink) && isAddress(permalink)) return [`<${toSafeUrl(permalink)}|message>`];
  if (!isAddress(overview)) return [];
  const place = itemID === undefined ? '' : `#${encodeURIComponent(itemID).slice(0, 100)}`;
  return [`<${toSafeUrl(overview)}${place}|open>`];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && text.length <= mostAddress;
}

/** The number of updates and items that were left out, and the way to them. */
function restLine({ incident, updates, news, overview, isCut }: BriefInput, extent: Extent): readonly string[] {
  const count = (all: number, shown: number, [one, several]: readonly [string, string]) =>
    all > shown ? [`${all - shown} ${shown === 0 ? '' : 'more '}${all - shown === 1 ? one : several}`] : [];
  const left = [
    ...count(updates.length, extent.updates, ['older update', 'older updates']),
    ...groups.flatMap(group => count(news?.points[group].length ?? 0, extent.points[group], nouns[group])),
    ...count(news?.others ?? 0, 0, ['other change', 'other changes']),
    ...(isCut ? ['older entries'] : []),
  ];
  const way = isAddress(overview) ? `<${toSafeUrl(overview)}#timeline|Full timeline>` : '*Full timeline*';
  const typed = `\`/incident timeline ${toMrkdwn(incident.incidentID, 40)}\``;
  return left.length === 0 ? [] : [`Not shown: ${left.join(', ')}. See the ${way}, or type ${typed}.`];
}

const nouns: Readonly<Record<Group, readonly [one: string, several: string]>> = {
  decision: ['important note', 'important notes'],
  task: ['task', 'tasks'],
  link: ['link', 'links'],
  note: ['note', 'notes'],
};

function nameOf({ name, userID }: { readonly name: string; readonly userID: string }): string {
  return said(name || userID, 40);
}

/** A person's text on one line, as mrkdwn of a bounded length: a sign that formats takes many characters. */
function said(text: string, most: number): string {
  return cutMrkdwn(toMrkdwn(toOneLine(text), most), 1.5 * most);
}
