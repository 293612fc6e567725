import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Incident } from '../../contract/incidents.ts';
import type { IncidentLabel } from '../../contract/labels.ts';
import { noteSigns, readFormed } from '../../contract/note-forms.ts';
import type { Context } from '../call/context.ts';
import { toCountDb } from '../store/incident-counts.ts';
import { findLabels } from '../store/incident-labels.ts';
import { findMemberships, noMembership } from '../store/memberships.ts';
import type { Db, IncidentRow, Tables } from '../store/tables.ts';
import { toMonth } from '../store/time.ts';
import type { SortKey } from './cursor.ts';
import { byCreation, type IncidentKeys, readPassed, selectVisible, takeTurn, walk } from './in-pieces.ts';

/** The most incidents on a page. */
export const pageSize = 50;

/** An incident as the list shows it. */
export interface ListedIncident {
  readonly row: IncidentRow;
  readonly labels: IncidentLabel[];
  readonly assignments: Incident['incidentMembership']['assignments'];
  /** The words of people about it; only of an open incident. */
  readonly said: LatestWords | undefined;
}

/** What was said last of an incident. */
interface LatestWords {
  readonly words: string;
  readonly at: Date;
  /** When the next update is due; undefined for no promise. */
  readonly next: Date | undefined;
}

/** Incidents of one kind: how many a query finds. */
export interface Tally {
  readonly status: string;
  readonly severity: string;
  /** Absent where drills are left out. */
  readonly isDrill?: boolean;
  /** In which they were declared, as `toMonth` says it; absent in figures. */
  readonly month?: string;
  readonly count: number;
}

/** A place in the list: its part, and the keys of an incident there. */
interface ListPosition {
  readonly part: (typeof parts)[number]['name'];
  readonly keys: readonly number[];
}

interface ListFilter {
  /** The condition of the query and of the filters next to it. */
  readonly typed: Expression<SqlBool>;
  readonly chosen: Expression<SqlBool>;
  /** Whether the query leaves incidents out. */
  readonly isNarrowed: boolean;
  /** The one status that is chosen; `""` for both. */
  readonly status: string;
  /** How many of what is found are chosen. */
  readonly countChosen: (tallies: readonly Tally[]) => number;
  /** The number of the incident that comes first; 0 for none. */
  readonly number: number;
  /** The page begins behind one place, or ends before one, as {@link IncidentPage} names them; `""` for none. */
  readonly after: string;
  readonly before: string;
  /** How many incidents come before the page, where no place says where it begins. */
  readonly skipped: number;
}

/** A page of the list. */
export interface IncidentPage {
  /** All that the query finds, with any filters. */
  readonly tallies: readonly Tally[];
  readonly listed: readonly ListedIncident[];
  /** The place where the page ends, for an address; `""` when none comes behind it. */
  readonly older: string;
  /** The place where it begins; `""` on the first page. */
  readonly newer: string;
}

const incident = expressionBuilder<Tables, 'incident'>();

/** An incident of an unknown severity comes behind those of all others. */
const rank: SortKey<IncidentRow> = {
  column: sql<number>`(case when severity_level < 0 then 1000000 else severity_level end)`,
  type: 'number',
  of: ({ severity_level }) => (severity_level < 0 ? 1_000_000 : severity_level),
};

/** The parts of the list: the open incidents from the worst severity and the oldest, then the resolved ones from the newest. */
const parts = [
  {
    name: 'open',
    status: 'active',
    among: incident('incident.status', '=', sql.lit('active' as const)),
    ...{ keys: [rank, ...byCreation], direction: 'ASC' },
  },
  {
    name: 'past',
    status: 'resolved',
    among: incident('incident.status', '=', sql.lit('resolved' as const)),
    ...{ keys: byCreation, direction: 'DESC' },
  },
] as const;

/** Reads a place of an address; undefined for any other text. */
function readPosition(text: string): ListPosition | undefined {
  const [name, ...numbers] = text.split('-');
  const part = parts.find(each => each.name === name && each.keys.length === numbers.length);
  return part && numbers.every(each => /^\d{1,16}$/.test(each))
    ? { part: part.name, keys: numbers.map(Number) }
    : undefined;
}

/** The place of an incident, for an address. */
function writePosition(row: IncidentKeys | undefined): string {
  if (!row) return '';
  const { name, keys } = row.status === 'active' ? parts[0] : parts[1];
  return [name, ...keys.map(key => key.of(row as IncidentRow))].join('-');
}

/** One page of the list, and the numbers of all that is found. A place that cannot be has no incidents. Throws `invalid_argument`. */
export async function findPage(context: Context, asked: ListFilter): Promise<IncidentPage> {
  const [after, before] = [asked.after, asked.before].map(readPosition);
  const where = incident.and([asked.typed, asked.chosen]);
  const { role, userID } = context.caller;
  const isCounted = !asked.isNarrowed && (role === 'Admin' || userID === '');
  const tallies = isCounted ? await readCounts(context) : await countPassed(context, asked.typed);
  if ((asked.after !== '' && !after) || (asked.before !== '' && !before))
    return { tallies, listed: [], older: '', newer: '' };
  const isFirst = !after && !before && asked.skipped === 0;
  const [first] =
    asked.number > 0 && isFirst
      ? await selectVisible(context, where).selectAll().where('id', '=', asked.number).execute()
      : [];
  const others = incident.and([where, incident('incident.id', '<>', asked.number)]);
  const most = pageSize - (first ? 1 : 0);
  const total = asked.countChosen(tallies) - (first ? 1 : 0);
  await takeTurn();
  const page = await passPage(context, others, { ...asked, after, before, most, total });
  const rows = await readPassed(context, page.those);
  await takeTurn();
  const listed = await toListed(context, first ? [first, ...rows] : rows);
  await takeTurn();
  return { tallies, listed, older: page.older, newer: page.newer };
}

/** The incidents of a page, in order. */
async function passPage(
  context: Context,
  where: Expression<SqlBool>,
  how: {
    readonly after: ListPosition | undefined;
    readonly before: ListPosition | undefined;
    readonly skipped: number;
    readonly most: number;
    readonly total: number;
    readonly status: string;
  },
) {
  const { after, before, skipped, most, total, status } = how;
  const found: IncidentKeys[] = [];
  const isBackward = before !== undefined;
  const start = after ?? before;
  // Once all are found there is no need to pass the others.
  const wanted = start ? skipped + most + 1 : Math.min(skipped + most + 1, total);
  const ordered = isBackward ? parts.toReversed() : parts;
  for (const part of ordered) {
    const isBeside = start !== undefined && part.name !== start.part;
    if ((isBeside && part === ordered[0]) || ![part.status, ''].includes(status)) continue;
    if (found.length >= wanted) break;
    for await (const those of walk(context, where, {
      ...part,
      direction: (part.direction === 'ASC') === isBackward ? 'DESC' : 'ASC',
      after: isBeside ? undefined : start?.keys,
    })) {
      found.push(...those);
      if (found.length >= wanted) break;
    }
  }
  const those = found.slice(skipped, skipped + most);
  const hasMore = found.length > skipped + most;
  if (isBackward) those.reverse();
  const hasOlder = isBackward || hasMore;
  const hasNewer = isBackward ? hasMore : after !== undefined || skipped > 0;
  return {
    those,
    older: hasOlder ? writePosition(those.at(-1)) : '',
    newer: hasNewer ? writePosition(those[0]) : '',
  };
}

/** How many incidents there are of each kind that the caller sees: all, or those that are not private. */
async function readCounts({ db, caller }: Context): Promise<Tally[]> {
  const rows = await toCountDb(db)
    .selectFrom('incident_count')
    .select(['status', 'severity', 'is_drill', 'month', 'count'])
    .$if(caller.role !== 'Admin', all => all.where('is_private', '=', 0))
    .execute();
  return rows.map(({ is_drill, ...each }) => ({ ...each, isDrill: is_drill === 1 }));
}

/** How many incidents of each kind meet a condition. It looks at all that the caller sees. */
async function countPassed(context: Context, where: Expression<SqlBool>): Promise<Tally[]> {
  const tallies = new Map<string, Tally & { count: number }>();
  for (const { among } of parts) {
    for await (const those of walk(context, where, { keys: byCreation, direction: 'DESC', among, first: 1024 })) {
      for (const { status, severity, is_drill, created_at } of those) {
        const kind = { status, severity, isDrill: is_drill === 1, month: toMonth(created_at / 1000) };
        tallies.getOrInsertComputed(JSON.stringify(kind), () => ({ ...kind, count: 0 })).count += 1;
      }
    }
  }
  return [...tallies.values()];
}

async function toListed(context: Context, rows: readonly IncidentRow[]): Promise<ListedIncident[]> {
  const { db } = context;
  const ids = rows.map(each => each.id);
  const labels = await findLabels(db, ids);
  const memberships = await findMemberships(context, ids);
  const open = rows.filter(each => each.status === 'active').map(each => each.id);
  const said = open.length === 0 ? new Map<number, LatestWords>() : await findSaid(db, open);
  return rows.map(row => ({
    row,
    labels: labels.get(row.id) ?? [],
    assignments: (memberships.get(row.id) ?? noMembership()).assignments,
    said: said.get(row.id),
  }));
}

/** Notes with these sources are Muster's own words, or those of a program. */
const unspoken = ['alert', 'claim', 'dashboard'] as const;

/**
 * The words of people about each of the incidents: the last update, else the last summary, else the last note that a person wrote and that
 * does not begin with an address.
 */
async function findSaid(db: Db, ids: readonly number[]): Promise<Map<number, LatestWords>> {
  const has = (source: string) => sql<boolean>`field_values like ${`%"source":"${source}"%`}`;
  const begins = (start: string) => sql<boolean>`body like ${`${start}%`}`;
  const isSpoken = sql.join(
    [...unspoken.map(has), begins('http')].map(each => sql`not (${each})`),
    sql` and `,
  );
  const latest = await db
    .selectFrom('activity')
    .select([
      'incident_id',
      sql<number | null>`max(case when ${has('update')} or ${begins(`${noteSigns.update} `)} then seq end)`.as(
        'update',
      ),
      sql<number | null>`max(case when ${begins(`${noteSigns.summary} `)} then seq end)`.as('summary'),
      sql<number | null>`max(case when ${isSpoken} then seq end)`.as('note'),
    ])
    .where('incident_id', 'in', ids)
    .where('kind', '=', 'userNote')
    .groupBy('incident_id')
    .execute();
  const chosen = latest.flatMap(each => each.update ?? each.summary ?? each.note ?? []).map(Number);
  if (chosen.length === 0) return new Map();
  const rows = await db
    .selectFrom('activity')
    .select(['incident_id', 'body', 'event_at', 'field_values'])
    .where('seq', 'in', chosen)
    .execute();
  return new Map(
    rows.map(row => {
      const values: Record<string, unknown> = JSON.parse(row.field_values);
      const next = Date.parse(String(values.nextUpdateAt ?? ''));
      return [
        row.incident_id,
        {
          words: readFormed(row.body).text,
          at: new Date(row.event_at / 1000),
          next: Number.isNaN(next) ? undefined : new Date(next),
        },
      ];
    }),
  );
}
