import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../../../db/database.ts';
import type { BotTables } from '../../../schema/tables.ts';
import type { KnownState } from './news.ts';

/*
 * What the readers of an announcement know, and the lines that they have yet to read. A line is stored before it is posted, together with
 * the state that it tells of: whatever dies in between, each change is told once.
 */

const NewsLine = z.object({
  id: z.string(),
  /** mrkdwn */
  words: z.string(),
  /** Epoch milliseconds of when it was stored. */
  since: z.number(),
});
/** A line for the thread of an announcement. */
export type NewsLine = z.output<typeof NewsLine>;

const Stored = z.object({
  status: z.string(),
  severity: z.string(),
  /** Yet to be posted. */
  lines: z.array(NewsLine),
  /** The timestamps of those that stand in Slack. */
  posted: z.array(z.string()),
});

/** Lines to post, oldest first. `mayStand`: an earlier attempt may have posted it. */
export type PendingLine = NewsLine & { readonly mayStand: boolean };

/** What the readers of announcements know. */
export interface Announced {
  /** An announcement begins with that state, unless it has begun. */
  begin(incidentID: string, state: KnownState): Promise<void>;
  /** The state that the readers know; undefined when nobody has noted it. */
  known(incidentID: string): Promise<KnownState | undefined>;
  /**
   * The readers are to know that state, and to read these lines. Returns every line that is to be posted. `updates` are the ids of the
   * updates among them.
   */
  add(
    incidentID: string,
    state: KnownState,
    words: readonly string[],
    updates: readonly string[],
  ): Promise<readonly PendingLine[]>;
  /** A line stands in Slack at that timestamp; `""`: it never will. */
  said(incidentID: string, line: NewsLine, ts: string): Promise<void>;
  /** What readers have of an incident: the timestamps of its lines, and the lines that may stand where nobody noted it. */
  lines(incidentID: string): Promise<{ readonly posted: readonly string[]; readonly pending: readonly NewsLine[] }>;
  /** No line of the incident stands, and none is to be posted. */
  takenBack(incidentID: string): Promise<void>;
}

/** Opens what readers know, in the bot's database. */
export function openAnnounced(database: Database, clock: () => Date): Announced {
  const locked = <T>(work: (trx: Kysely<BotTables>) => Promise<T>) =>
    database.withLock<BotTables, T>('announced', work);
  return {
    begin: (incidentID, { status, severity }) =>
      locked(async trx => {
        if ((await read(trx, incidentID)) !== undefined) return;
        await write(trx, incidentID, { status, severity, lines: [], posted: [] });
        await markAnnounced(trx, incidentID);
      }),
    known: incidentID => read(database.as<BotTables>(), incidentID),
    add: (incidentID, { status, severity }, words, updates) =>
      locked(async trx => {
        const { lines: before = [], posted = [] } = (await read(trx, incidentID)) ?? {};
        const since = clock().getTime();
        const lines = words.map(each => ({ id: randomUUID(), words: each, since }));
        await write(trx, incidentID, { status, severity, lines: [...before, ...lines], posted });
        if (updates.length > 0) await markAnnounced(trx, incidentID, updates);
        return [
          ...before.map(each => ({ ...each, mayStand: true })),
          ...lines.map(each => ({ ...each, mayStand: false })),
        ];
      }),
    said: (incidentID, { id }, ts) =>
      locked(async trx => {
        const stored = await read(trx, incidentID);
        if (!stored) return;
        const posted = ts === '' ? stored.posted : [...stored.posted, ts];
        await write(trx, incidentID, { ...stored, lines: stored.lines.filter(each => each.id !== id), posted });
      }),
    lines: async incidentID => {
      const { posted = [], lines: pending = [] } = (await read(database.as<BotTables>(), incidentID)) ?? {};
      return { posted, pending };
    },
    takenBack: incidentID =>
      locked(async trx => {
        const stored = await read(trx, incidentID);
        if (stored) await write(trx, incidentID, { ...stored, lines: [], posted: [] });
      }),
  };
}

async function read(db: Kysely<BotTables>, incidentID: string): Promise<z.output<typeof Stored> | undefined> {
  const row = await db
    .selectFrom('bot_room')
    .select('announced')
    .where('incident_id', '=', incidentID)
    .executeTakeFirst();
  return row && row.announced !== '' ? Stored.safeParse(JSON.parse(row.announced)).data : undefined;
}

async function write(db: Kysely<BotTables>, incidentID: string, stored: z.output<typeof Stored>): Promise<void> {
  const announced = JSON.stringify(stored);
  await db.updateTable('bot_room').set({ announced }).where('incident_id', '=', incidentID).execute();
}

/** The readers know these updates, or all of the incident. */
async function markAnnounced(db: Kysely<BotTables>, incidentID: string, ids?: readonly string[]): Promise<void> {
  const all = db.updateTable('bot_update').set({ is_announced: 1 }).where('incident_id', '=', incidentID);
  await (ids === undefined ? all : all.where('activity_item_id', 'in', [...ids])).execute();
}
