import type { DeleteResult, Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { Params } from '../../../db/prepared.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { currentSubject, type JournalTables } from '../../journal/rows.ts';
import { keepFor } from '../../keep-for.ts';
import type { BotTables } from '../../schema/tables.ts';

/*
 * When people last looked at an incident or acted in it, so that they read what is new to them. A visit is kept in memory for a second, and
 * then stored with the others. Talk in a room prolongs a visit and begins none: a person who comes back and says hello has read nothing yet.
 */

/** Talk goes on with a visit that ended at most so long before, in milliseconds. */
const goesOnFor = 5 * 60_000;
/** How often the talk of one person in one channel is stored, in milliseconds. */
const heardEvery = 60_000;
/** How many people in channels are remembered as talking. */
const mostHeard = 5000;
/** Rows that are written or deleted together. */
const together = 500;

/** When a person was in an incident, in epoch milliseconds. */
export type Visit = { readonly incident_id: string; readonly user_id: string; readonly seen_at: number };

/** Stores a visit, unless a later one is stored. A statement to prepare, alone or among others. */
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

/** A person, and an incident or a channel. */
type Key = `${string} ${string}`;
const toKey = (place: string, userId: string): Key => `${place} ${userId}`;
const fromKey = (key: Key) => key.split(' ') as [place: string, userId: string];

/** The visits of people, in the bot's database. */
export class Visits {
  readonly #deps: { readonly database: Database; readonly teamId: string; readonly log: Logger };
  readonly #db: Kysely<BotTables>;
  /** The visits that are not stored yet, and those that are being stored, in epoch milliseconds. */
  #unstored = new Map<Key, number>();
  #storing = new Map<Key, number>();
  /** The talk that is not stored yet. */
  #heard = new Map<Key, number>();
  /** When talk was last taken, by channel and person. */
  readonly #taken = new Map<Key, number>();
  #flushing: Promise<void> | undefined;

  constructor(deps: { readonly database: Database; readonly teamId: string; readonly log: Logger }) {
    this.#deps = deps;
    this.#db = deps.database.as<BotTables>();
  }

  /** When a person was there last; undefined: never. Throws as the database does. */
  async last(incidentID: string, userId: string): Promise<Date | undefined> {
    const key = toKey(incidentID, userId);
    const unstored = Math.max(this.#storing.get(key) ?? 0, this.#unstored.get(key) ?? 0);
    const row = await this.#db
      .selectFrom('bot_visit')
      .select('seen_at')
      .where('incident_id', '=', incidentID)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    const at = Math.max(row?.seen_at ?? 0, unstored);
    return at === 0 ? undefined : new Date(at);
  }

  /** A person looks at an incident, or acts in it. It is stored within a second; a process that dies before loses it. */
  record(incidentID: string, userId: string, at: Date): void {
    const key = toKey(incidentID, userId);
    if (incidentID !== '' && userId !== '')
      this.#unstored.set(key, Math.max(at.getTime(), this.#unstored.get(key) ?? 0));
  }

  /**
   * The last visit of a person that is not stored yet, for a transaction that stores something of theirs in any case; undefined for none, and
   * while their incident has no number.
   */
  unstoredOf(userId: string): Visit | undefined {
    for (const [key, seen_at] of [...this.#unstored].reverse()) {
      const [incident_id, user_id] = fromKey(key);
      if (user_id === userId && !isProvisional(incident_id)) return { incident_id, user_id, seen_at };
    }
    return undefined;
  }

  /** That transaction is committed. */
  stored({ incident_id, user_id, seen_at }: Visit): void {
    const key = toKey(incident_id, user_id);
    if (this.#unstored.get(key) === seen_at) this.#unstored.delete(key);
  }

  /** A person writes in a channel. Where it is a room, that goes on with a visit of a few minutes ago, and begins none. */
  hear(channelId: string, userId: string, at: Date): void {
    const key = toKey(channelId, userId);
    const now = at.getTime();
    if (now < (this.#taken.get(key) ?? 0) + heardEvery) return;
    if (this.#taken.size >= mostHeard) this.#taken.clear();
    this.#taken.set(key, now);
    this.#heard.set(key, now);
  }

  /** Whether no process has offered yet to catch the person up. A second call says no. Throws as the database does. */
  async isFirstOffer(incident_id: string, user_id: string, now: Date): Promise<boolean> {
    if (user_id === '') return false;
    const row = { incident_id, user_id, seen_at: 0, offered_at: now.getTime() };
    const offered = await this.#deps.database.single<BotTables, object | undefined>(some =>
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
  }

  /** Stores visits and talk. It never fails: what cannot be stored is logged, and lost. */
  flush(): Promise<void> {
    this.#flushing ??= this.#storeAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Deletes some of the old ones; returns how many. */
  async purge(now: Date): Promise<number> {
    const before = now.getTime() - keepFor.visits;
    const { numDeletedRows } = await this.#deps.database.single<BotTables, DeleteResult>(some =>
      some
        .deleteFrom('bot_visit')
        .where('seen_at', '<', before)
        .where('offered_at', '<', before)
        .executeTakeFirstOrThrow(),
    );
    return Number(numDeletedRows);
  }

  async #storeAll(): Promise<void> {
    while (this.#unstored.size + this.#heard.size > 0) {
      const heard = this.#heard;
      [this.#storing, this.#unstored, this.#heard] = [this.#unstored, new Map(), new Map()];
      try {
        await this.#storeVisits(this.#storing);
        await this.#storeHeard(heard);
      } catch (err) {
        this.#deps.log.warn({ err, visits: this.#storing.size + heard.size }, 'visits: could not store');
      }
      this.#storing = new Map();
    }
  }

  async #storeVisits(all: ReadonlyMap<Key, number>): Promise<void> {
    const intents = this.#deps.database.as<JournalTables>();
    const rows = new Map<Key, BotTables['bot_visit']>();
    for (const [key, seen_at] of all) {
      const [subject, user_id] = fromKey(key);
      const incident_id = await currentSubject(intents, subject);
      const known = rows.get(toKey(incident_id, user_id))?.seen_at ?? 0;
      rows.set(toKey(incident_id, user_id), { incident_id, user_id, seen_at: Math.max(known, seen_at), offered_at: 0 });
    }
    const values = [...rows.values()];
    for (let from = 0; from < values.length; from += together) {
      await this.#deps.database.single<BotTables, unknown>(some =>
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

  /** Prolongs the visits of people who talk in rooms. */
  async #storeHeard(all: ReadonlyMap<Key, number>): Promise<void> {
    const channels = [...new Set([...all.keys()].map(key => fromKey(key)[0]))];
    for (let from = 0; from < channels.length; from += together) {
      const rooms = await this.#db
        .selectFrom('bot_room')
        .select(['incident_id', 'channel_id'])
        .where('team_id', '=', this.#deps.teamId)
        .where('channel_id', 'in', channels.slice(from, from + together))
        .execute();
      for (const { incident_id, channel_id } of rooms)
        for (const [key, at] of all)
          if (key.startsWith(`${channel_id} `))
            await this.#deps.database.single<BotTables, unknown>(some =>
              some
                .updateTable('bot_visit')
                .set({ seen_at: at })
                .where('incident_id', '=', incident_id)
                .where('user_id', '=', fromKey(key)[1])
                .where('seen_at', '>=', at - goesOnFor)
                .where('seen_at', '<', at)
                .execute(),
            );
    }
  }
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
