import type { ActivityItem } from '../../../contract/activity.ts';
import { isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Task } from '../../../contract/tasks.ts';
import { trimEnd } from '../../../trim-end.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { namesOf } from '../../people/directory.ts';
import type { CalledTable } from '../../schema/calls.ts';
import { context, mentioned, section, toLinkLabel, toMrkdwn, toSafeUrl, type Words } from '../../text/blocks.ts';
import { toSlackTime } from '../../text/shown-times.ts';
import { incidentSigns, signs, taskSigns } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { andMore, cutMrkdwn, toOneLine } from '../../text/words.ts';
import type { IncidentDeps } from '../acts/intent-kind.ts';
import { unregisteredWords } from '../acts/queued-words.ts';
import { readSeen } from '../acts/read-incident.ts';
import { toCurrentID } from '../acts/registration.ts';
import { learnNotes } from '../lines/elsewhere.ts';
import { isImportant } from '../notes/notes.ts';
import { isOfNote, itemText } from '../notes/timeline-words.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { commanderRole, usersHolding } from '../state/roles.ts';
import { drillWords, stateWords } from '../state/state-words.ts';
import { type Latest, nextLine, type Update } from '../state/update-store.ts';

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
  const [latest, commander, overview, taskNumbers, called] = await Promise.all([
    deps.updates.latest(incident),
    commanderRole(deps, now),
    deps.cards.overview(incident),
    deps.taskNumbers.of(incidentID, incident.taskList.tasks),
    incident.status === 'resolved' ? [] : readCalled(deps, incidentID),
  ]);
  const news =
    timeline &&
    findNews({
      ...{ items: timeline.items, tasks: incident.taskList.tasks, since },
      // Once it is over, the words about its end are there.
      update: incident.status === 'resolved' ? '' : (latest.update?.activityItemID ?? ''),
      isOwn: await tellOwn(deps, timeline.items, userId),
    });
  const words = briefWords({
    ...{ incident, news, since, latest, commander, called, overview, taskNumbers, notice, now },
    updateBy: await nameOfGiver(deps, latest.update),
    isCut: timeline?.isCut ?? false,
    severities: deps.settings.severities,
  });
  return { words, isRead: news !== undefined };
}

/**
 * The items of a timeline that were written down since a moment, by the time they speak of, newest first. New items are among the
 * newest, or a page before. Undefined while they cannot be read.
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
      const fresh = activityItems.filter(item => isSince(item, since));
      items.push(...fresh);
      if (!cursor.hasMore || fresh.length === 0) return { items, isCut: false };
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

/** The name of the person who gave an update: it is kept as a mention, and a catch-up has no mentions. */
async function nameOfGiver({ people }: IncidentDeps, update: Update | undefined): Promise<string> {
  const by = update?.by ?? '';
  const id = mentioned(by);
  if (id === '') return /[<>&]/.test(by) ? '' : by;
  return (await people.find(id).catch(() => undefined))?.name ?? '';
}

/** The groups of items of a timeline in a catch-up, in its order. */
const groups = ['state', 'decision', 'role', 'task', 'link', 'question', 'note'] as const;
type Group = (typeof groups)[number];

/** One thing that a catch-up tells. `at` is when it happened, in epoch milliseconds. */
type Point =
  | { readonly group: Exclude<Group, 'task'>; readonly at: number; readonly item: ActivityItem }
  | { readonly group: 'task'; readonly at: number; readonly task: Task; readonly item: ActivityItem | undefined };

interface News {
  /** Of each group the newest first. */
  readonly points: Readonly<Record<Group, readonly Point[]>>;
  /** Changes that belong to no group: a label, a title. */
  readonly others: number;
  /** The latest update, above the points, is new. */
  readonly isUpdated: boolean;
}

/** The timeline that a catch-up is made of. */
interface Timeline {
  readonly items: readonly ActivityItem[];
  readonly tasks: readonly Task[];
  /** Items that were written down before are left out; undefined: none is. */
  readonly since: Date | undefined;
  /** The note that is shown above the points as the latest update; `""` for none. */
  readonly update: string;
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

/** Finds the news for a person. */
export function findNews({ items, tasks, since, update, isOwn }: Timeline): News {
  const written = items.filter(item => isSince(item, since) && !isOfNote(item, items));
  const fromOthers = written.filter(item => !isOwn(item));
  const news = fromOthers.filter(item => item.activityItemID !== update);
  const points: Record<Group, Point[]> = {
    state: [],
    decision: [],
    role: [],
    task: [],
    link: [],
    question: [],
    note: [],
  };
  let others = 0;
  for (const item of news) {
    const group = groupOf(item);
    if (group === 'other') others += 1;
    else if (group !== 'task') points[group].push({ group, at: toTime(item.eventTime), item });
  }
  points.task.push(...changedTasks(tasks, written, { since, isOwn }));
  for (const group of groups) points[group].sort((one, other) => other.at - one.at);
  return { points, others, isUpdated: fromOthers.length > news.length };
}

/** A decision begins so. */
const decision = /^(?:decision|decided|we(?: have|’ve|'ve)? decided?|agreed)\b/i;

/** The group of an item in the catch-up. The catch-up tells the present state of tasks, and not each change of them. */
function groupOf(item: ActivityItem): Group | 'other' {
  switch (item.activityKind) {
    case 'incidentCreated':
    case 'incidentSeverityChanged':
    case 'incidentStatusChanged':
      return 'state';
    case 'roleAssigned':
    case 'roleUnassigned':
      return 'role';
    case 'taskAdded':
    case 'taskUpdated':
    case 'taskCompleted':
      return 'task';
    case 'contextAttached':
      return 'link';
    case 'userNote': {
      const text = itemText(item).trim();
      if (isImportant(item) || decision.test(text)) return 'decision';
      if (item.fieldValues.source === 'dashboard') return 'link';
      return /[?？]$/.test(text) ? 'question' : 'note';
    }
    default:
      return 'other';
  }
}

/** The tasks that other people changed, each with the newest item about it. */
function changedTasks(
  tasks: readonly Task[],
  written: readonly ActivityItem[],
  { since, isOwn }: Pick<Timeline, 'since' | 'isOwn'>,
): readonly Point[] {
  const about = Map.groupBy(
    written.filter(item => groupOf(item) === 'task').toSorted((one, other) => writtenAt(other) - writtenAt(one)),
    item => String(item.fieldValues.taskID ?? ''),
  );
  return tasks.flatMap((task): readonly Point[] => {
    const at = toTime(task.modifiedTime) || toTime(task.createdTime);
    const items = about.get(task.taskID) ?? [];
    const isKnown = since !== undefined && (at < since.getTime() || (items.length > 0 && items.every(isOwn)));
    return isKnown ? [] : [{ group: 'task', at, task, item: items[0] }];
  });
}

function toTime(time: string): number {
  return Date.parse(time) || 0;
}

/** The most characters of a catch-up, as it is sent. */
const mostCharacters = 3000;
/** Points of each group that are shown at most: together they fill a screen. */
const mostShown: Readonly<Record<Group, number>> = {
  ...{ state: 4, decision: 6, role: 3, task: 6, link: 3, question: 3, note: 4 },
};
/** The groups that lose points first where there is no room. */
const leastFirst: readonly Group[] = ['note', 'link', 'question', 'role', 'task', 'state', 'decision'];
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
  /** The news; undefined while the timeline cannot be read. */
  readonly news: News | undefined;
  /** Undefined: it tells everything from the start. */
  readonly since: Date | undefined;
  /** The timeline is longer than what was read of it. */
  readonly isCut: boolean;
  /** The first words about the incident, and the name of the person who gave the last update; `""` when that is not known. */
  readonly latest: Latest;
  readonly updateBy: string;
  /** The role that leads an incident; `""` for none. */
  readonly commander: string;
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

/** The catch-up: the state of the incident, and its news. It has no mentions, and at most {@link mostCharacters}. */
export function briefWords(input: BriefInput): Words {
  const { news } = input;
  const shown = Object.fromEntries(
    groups.map(group => [group, Math.min(mostShown[group], news?.points[group].length ?? 0)]),
  ) as Record<Group, number>;
  for (;;) {
    const paragraphs = toParagraphs(input, shown);
    const rest = news ? restLine(input, news, shown) : [];
    const text = [...paragraphs, ...rest].join('\n');
    const least = leastFirst.find(group => shown[group] > 1) ?? leastFirst.find(group => shown[group] > 0);
    if (text.length <= mostCharacters || least === undefined)
      return { text, blocks: [...paragraphs.map(each => section(each)), ...rest.map(each => context(each))] };
    shown[least] -= 1;
  }
}

function toParagraphs(input: BriefInput, shown: Readonly<Record<Group, number>>): readonly string[] {
  const { news, notice } = input;
  const head = [...(notice === '' ? [] : [notice]), titleLine(input), ...headLines(input)].join('\n');
  if (!news) return [head, 'The timeline cannot be read at the moment, so I cannot say what is new.'];
  const sections = groups.flatMap(group => {
    const some = news.points[group].slice(0, shown[group]);
    return some.length === 0 ? [] : [[`*${titles[group]}*`, ...some.map(each => pointLine(input, each))].join('\n')];
  });
  return [head, ...sections];
}

const titles: Readonly<Record<Group, string>> = {
  state: 'State and severity',
  decision: 'Decisions and important notes',
  role: 'Roles',
  task: 'Tasks',
  link: 'Dashboards and links',
  question: 'Questions that were noted',
  note: 'Notes',
};

/** The first line: the incident, and the time from which on it is told. */
function titleLine({ incident, news, since, now }: BriefInput): string {
  const name = `${incidentLabel(incident.incidentID)} “${said(incident.title, 100)}”`;
  if (since === undefined) return `*Catch-up on ${name}*, from the start`;
  const from = `since ${toSlackTime(since, now)}, ${formatDuration((now.getTime() - since.getTime()) / 1000)} ago`;
  const isNew = news && (news.isUpdated || news.others > 0 || groups.some(group => news.points[group].length > 0));
  return news && !isNew ? `*Nothing new in ${name}* ${from}` : `*Catch-up on ${name}*, ${from}`;
}

/** The state of the incident: its status, its leaders, the last words and the promise, the tasks by owner. */
function headLines(input: BriefInput): readonly string[] {
  const { incident, latest, since, severities, now, updateBy } = input;
  const { update, summary, lead } = latest;
  const isOver = incident.status === 'resolved';
  const state = stateWords({ ...incident, severityLabel: incident.severity }, severities, now);
  const next = update ? nextLine(update) : '';
  const isAbout = since === undefined && summary;
  const called = input.called.map(({ name, answer }) => `${said(name, 40)} (${answers[answer]})`);
  const by = updateBy === '' ? '' : `, by ${said(updateBy, 40)}`;
  const last = update
    ? `Latest update ${toSlackTime(update.at, now)}${by}: ${said(update.text, 200)}`
    : 'Nobody has posted an update yet.';
  return [
    `${said(`${drillWords(incident, `${incidentSigns.drill} Drill · `)}${state}`, 100)}.${leaderWords(input)}`,
    ...(called.length === 0 ? [] : [`Called: ${andMore(called, mostCalled)}.`]),
    ...(isAbout ? [`What it is about: ${said(summary.text, 200)}`] : []),
    ...(lead?.kind === 'outcome' ? [`What ended it: ${said(lead.text, 200)}`] : []),
    ...(isOver ? [] : [last]),
    ...(isOver || next === '' ? [] : [`Next update: ${next}.`]),
    ...taskCounts(incident.taskList.tasks),
  ];
}

function leaderWords({ incident, commander }: BriefInput): string {
  if (commander === '') return '';
  const role = said(commander, 40);
  const names = usersHolding(incident, commander).map(nameOf);
  if (names.length > 0) return ` ${role.slice(0, 1).toUpperCase()}${role.slice(1)}: ${andMore(names, mostNamed)}.`;
  return incident.status === 'resolved' ? '' : ` ${signs.warning} Nobody is ${role}.`;
}

const answers: Readonly<Record<CalledPerson['answer'], string>> = {
  ...{ coming: 'coming', there: 'here', none: 'no answer yet', cannot: 'cannot' },
};

/** `Tasks: 3 open (bob 2, nobody 1), 2 done (bob 2).` */
function taskCounts(tasks: readonly Task[]): readonly string[] {
  if (tasks.length === 0) return [];
  const count = (some: readonly Task[], word: string) => {
    const byOwner = [...Map.groupBy(some, ownerOf)].sort(([, one], [, other]) => other.length - one.length);
    const owners = byOwner.map(([owner, theirs]) => `${owner} ${theirs.length}`);
    return `${some.length} ${word}${owners.length === 0 ? '' : ` (${andMore(owners, mostNamed)})`}`;
  };
  const open = tasks.filter(each => each.status !== 'done');
  const done = tasks.filter(each => each.status === 'done');
  return [`Tasks: ${count(open, 'open')}, ${count(done, 'done')}.`];
}

function ownerOf({ assignedUser }: Task): string {
  return assignedUser && assignedUser.userID !== '' ? nameOf(assignedUser) : 'nobody';
}

/** One point: its time, its words, who did it, and the way to it. */
function pointLine(input: BriefInput, point: Point): string {
  const { now, taskNumbers } = input;
  const at = `• ${toSlackTime(new Date(point.at), now)}`;
  const link = linkOf(input, point.item);
  if (point.group === 'task') {
    const { status, text, taskID } = point.task;
    const sign = status === 'done' ? taskSigns.done : status === 'progress' ? taskSigns.progress : taskSigns.todo;
    const number = taskNumbers.get(taskID);
    const words = `${sign} ${number === undefined ? '' : `${number}. `}${said(text, 120)}`;
    return [`${at} ${words}`, ownerOf(point.task), ...link].join(' · ');
  }
  return [`${at} ${wordsOf(point.item, point.group)}`, ...authorOf(point.item), ...link].join(' · ');
}

function wordsOf(item: ActivityItem, group: Group): string {
  const { severity, previousSeverity } = item.fieldValues;
  const text = itemText(item);
  if (item.activityKind === 'incidentSeverityChanged' && isText(severity) && isText(previousSeverity))
    return `${said(previousSeverity, 40)} → ${said(severity, 40)}`;
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

/** The message that an item notes, else its place on the incident's page. */
function linkOf({ overview }: BriefInput, item: ActivityItem | undefined): readonly string[] {
  const permalink = item?.fieldValues.permalink;
  if (isText(permalink) && isAddress(permalink)) return [`<${toSafeUrl(permalink)}|message>`];
  if (!isAddress(overview)) return [];
  const place = item ? `#${encodeURIComponent(item.activityItemID).slice(0, 100)}` : '';
  return [`<${toSafeUrl(overview)}${place}|entry>`];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && text.length <= mostAddress;
}

/** The number of items that were left out, and a link to them. */
function restLine(
  { incident, isCut }: BriefInput,
  { points, others }: News,
  shown: Readonly<Record<Group, number>>,
): readonly string[] {
  const left = groups.flatMap(group => {
    const count = points[group].length - shown[group];
    const [one, several] = nouns[group];
    return count > 0 ? [`${count} more ${count === 1 ? one : several}`] : [];
  });
  const rest = [...left, ...(others > 0 ? [`${others} other ${others === 1 ? 'change' : 'changes'}`] : [])];
  if (rest.length === 0 && !isCut) return [];
  const older = isCut ? [...rest, 'older entries'] : rest;
  return [`… and ${older.join(', ')}: \`/incident timeline ${toMrkdwn(incident.incidentID, 40)}\``];
}

const nouns: Readonly<Record<Group, readonly [one: string, several: string]>> = {
  state: ['change of the state', 'changes of the state'],
  decision: ['important note', 'important notes'],
  role: ['change of a role', 'changes of roles'],
  task: ['task', 'tasks'],
  link: ['link', 'links'],
  question: ['question', 'questions'],
  note: ['note', 'notes'],
};

function nameOf({ name, userID }: { readonly name: string; readonly userID: string }): string {
  return said(name || userID, 40);
}

/** A person's text on one line, as mrkdwn of a bounded length: a sign that formats takes many characters. */
function said(text: string, most: number): string {
  return cutMrkdwn(toMrkdwn(toOneLine(text), most), 1.5 * most);
}
