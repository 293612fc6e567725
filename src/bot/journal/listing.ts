import { isAhead } from '../memory/sightings.ts';
import type { Books } from './books.ts';
import { provisional } from './lanes.ts';
import { longestPause } from './lasting.ts';
import type { IntentRow } from './rows.ts';
import { type IntentState, isUnfinished, isWaiting } from './table.ts';

/** Reads what lies in the journal; changes nothing. */
export interface Listing {
  /** Some lanes, but for those that are named, in which something that waits is due. */
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

/** Opens the listing. */
export function openListing({ db, clock }: Pick<Books, 'db' | 'clock'>): Listing {
  return {
    dueLanes: async (known, most) => {
      const now = clock().getTime();
      const all = db.selectFrom('bot_intent').select('lane').distinct().where(isWaiting).limit(most);
      const due = all.where(({ or, eb }) => or([eb('next_at', '<=', now), eb('next_at', '>', now + longestPause)]));
      // Of a lane that waits for a registration only the declaration itself can be due.
      const ready = due.where(({ or, eb }) => or([eb('lane', 'not like', `${provisional}%`), eb('seq', '=', 0)]));
      // Nor is anything before what was asked for earlier.
      const settled = ready.where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('bot_delivery')
              .select('place')
              .whereRef('bot_delivery.channel_id', '=', 'bot_intent.channel_id')
              .whereRef('bot_delivery.place', '<', 'bot_intent.asked')
              .where(isAhead),
          ),
        ),
      );
      const others = known.length === 0 ? settled : settled.where('lane', 'not in', known);
      return (await others.execute()).map(each => each.lane);
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
