import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { laneLock } from '../../journal/rows.ts';
import { keepFor } from '../../keep-for.ts';
import type { LinePlace, LineTable } from '../../schema/lines.ts';
import type { BotTables } from '../../schema/tables.ts';
import { addLine, messagesOfHour, type NewLine, rewordLine } from './outbox.ts';

/** A message, with all its lines in the order of the changes. */
export interface LineMessage extends Pick<LineTable, 'place' | 'channel' | 'thread' | 'audience'> {
  /** The first line. */
  readonly id: string;
  readonly lines: readonly LineTable[];
  /** Slack's time of it; `""` when it has none or that is not known. */
  readonly ts: string;
  /** It may stand in Slack although its time is not known. */
  readonly mayStand: boolean;
  readonly begunAt: Date;
}

/** A line as it is stored. */
export type StoredLine = LineTable;

/** What the pace of a room depends on. Times are epoch milliseconds. */
export interface Waiting {
  /** When the latest changes were done, newest first. */
  readonly changes: readonly number[];
  /** A line waits to be shown, or to be shown as it is. */
  readonly isAny: boolean;
  /** One of them must be noticed at once. */
  readonly isUrgent: boolean;
}

/** The lines of all incidents, for the process that shows one. */
export interface Lines {
  /** Stores lines that belong to no intent's end, unless they are stored. */
  add(added: readonly NewLine[]): Promise<void>;
  /** The message that lines which wait would join; undefined when they would begin one. */
  joined(incidentID: string, perHour: number): Promise<LineMessage | undefined>;
  /** Nothing joins that message any more. */
  close(message: LineMessage): Promise<void>;
  /**
   * The messages at these places that Slack does not show as they are to be, oldest first; `urgent`: up to the last one that people must
   * notice. Lines of a room without a message get one: that of the same person's last minute, the last one when the room has had enough
   * messages within a minute, or `perHour` within an hour, else a new one.
   */
  due(incidentID: string, which: DueLines): Promise<readonly LineMessage[]>;
  /** Slack shows the message as it is here, under that time; `""` when it never will. Then nothing joins it. */
  said(message: LineMessage, ts: string): Promise<void>;
  /** The lines where an incident was declared. */
  origins(incidentID: string): Promise<readonly StoredLine[]>;
  /** Gives a line other words. */
  reword(id: string, words: string): Promise<void>;
  /** The messages about an incident that people outside its room may read: each stands in Slack, or may. */
  outside(incidentID: string): Promise<readonly LineMessage[]>;
  /** The newest lines of a room, newest first, shown or not. */
  newest(incidentID: string, most: number): Promise<readonly StoredLine[]>;
  waiting(incidentID: string): Promise<Waiting>;
  /** Deletes some old lines of rooms; returns how many. Those that outsiders read are kept as long as their incident. */
  purge(now: Date): Promise<number>;
}

/** Which lines are due. */
interface DueLines {
  readonly places: readonly LinePlace[];
  readonly which: 'all' | 'urgent';
  readonly perHour: number;
}

/** Lines deleted together. */
const purgedTogether = 500;
/** How many of the latest changes tell how busy a room is. */
const latestChanges = 16;

/** Opens the lines in the bot's database. */
export function openLines(database: Database, clock: () => Date): Lines {
  const db = database.as<BotTables>();
  const of = (some: Kysely<BotTables>, incidentID: string) =>
    some.selectFrom('bot_line').selectAll().where('incident_id', '=', incidentID);
  const unsaid = (some: Kysely<BotTables>, incidentID: string) =>
    of(some, incidentID).where('is_said', '=', 0).orderBy('seq');
  // An undo marks lines under this lock.
  const locked = <T>(incidentIDs: readonly string[], work: (trx: Kysely<BotTables>) => Promise<T>) =>
    database.withLock<BotTables, T>(laneLock(incidentIDs), work);

  /** How lines that wait are given messages. */
  async function placing(some: Kysely<BotTables>, incidentID: string, perHour: number): Promise<Placing> {
    const now = clock().getTime();
    const inRoom = of(some, incidentID).where('place', '=', 'room');
    const last = await inRoom
      .where('message', '!=', '')
      .orderBy('begun_at', 'desc')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    const begun = await messagesOfHour(some, incidentID, now);
    const lately = begun.filter(each => each.begun_at > now - 60_000).length;
    return { last, begun: begun.length, lately, perHour, now };
  }

  async function messages(some: Kysely<BotTables>, ids: readonly string[], fresh: ReadonlySet<string> = new Set()) {
    if (ids.length === 0) return [];
    const rows = await some
      .selectFrom('bot_line')
      .selectAll()
      .where('message', 'in', [...new Set(ids)])
      .orderBy('begun_at')
      .orderBy('seq')
      .execute();
    return [...new Set(rows.map(row => row.message))].map(id => toMessage(id, rows, fresh.has(id)));
  }

  return {
    add: added =>
      locked([...new Set(added.map(each => each.incidentID))], async trx => {
        for (const line of added) await addLine(trx as Kysely<NoTables>, line);
      }),
    joined: async (incidentID, perHour) => {
      const waiting = await unsaid(db, incidentID).where('place', '=', 'room').where('message', '=', '').execute();
      if (waiting.length === 0) return undefined;
      const joins = placeLines(waiting, await placing(db, incidentID, perHour)).find(each => !each.isNew);
      if (!joins || waiting.some(each => each.id === joins.message)) return undefined;
      return (await messages(db, [joins.message]))[0];
    },
    close: async ({ id }) => {
      await database.single<BotTables, unknown>(some =>
        some.updateTable('bot_line').set({ is_closed: 1 }).where('message', '=', id).execute(),
      );
    },
    due: async (incidentID, { places, which, perHour }) => {
      const isDue = unsaid(db, incidentID).where('place', 'in', [...places]);
      if ((await isDue.limit(1).executeTakeFirst()) === undefined) return [];
      return await locked([incidentID], async trx => {
        const all = await unsaid(trx, incidentID)
          .where('place', 'in', [...places])
          .execute();
        const last = all.findLastIndex(each => each.is_urgent === 1);
        const isOvertaken = (row: LineTable, at: number) => at <= last && (row.place === 'room' || row.is_urgent === 1);
        const due = which === 'all' ? all : all.filter(isOvertaken);
        const inRoom = due.filter(each => each.place === 'room');
        const now = clock().getTime();
        const placed = [
          ...placeLines(inRoom, await placing(trx, incidentID, perHour)),
          ...due
            .filter(each => each.place !== 'room' && each.message === '')
            .map(({ id }) => ({ id, message: id, begunAt: now, isNew: true })),
        ];
        for (const { id, message, begunAt, isNew } of placed) {
          const set = { message, begun_at: begunAt, ...(isNew ? { ts: '?' } : {}) };
          await trx.updateTable('bot_line').set(set).where('id', '=', id).execute();
        }
        const fresh = new Set(placed.filter(each => each.isNew).map(each => each.id));
        const ids = [...due, ...placed].map(each => each.message).filter(each => each !== '');
        return await messages(trx, ids, fresh);
      });
    },
    said: async ({ lines }, ts) => {
      const incidentIDs = lines.map(each => each.incident_id);
      await locked([...new Set(incidentIDs)], async trx => {
        for (const { id, undone_by, words } of lines) {
          const row = trx.updateTable('bot_line').where('id', '=', id);
          await row.set({ ts, ...(ts === '' ? { is_closed: 1 } : {}) }).execute();
          // It may have been undone or reworded meanwhile: then it is shown once more.
          await row.set({ is_said: 1 }).where('undone_by', '=', undone_by).where('words', '=', words).execute();
        }
      });
    },
    origins: async incidentID => await of(db, incidentID).where('place', '=', 'origin').execute(),
    reword: (id, words) => database.single<NoTables, void>(some => rewordLine(some, id, words)),
    outside: async incidentID => {
      const rows = await of(db, incidentID).where('audience', '=', 'readers').where('ts', '!=', '').execute();
      return rows.map(row => toMessage(row.message, rows, false));
    },
    newest: async (incidentID, most) =>
      await of(db, incidentID).where('place', '=', 'room').orderBy('seq', 'desc').limit(most).execute(),
    waiting: async incidentID => {
      const inRoom = of(db, incidentID).where('place', '=', 'room');
      const latest = await inRoom.orderBy('seq', 'desc').limit(latestChanges).execute();
      const unannounced = db
        .selectFrom('bot_room')
        .select('incident_id')
        .where('incident_id', '=', incidentID)
        .where('announcement_ts', '=', '');
      const rows = await unsaid(db, incidentID)
        .where(({ or, eb, not, exists }) => or([eb('place', '!=', 'announcement'), not(exists(unannounced))]))
        .execute();
      return {
        changes: latest.map(each => each.done_at),
        isAny: rows.length > 0,
        isUrgent: rows.some(each => each.is_urgent === 1),
      };
    },
    purge: async now => {
      const old = db
        .selectFrom('bot_line')
        .select('id')
        .where('place', '=', sql.lit('room' as const))
        .where('done_at', '<', now.getTime() - keepFor.lines)
        .limit(purgedTogether);
      const ids = (await old.execute()).map(each => each.id);
      if (ids.length > 0)
        await database.single<BotTables, unknown>(some => some.deleteFrom('bot_line').where('id', 'in', ids).execute());
      return ids.length;
    },
  };
}

/** Whether it tells of what people must notice. */
export function isUrgent({ lines }: LineMessage): boolean {
  return lines.some(each => each.is_urgent === 1 && each.is_said === 0);
}

function toMessage(id: string, rows: readonly LineTable[], isFresh: boolean): LineMessage {
  const lines = rows.filter(row => row.message === id);
  const { ts = '', place = 'room', channel = '', thread = '', audience = 'room', begun_at = 0 } = lines[0] ?? {};
  return {
    ...{ id, lines, place, channel, thread, audience },
    ts: ts === '?' ? '' : ts,
    mayStand: !isFresh && ts === '?',
    begunAt: new Date(begun_at),
  };
}

/** How long lines of one person join a message after it began, in milliseconds. */
const together = 60_000;

/** After so many messages within a minute, lines of anybody join the last one: each message is a write to Slack, and one more to read. */
const perMinute = 2;

/** A line that has a message. */
interface PlacedLine {
  readonly id: string;
  /** The first line of its message. */
  readonly message: string;
  /** When that was begun, in epoch milliseconds. */
  readonly begunAt: number;
  /** It is that first line. */
  readonly isNew: boolean;
}

/** The state of a room's messages. */
interface Placing {
  /** A line of its last message. */
  readonly last: Pick<LineTable, 'message' | 'begun_at' | 'actor' | 'is_alone' | 'is_closed'> | undefined;
  /** Messages begun within the last hour, and within the last minute. */
  readonly begun: number;
  readonly lately: number;
  /** So many of them are enough. */
  readonly perHour: number;
  readonly now: number;
}

/**
 * Gives each line without a message one. Lines of one person within a minute share a message. When a room has had enough messages within
 * a minute or an hour, lines of all people join the last one. A line that people must notice always begins one, and nothing joins that.
 */
export function placeLines(
  waiting: readonly Pick<LineTable, 'id' | 'actor' | 'is_alone' | 'message'>[],
  { last, begun, lately, perHour, now }: Placing,
): readonly PlacedLine[] {
  const placed: PlacedLine[] = [];
  let [open, added] = [last, 0];
  const isEnough = () => begun + added >= perHour || lately + added >= perMinute;
  for (const { id, actor, is_alone, message } of waiting) {
    if (message !== '') continue;
    const isOpen = open !== undefined && open.is_alone === 0 && open.is_closed === 0 && is_alone === 0;
    const isSame = open?.actor === actor && now - open.begun_at < together && now >= open.begun_at;
    if (open && isOpen && (isSame || isEnough())) {
      placed.push({ id, message: open.message, begunAt: open.begun_at, isNew: false });
      continue;
    }
    open = { message: id, begun_at: now, actor, is_alone, is_closed: 0 };
    added += 1;
    placed.push({ id, message: id, begunAt: now, isNew: true });
  }
  return placed;
}
