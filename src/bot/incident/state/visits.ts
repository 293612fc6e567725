import type { DeleteResult, Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { Params } from '../../../db/prepared.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { currentSubject, type JournalTables } from '../../journal/rows.ts';
import { keepFor } from '../../keep-for.ts';
import type { BotTables } from '../../schema/tables.ts';

/** Talk goes on with a visit that ended at most so long before, in milliseconds: whoever comes back and says hello has read nothing yet. */
const goesOnFor = 5 * 60_000;
/** How often the talk of one person in one channel is stored, in milliseconds. */
const heardEvery = 60_000;
/** People who talk, of whom that is remembered. */
const mostHeard = 5000;
/** Rows that are written or deleted together. */
const together = 500;

/** When a person was in an incident, in epoch milliseconds. */
export type Visit = { readonly incident_id: string; readonly user_id: string; readonly seen_at: number };

/** Stores a visit, unless a later one is stored. A statement to be prepared, alone or among others. */
export function storeVisit(db: Kysely<BotTables>, { incident_id, user_id, seen_at }: Params<Visit>) {
  return db
    .insertInto('bot_visit')
    .values({ incident_id, user_id, seen_at, offered_at: 0 })
    .onConflict(conflict =>
      conflict
        .columns(['incident_id', 'user_id'])
        .doUpdateSet(({ ref }) => ({ seen_at: ref('excluded.seen_at') }))
        .whereRef('bot_visit.seen_at', '<', 'excluded.seen_at'),
    );
}

/** The person and the incident, or the channel. */
type Key = `${string} ${string}`;
const toKey = (place: string, userId: string): Key => `${place} ${userId}`;
const fromKey = (key: Key) => key.split(' ') as [place: string, userId: string];

/** Remembers when people last looked at an incident or acted in it, so that they read what is new to them. */
export type Visits = ReturnType<typeof openVisits>;

/** Opens the visits in the bot's database. */
export function openVisits({
  database,
  teamId,
  log,
}: {
  readonly database: Database;
  readonly teamId: string;
  readonly log: Logger;
}) {
  const db = database.as<BotTables>();
  const intents = database.as<JournalTables>();
  /** What is not stored yet, and what is being stored, in epoch milliseconds. */
  let noted = new Map<Key, number>();
  let heard = new Map<Key, number>();
  let storing = new Map<Key, number>();
  let flushing: Promise<void> | undefined;
  /** When talk was last taken, by channel and person. */
  const taken = new Map<Key, number>();

  async function storeNoted(all: ReadonlyMap<Key, number>): Promise<void> {
    const rows = new Map<Key, BotTables['bot_visit']>();
    for (const [key, seen_at] of all) {
      const [subject, user_id] = fromKey(key);
      const incident_id = await currentSubject(intents, subject);
      const known = rows.get(toKey(incident_id, user_id))?.seen_at ?? 0;
      rows.set(toKey(incident_id, user_id), { incident_id, user_id, seen_at: Math.max(known, seen_at), offered_at: 0 });
    }
    const values = [...rows.values()];
    for (let from = 0; from < values.length; from += together) {
      await database.single<BotTables, unknown>(some =>
        some
          .insertInto('bot_visit')
          .values(values.slice(from, from + together))
          .onConflict(conflict =>
            conflict
              .columns(['incident_id', 'user_id'])
              .doUpdateSet(({ ref }) => ({ seen_at: ref('excluded.seen_at') }))
              .whereRef('bot_visit.seen_at', '<', 'excluded.seen_at'),
          )
          .execute(),
      );
    }
  }

  async function storeHeard(all: ReadonlyMap<Key, number>): Promise<void> {
    const channels = [...new Set([...all.keys()].map(key => fromKey(key)[0]))];
    for (let from = 0; from < channels.length; from += together) {
      const rooms = await db
        .selectFrom('bot_room')
        .select(['incident_id', 'channel_id'])
        .where('team_id', '=', teamId)
        .where('channel_id', 'in', channels.slice(from, from + together))
        .execute();
      for (const { incident_id, channel_id } of rooms) {
        const said = [...all].filter(([key]) => key.startsWith(`${channel_id} `));
        for (const [key, at] of said) await goOn(incident_id, fromKey(key)[1], at);
      }
    }
  }

  async function goOn(incidentID: string, userId: string, at: number): Promise<void> {
    await database.single<BotTables, unknown>(some =>
      some
        .updateTable('bot_visit')
        .set({ seen_at: at })
        .where('incident_id', '=', incidentID)
        .where('user_id', '=', userId)
        .where('seen_at', '>=', at - goesOnFor)
        .where('seen_at', '<', at)
        .execute(),
    );
  }

  async function storeAll(): Promise<void> {
    while (noted.size + heard.size > 0) {
      const said = heard;
      [storing, noted, heard] = [noted, new Map(), new Map()];
      try {
        await storeNoted(storing);
        await storeHeard(said);
      } catch (err) {
        log.warn({ err, visits: storing.size + said.size }, 'visits: could not store');
      }
      storing = new Map();
    }
  }

  return {
    /** When a person was there last; undefined: never. Throws as the database does. */
    last: async (incidentID: string, userId: string) => {
      const key = toKey(incidentID, userId);
      const unstored = Math.max(storing.get(key) ?? 0, noted.get(key) ?? 0);
      const row = await db
        .selectFrom('bot_visit')
        .select('seen_at')
        .where('incident_id', '=', incidentID)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      const at = Math.max(row?.seen_at ?? 0, unstored);
      return at === 0 ? undefined : new Date(at);
    },
    /** A person looks at an incident, or acts in it. It is stored within a second; a process that dies before loses it. */
    note: (incidentID: string, userId: string, at: Date) => {
      const key = toKey(incidentID, userId);
      if (incidentID !== '' && userId !== '') noted.set(key, Math.max(at.getTime(), noted.get(key) ?? 0));
    },
    /**
     * What was noted last of a person and is not stored yet, for a transaction that stores something of theirs in any case; undefined for
     * nothing, and while their incident has no number.
     */
    unstoredOf: (userId: string): Visit | undefined => {
      for (const [key, seen_at] of [...noted].reverse()) {
        const [incident_id, user_id] = fromKey(key);
        if (user_id === userId && !isProvisional(incident_id)) return { incident_id, user_id, seen_at };
      }
      return undefined;
    },
    /** That transaction is committed. */
    stored: ({ incident_id, user_id, seen_at }: Visit) => {
      const key = toKey(incident_id, user_id);
      if (noted.get(key) === seen_at) noted.delete(key);
    },
    /** A person writes in a channel. Where it is a room, that goes on with a visit of a few minutes ago, and begins none. */
    hear: (channelId: string, userId: string, at: Date) => {
      const key = toKey(channelId, userId);
      const now = at.getTime();
      if (now < (taken.get(key) ?? 0) + heardEvery) return;
      if (taken.size >= mostHeard) taken.clear();
      taken.set(key, now);
      heard.set(key, now);
    },
    /** Whether nobody has offered yet to catch the person up. A second call says no. Throws as the database does. */
    isFirstOffer: async (incident_id: string, user_id: string, now: Date) => {
      if (user_id === '') return false;
      const row = { incident_id, user_id, seen_at: 0, offered_at: now.getTime() };
      const offered = await database.single<BotTables, object | undefined>(some =>
        some
          .insertInto('bot_visit')
          .values(row)
          .onConflict(conflict =>
            conflict
              .columns(['incident_id', 'user_id'])
              .doUpdateSet({ offered_at: row.offered_at })
              .where('bot_visit.offered_at', '=', 0),
          )
          .returning('user_id')
          .executeTakeFirst(),
      );
      return offered !== undefined;
    },
    /** Stores what was noted and heard. It never fails: what cannot be stored is logged, and lost. */
    flush: () => {
      flushing ??= storeAll().finally(() => {
        flushing = undefined;
      });
      return flushing;
    },
    /** Deletes some of the old ones; returns how many. */
    purge: async (now: Date) => {
      const before = now.getTime() - keepFor.visits;
      const { numDeletedRows } = await database.single<BotTables, DeleteResult>(some =>
        some
          .deleteFrom('bot_visit')
          .where('seen_at', '<', before)
          .where('offered_at', '<', before)
          .executeTakeFirstOrThrow(),
      );
      return Number(numDeletedRows);
    },
  };
}

/** Gives the visits of a provisional incident its number, in the transaction that registers the incident. */
export async function renameVisits(plain: Kysely<NoTables>, provisional: string, incidentID: string): Promise<void> {
  const trx = plain.withTables<BotTables>();
  const rows = await trx.selectFrom('bot_visit').selectAll().where('incident_id', '=', provisional).execute();
  if (rows.length === 0) return;
  await trx.deleteFrom('bot_visit').where('incident_id', '=', provisional).execute();
  await trx
    .insertInto('bot_visit')
    .values(rows.map(row => ({ ...row, incident_id: incidentID })))
    .onConflict(conflict => conflict.columns(['incident_id', 'user_id']).doNothing())
    .execute();
}
