import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { ActivityItem } from '../../contract/activity.ts';
import { importantSign, noteSigns } from '../../contract/note-forms.ts';
import type { SharedContext } from '../call/context.ts';
import { toActivityItems } from '../store/activity-items.ts';
import type { ActivityRow, Db, Tables } from '../store/tables.ts';

/*
 * Which items a timeline has, and how many of each kind. The database picks and counts them: an incident may have thousands.
 */

type Condition = Expression<SqlBool>;
const activity = expressionBuilder<Tables, 'activity'>();

/** A part of a timeline that people can choose. */
export type Show = 'key' | 'all' | 'notes' | 'changes';

const isNote: Condition = activity('activity.kind', '=', 'userNote');
/** A link that the service attached from a note is in that note. */
const isOwn: Condition = activity.or([
  activity('activity.kind', '!=', 'contextAttached'),
  activity('activity.field_values', 'not like', '%"activityItemID"%'),
]);
const hasSource = (source: string): Condition => activity('activity.field_values', 'like', `%"source":"${source}"%`);
const begins = (sign: string): Condition => activity('activity.body', 'like', `${sign} %`);

/** Notes that may lead the page: updates, summaries, and what ended the incident. */
const isLead: Condition = activity.and([
  isNote,
  activity.or([begins(noteSigns.update), begins(noteSigns.summary), hasSource('resolution')]),
]);
/** Changes of what the incident is. */
const isTurn: Condition = activity('activity.kind', 'in', ['incidentStatusChanged', 'incidentSeverityChanged']);

const isKey: Condition = activity.or([
  isLead,
  isTurn,
  activity('activity.kind', '=', 'incidentCreated'),
  activity.and([isNote, activity.or([begins(importantSign), hasSource('dashboard')])]),
  sql<SqlBool>`replace(${sql.ref('activity.tags')}, '"important"', '') <> ${sql.ref('activity.tags')}`,
]);

/** The condition that the items of a part meet. */
export const shown: Readonly<Record<Show, Condition>> = {
  key: isKey,
  all: isOwn,
  notes: isNote,
  changes: activity.and([isOwn, activity.not(isNote)]),
};

/** The items that tell an incident's course and its headline. */
export const ofCourse: Condition = activity.or([isLead, isTurn]);

/** How many items of some kind lie at a place. */
export interface Tally {
  readonly kind: ActivityRow['kind'];
  /** Steps from the beginning of the picture; negative for what is before it. */
  readonly place: number;
  readonly count: number;
  readonly keys: number;
}

/** Counts all items of a timeline by kind and place: whole steps of `step` microseconds after `from`. */
export async function tallyItems(
  db: Db,
  incidentID: number,
  { from, step }: { from: number; step: number },
): Promise<Tally[]> {
  const at = sql.ref('activity.event_at');
  // Division cuts towards zero, and what is before the beginning must stay negative.
  const place = sql<number>`(case when ${at} < ${sql.lit(from)} then -1 else (${at} - ${sql.lit(from)}) / ${sql.lit(step)} end)`;
  return await db
    .selectFrom('activity')
    .select(({ fn }) => [
      'kind',
      place.as('place'),
      fn.countAll<number>().as('count'),
      sql<number>`sum(case when ${isKey} then 1 else 0 end)`.as('keys'),
    ])
    .where('incident_id', '=', incidentID)
    .where(isOwn)
    .groupBy(['kind', sql`2`])
    .execute();
}

/** How many items there are. */
export function sumOf(tallies: readonly Tally[]): number {
  return tallies.reduce((total, { count }) => total + count, 0);
}

/** How many items each part of a timeline has. */
export function countShown(tallies: readonly Tally[]): Record<Show, number> {
  const all = sumOf(tallies);
  const notes = sumOf(tallies.filter(({ kind }) => kind === 'userNote'));
  const key = tallies.reduce((total, { keys }) => total + Number(keys), 0);
  return { key, all, notes, changes: all - notes };
}

/** When the timeline first speaks of a time from `from` until `until`, in microseconds since 1970. */
export async function findFirstSign(
  db: Db,
  incidentID: number,
  from: number,
  until: number,
): Promise<Date | undefined> {
  if (from >= until) return undefined;
  const { first } = await db
    .selectFrom('activity')
    .select(({ fn }) => fn.min('event_at').as('first'))
    .where('incident_id', '=', incidentID)
    .where('kind', 'in', ['userNote', 'contextAttached'])
    .where(isOwn)
    .where('event_at', '>=', from)
    .where('event_at', '<', until)
    .executeTakeFirstOrThrow();
  return first === null ? undefined : new Date(first / 1000);
}

/** The ids of the items that set start and end last: those before them no longer hold. */
export async function findStanding(db: Db, incidentID: number): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('activity')
    .select(['id', 'kind'])
    .where('incident_id', '=', incidentID)
    .where('kind', 'in', ['incidentStart', 'incidentEnd'])
    .orderBy('seq', 'desc')
    .limit(200)
    .execute();
  return new Set(['incidentStart', 'incidentEnd'].flatMap(kind => rows.find(row => row.kind === kind)?.id ?? []));
}

/** How many items of a kind precede one of the timeline; 0 when there is no such item. */
export async function countBefore(
  db: Db,
  incidentID: number,
  { show, order, at }: { readonly show: Show; readonly order: 'newest' | 'oldest'; readonly at: string },
): Promise<number> {
  const columns = sql`(event_at, created_at, seq)`;
  const sign = sql.raw(order === 'newest' ? '>' : '<');
  const item = sql`(select event_at, created_at, seq from activity where id = ${at} and incident_id = ${incidentID})`;
  const { count } = await db
    .selectFrom('activity')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('incident_id', '=', incidentID)
    .where(shown[show])
    .where(sql<SqlBool>`${columns} ${sign} ${item}`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Items of a timeline that meet a condition: at most `most`, after the first `from` in their order. */
export async function readItems(
  context: SharedContext,
  incidentID: number,
  how: {
    readonly where: Condition;
    readonly order: 'newest' | 'oldest';
    readonly from?: number;
    readonly most: number;
  },
): Promise<readonly ActivityItem[]> {
  const direction = how.order === 'newest' ? 'desc' : 'asc';
  const rows = await context.db
    .selectFrom('activity')
    .selectAll()
    .where('incident_id', '=', incidentID)
    .where(how.where)
    .orderBy('event_at', direction)
    .orderBy('created_at', direction)
    .orderBy('seq', direction)
    .limit(how.most)
    .offset(how.from ?? 0)
    .execute();
  return await toActivityItems(context, rows);
}

/** The most links of an incident that are looked at: the same address may be attached many times. */
const mostLinks = 2000;
/** A note of a message links to that message. */
const isMessage: Condition = activity.and([
  activity('activity.field_values', 'like', '%"activityItemID"%'),
  activity('activity.url', 'like', 'https://%.slack.com/archives/%/p%'),
]);

/** The addresses that are attached to an incident, but for those of messages, in order; each with its caption, or itself without one. */
export async function readAttached(db: Db, incidentID: number): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('activity')
    .select(['url', 'body'])
    .where('incident_id', '=', incidentID)
    .where('kind', '=', 'contextAttached')
    .where(activity.not(isMessage))
    .orderBy('event_at')
    .orderBy('seq')
    .limit(mostLinks)
    .execute();
  const captions = new Map<string, string>();
  for (const { url, body } of rows) {
    const address = url || body;
    if ((captions.get(address) ?? address) === address) captions.set(address, body || address);
  }
  return captions;
}
