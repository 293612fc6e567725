import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { laneLock } from '../../journal/rows.ts';
import type { BotTables } from '../../schema/tables.ts';
import { countChange, noSources, unshown } from './room-store.ts';

/*
 * Incidents that are made elsewhere come in bursts: one cause, a hundred alerts. Few of them are announced each. When more come within a
 * minute, the further ones are named by one message, which grows. That message is a row among the rooms too, so that the loop that shows
 * cards shows it. Which way an incident is announced is decided once, in a transaction.
 */

/** When incidents are a burst, and how long its message grows. Times are in milliseconds. */
export const burstRules = {
  /** So many are announced each, within that time. */
  alone: 5,
  within: 60_000,
  /** After that time the next ones begin another message: people look at the end of a channel. */
  growsFor: 600_000,
  /** So many are named, the others are counted. */
  named: 20,
} as const;

/** The channel of a message, and its workspace. */
interface Where {
  readonly teamId: string;
  readonly channel: string;
}

const mark = 'burst/';

/** Whether a row among the rooms is the message of a burst. */
export function isBurst(incidentID: string): boolean {
  return incidentID.startsWith(mark);
}

/** How the message of a burst shows an incident: the line that names it (mrkdwn), and whether it is over, has a room, or could have one. */
export interface BurstLine {
  readonly line: string;
  readonly state: BotTables['bot_found']['state'];
}

interface AgedIncident {
  readonly incidentID: string;
  readonly createdTime: string;
}

interface ForeignIncident extends AgedIncident {
  readonly shown: BurstLine;
}

/** An incident that the message of a burst names or counts. */
export interface BurstMember extends BurstLine {
  readonly incidentID: string;
}

/** Remembers how incidents made elsewhere are announced, in the bot's database. */
export class Bursts {
  readonly #database: Database;
  readonly #db: Kysely<BotTables>;
  readonly #clock: () => Date;

  constructor(database: Database, clock: () => Date) {
    this.#database = database;
    this.#db = database.as<BotTables>();
    this.#clock = clock;
  }

  /**
   * Decides how each of them is announced, unless that is decided: alone, or by the message of a burst, whose id is the value. Stores the rooms
   * of the latter, and calls `begin` for each, in the same transaction.
   */
  decide(
    found: readonly ForeignIncident[],
    where: Where,
    begin: (trx: Kysely<NoTables>, incidentID: string) => Promise<void>,
  ): Promise<ReadonlyMap<string, string>> {
    return this.#database.withLock<NoTables, ReadonlyMap<string, string>>('journal', async plain => {
      const trx = plain.withTables<BotTables>();
      const now = this.#clock();
      const ids = found.map(each => each.incidentID);
      const known = await trx.selectFrom('bot_found').selectAll().where('incident_id', 'in', ids).execute();
      const decided = new Map(known.map(each => [each.incident_id, each.burst]));
      const fresh = found.filter(each => !decided.has(each.incidentID));
      if (fresh.length === 0) return decided;
      const { lately } = await trx
        .selectFrom('bot_found')
        .select(({ fn }) => fn.countAll<number | string>().as('lately'))
        .where('found_at', '>', now.getTime() - burstRules.within)
        .executeTakeFirstOrThrow();
      const burst = Number(lately) + fresh.length > burstRules.alone ? await openBurst(trx, where, now) : '';
      const message = trx.selectFrom('bot_room').select('announcement_ts').where('incident_id', '=', burst);
      const announcement_ts = (await message.executeTakeFirst())?.announcement_ts ?? '';
      for (const { incidentID, createdTime, shown } of fresh) {
        const made = { incident_id: incidentID, found_at: now.getTime(), created_time: createdTime };
        const row = { ...made, burst, ...shown, is_hidden: 0, is_settled: 0 };
        await trx.insertInto('bot_found').values(row).execute();
        decided.set(incidentID, burst);
        if (burst === '') continue;
        const announced = { burst, announcement_channel_id: where.channel, announcement_ts };
        await trx
          .insertInto('bot_room')
          .values({ ...makeBoardRow(incidentID, burst, where, now), announcement_ts })
          .onConflict(conflict => conflict.column('incident_id').doUpdateSet(announced))
          .execute();
        await begin(plain, incidentID);
      }
      if (burst !== '') await countChange(plain, burst);
      return decided;
    });
  }

  /** Their rooms are being made where they get any: nothing is left to begin. */
  async settle(incidentIDs: readonly string[]): Promise<void> {
    if (incidentIDs.length === 0) return;
    await this.#database.single<BotTables, unknown>(some =>
      some
        .updateTable('bot_found')
        .set({ is_settled: 1 })
        .where('incident_id', 'in', [...incidentIDs])
        .execute(),
    );
  }

  /** Whether an incident has its place in a message, and a process died before it settled the rest. */
  async isUnsettled(incidentID: string): Promise<boolean> {
    return (await findMember(this.#db, incidentID))?.is_settled === 0;
  }

  /** When a burst began, and the incidents that its readers may know, oldest first. */
  async read(burst: string): Promise<{ readonly begunAt: Date; readonly members: readonly BurstMember[] }> {
    const room = this.#db.selectFrom('bot_room').select('created_at').where('incident_id', '=', burst);
    const found = this.#db.selectFrom('bot_found').selectAll().where('burst', '=', burst).where('is_hidden', '=', 0);
    const begunAt = new Date((await room.executeTakeFirst())?.created_at ?? 0);
    const members = (await found.execute()).map(each => ({
      ...{ incidentID: each.incident_id, createdTime: each.created_time, line: each.line, state: each.state },
    }));
    return { begunAt, members: members.toSorted(byAge) };
  }

  /** Gives an incident another line. True when the message must be edited, which is counted. */
  reword(incidentID: string, { line, state }: BurstLine): Promise<boolean> {
    return this.#change(incidentID, { line, state });
  }

  /** Removes an incident from its message for good. True when it was there. */
  hide(incidentID: string): Promise<boolean> {
    return this.#change(incidentID, { is_hidden: 1 });
  }

  /** Stores that the message has that time in Slack, or is gone (`""`). Returns the incidents that have news for its thread. */
  posted(burst: string, ts: string): Promise<readonly string[]> {
    // Rooms of all its incidents change.
    return this.#database.withLock<NoTables, readonly string[]>('journal', async plain => {
      const trx = plain.withTables<BotTables>();
      const rooms = trx.updateTable('bot_room').set({ announcement_ts: ts });
      await rooms.where(({ or, eb }) => or([eb('incident_id', '=', burst), eb('burst', '=', burst)])).execute();
      const waiting = await trx
        .selectFrom('bot_line')
        .innerJoin('bot_room', 'bot_room.incident_id', 'bot_line.incident_id')
        .select('bot_line.incident_id')
        .distinct()
        .where('bot_room.burst', '=', burst)
        .where('bot_line.place', '=', 'announcement')
        .where('bot_line.is_said', '=', 0)
        .execute();
      for (const { incident_id } of waiting) await countChange(plain, incident_id);
      return waiting.map(each => each.incident_id);
    });
  }

  async #change(incidentID: string, set: Partial<BurstLine & { is_hidden: number }>): Promise<boolean> {
    const differs = (row: BotTables['bot_found'] | undefined): row is BotTables['bot_found'] => {
      if (row === undefined) return false;
      const { line, state, is_hidden } = { ...row, ...set };
      return line !== row.line || state !== row.state || is_hidden !== row.is_hidden;
    };
    // Each round of its card asks, and seldom anything differs.
    if (!differs(await findMember(this.#db, incidentID))) return false;
    return await this.#database.withLock<NoTables, boolean>(laneLock([incidentID]), async plain => {
      const trx = plain.withTables<BotTables>();
      const row = await findMember(trx, incidentID);
      if (!differs(row)) return false;
      await trx.updateTable('bot_found').set(set).where('incident_id', '=', incidentID).execute();
      await countChange(plain, row.burst);
      return true;
    });
  }
}

/** The row of an incident that the message of a burst names or counts. */
function findMember(db: Kysely<BotTables>, incidentID: string) {
  const rows = db.selectFrom('bot_found').selectAll().where('incident_id', '=', incidentID);
  return rows.where('burst', '!=', '').executeTakeFirst();
}

/** The id of the message that grows; of a new one when there is none. */
async function openBurst(trx: Kysely<BotTables>, where: Where, now: Date): Promise<string> {
  const last = await trx
    .selectFrom('bot_found')
    .innerJoin('bot_room', 'bot_room.incident_id', 'bot_found.burst')
    .select(['bot_found.burst', 'bot_room.created_at'])
    .where('bot_found.found_at', '>', now.getTime() - burstRules.within)
    .where('bot_room.announcement_channel_id', '=', where.channel)
    .where('bot_room.created_at', '>', new Date(now.getTime() - burstRules.growsFor).toISOString())
    .orderBy('bot_found.found_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last !== undefined) return last.burst;
  const burst = `${mark}${randomUUID()}`;
  const row = makeBoardRow(burst, '', where, now);
  await trx.insertInto('bot_room').values(row).execute();
  return burst;
}

/** The row among the rooms of a message that announces incidents or alerts; `incidentID` is its own id. */
export function makeBoardRow(incidentID: string, burst: string, where: Where, now: Date): BotTables['bot_room'] {
  return {
    ...unshown,
    ...{ incident_id: incidentID, burst, team_id: where.teamId, created_at: now.toISOString(), declared_by: '' },
    ...{ channel_id: '', channel_name: '', is_linked: 0, is_private: 0, card_ts: '' },
    ...{ announcement_channel_id: where.channel, announcement_ts: '', sources: JSON.stringify(noSources) },
  };
}

/** Oldest first: by the time at which they were made, and of one moment by their numbers. */
export function byAge(one: AgedIncident, other: AgedIncident): number {
  const apart = Date.parse(one.createdTime) - Date.parse(other.createdTime);
  return apart || Number(one.incidentID) - Number(other.incidentID) || one.incidentID.localeCompare(other.incidentID);
}
