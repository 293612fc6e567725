import { sql } from 'kysely';
import { definePrepared } from '../../db/prepared.ts';
import { isAhead } from '../schema/sightings.ts';
import type { MemoryTables } from '../schema/tables.ts';
import type { Books } from './books.ts';
import { provisional } from './lanes.ts';
import { longestPause } from './lasting.ts';
import type { IntentRow } from './rows.ts';
import { type IntentState, isUnfinished } from './table.ts';

/** Reads what lies in the journal; changes nothing. */
export interface Listing {
  /** Some lanes, but for those that are named, whose first is due and nobody's. */
  dueLanes(known: readonly string[], most: number): Promise<readonly string[]>;
  /** What of an incident is unfinished, in the order in which it will be done. */
  unfinished(incidentID: string): Promise<readonly IntentRow[]>;
  /** What is in one of these states, of one incident or, when that is `""`, of all, newest first. */
  list(wanted: {
    readonly states: readonly IntentState[];
    readonly incidentID: string;
    readonly most: number;
  }): Promise<readonly IntentRow[]>;
  /** Results of what is done of a kind for an incident, as stored. */
  resultsOf(kind: string, incidentID: string): Promise<readonly string[]>;
  /** How many are in each state, and since when the oldest one is there. */
  census(): Promise<readonly { readonly state: IntentState; readonly count: number; readonly since: string }[]>;
}

/**
 * One lane after the other is found in the index, and the first of each: however much waits behind those costs nothing. Who has waited
 * longest comes first.
 */
const dueHeads = definePrepared<
  MemoryTables,
  { now: number; furthest: number; known: readonly string[]; most: number },
  { lane: string }
>((db, { now, furthest, known, most }) =>
  db
    .withRecursive('lanes(lane)', all =>
      all
        .selectFrom('bot_intent')
        .select(({ fn }) => fn.min<string | null>('lane').as('lane'))
        .where(isUnfinished)
        .unionAll(
          all
            .selectFrom('lanes')
            .select(({ selectFrom }) =>
              selectFrom('bot_intent')
                .select(({ fn }) => fn.min('bot_intent.lane').as('lane'))
                .where(isUnfinished)
                .whereRef('bot_intent.lane', '>', 'lanes.lane')
                .as('lane'),
            )
            .where('lanes.lane', 'is not', null),
        ),
    )
    .selectFrom('lanes')
    .innerJoin('bot_intent as head', join =>
      join.on('head.id', '=', ({ selectFrom }) =>
        selectFrom('bot_intent')
          .select('bot_intent.id')
          .where(isUnfinished)
          .whereRef('bot_intent.lane', '=', 'lanes.lane')
          .orderBy('bot_intent.seq')
          .orderBy('bot_intent.id')
          .limit(sql.lit(1)),
      ),
    )
    .select('head.lane')
    .where('head.lease_owner', '=', '')
    .where(({ or, eb }) => or([eb('head.next_at', '<=', now), eb('head.next_at', '>', furthest)]))
    // Of a lane that waits for a registration only the declaration itself can be due.
    .where(({ or, eb }) => or([eb('head.lane', 'not like', `${provisional}%`), eb('head.seq', '=', 0)]))
    // Nor is anything before what was asked for earlier.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('bot_delivery')
            .select('place')
            .whereRef('bot_delivery.channel_id', '=', 'head.channel_id')
            .whereRef('bot_delivery.place', '<', 'head.asked')
            .where(isAhead),
        ),
      ),
    )
    .where('head.lane', 'not in', known)
    .orderBy('head.created_at')
    .limit(most),
);

/** Opens the listing. */
export function openListing({ db, clock }: Pick<Books, 'db' | 'clock'>): Listing {
  return {
    dueLanes: async (known, most) => {
      const now = clock().getTime();
      // No lane is called that; a list is never empty.
      const due = await dueHeads(db, { now, furthest: now + longestPause, known: ['', ...known], most });
      return due.map(each => each.lane);
    },
    unfinished: incidentID =>
      db
        .selectFrom('bot_intent')
        .selectAll()
        .where(isUnfinished)
        .where('incident_id', '=', incidentID)
        .orderBy('lane')
        .orderBy('seq')
        .orderBy('id')
        .limit(500)
        .execute(),
    list: ({ states, incidentID, most }) => {
      const all = db.selectFrom('bot_intent').selectAll().where('state', 'in', states);
      const some = incidentID === '' ? all : all.where('incident_id', '=', incidentID);
      return some.orderBy('created_at', 'desc').orderBy('seq', 'desc').limit(most).execute();
    },
    resultsOf: async (kind, incidentID) => {
      const done = db.selectFrom('bot_intent').select('outcome').where('state', '=', 'done').where('kind', '=', kind);
      return (await done.where('incident_id', '=', incidentID).execute()).map(row => row.outcome);
    },
    census: async () => {
      const rows = await db
        .selectFrom('bot_intent')
        .select(({ fn }) => ['state', fn.countAll().as('count'), fn.min('changed_at').as('since')])
        .groupBy('state')
        .execute();
      return rows.map(row => ({ state: row.state, count: Number(row.count), since: row.since }));
    },
  };
}
