import type { Kysely } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { LineTable } from '../../schema/lines.ts';
import type { BotTables } from '../../schema/tables.ts';
import { placeLines } from './place.ts';

/*
 * The lines that tell a room of changes. A line is stored in the transaction that stores its change as done, so each change has one line and
 * no line is about a change that did not happen. Slack shows the lines later: the process that shows the incident's card posts them.
 */

/** A change as its line tells it. */
export interface NewLine {
  /** The intent that made the change. */
  readonly id: string;
  readonly incidentID: string;
  /** Who made it, as the journal knows its owner. */
  readonly actor: string;
  readonly askedAt: Date;
  readonly doneAt: Date;
  /** mrkdwn */
  readonly words: string;
  /** People must notice it: it stands in a message of its own. */
  readonly isAlone: boolean;
  /** A message with it may stand in Slack already; absent: none does. */
  readonly mayStand?: boolean;
}

/** A message in a room, with all its lines in the order of the changes. */
export interface LineMessage {
  /** The first line. */
  readonly id: string;
  readonly lines: readonly LineTable[];
  /** Slack's time of it; `""` when it has none or that is not known. */
  readonly ts: string;
  /** It may stand in Slack although its time is not known. */
  readonly mayStand: boolean;
  readonly begunAt: Date;
}

/** Stores a line, unless the incident has no room to tell. Called in the transaction that stores its change as done. */
export async function addLine(trx: Kysely<NoTables>, line: NewLine): Promise<void> {
  const db = trx.withTables<BotTables>();
  const room = db.selectFrom('bot_room').select('channel_id').where('incident_id', '=', line.incidentID);
  if (((await room.executeTakeFirst())?.channel_id ?? '') === '') return;
  const last = await db
    .selectFrom('bot_line')
    .select('seq')
    .where('incident_id', '=', line.incidentID)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  await db
    .insertInto('bot_line')
    .values({
      id: line.id,
      incident_id: line.incidentID,
      seq: (last?.seq ?? 0) + 1,
      actor: line.actor,
      asked_at: line.askedAt.getTime(),
      done_at: line.doneAt.getTime(),
      words: line.words,
      is_alone: line.isAlone ? 1 : 0,
      ...{ undone_by: '', message: '', begun_at: 0, ts: '', is_said: 0, is_closed: 0 },
      // Then its message is looked for, which is not older than the change was asked for.
      ...(line.mayStand ? { message: line.id, begun_at: line.askedAt.getTime(), ts: '?' } : {}),
    })
    .onConflict(conflict => conflict.column('id').doNothing())
    .execute();
}

/** The line of a change; undefined when it has none. */
export async function findLine(trx: Kysely<NoTables>, id: string): Promise<LineTable | undefined> {
  return await trx.withTables<BotTables>().selectFrom('bot_line').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Marks the line of a change that `by` took back (mrkdwn). Called in the transaction that stores the undo as done. */
export async function markLine(trx: Kysely<NoTables>, id: string, by: string): Promise<void> {
  const lines = trx.withTables<BotTables>().updateTable('bot_line');
  await lines.set({ undone_by: by, is_said: 0 }).where('id', '=', id).execute();
}

/** The line has other words now: its message is edited. Called under the lock of the journal. */
export async function rewordLine(trx: Kysely<NoTables>, id: string, words: string): Promise<void> {
  await trx.withTables<BotTables>().updateTable('bot_line').set({ words, is_said: 0 }).where('id', '=', id).execute();
}

/**
 * Which lines of a room are due: all, those up to the last one that people must notice, or of these only the messages that it may not
 * overtake. An edit of what stands above it comes later.
 */
export type DueLines = 'all' | 'up to the last urgent' | 'urgent';

/** A line as it is stored. */
export type StoredLine = LineTable;

/** The lines of all rooms, for the process that shows an incident. */
export interface Lines {
  /**
   * The messages of an incident's room that Slack does not show as they are to be, oldest first. Lines without a message get one: that
   * of the same person's last minute, the last one when the room has had enough messages within a minute, or `perHour` within an hour, else
   * a new one. Lines that are not due get none yet.
   */
  due(incidentID: string, perHour: number, which?: DueLines): Promise<readonly LineMessage[]>;
  /** Slack shows the message as it is here, under that time; `""` when it never will. Then nothing joins it. */
  said(message: LineMessage, ts: string): Promise<void>;
  /** Something else was posted in the room: no line joins what stands above it. */
  close(incidentID: string): Promise<void>;
  /** The newest lines of an incident, newest first, shown or not. */
  newest(incidentID: string, most: number): Promise<readonly StoredLine[]>;
  /** Deletes some old lines; returns how many. */
  purge(now: Date): Promise<number>;
  /** Resolves with whether lines of the incident wait to be shown. */
  areDue(incidentID: string): Promise<boolean>;
}

/** How long lines are kept, in milliseconds. */
const kept = 30 * 86_400_000;
/** Lines deleted together. */
const purgedTogether = 500;

/** Opens the lines in the bot's database. */
export function openLines(database: Database, clock: () => Date): Lines {
  const db = database.as<BotTables>();
  const unsaid = (some: Kysely<BotTables>, incidentID: string) =>
    some.selectFrom('bot_line').selectAll().where('incident_id', '=', incidentID).where('is_said', '=', 0);
  // An undo marks lines under this lock.
  const locked = <T>(work: (trx: Kysely<BotTables>) => Promise<T>) => database.withLock<BotTables, T>('journal', work);
  const isDue = async (incidentID: string) => (await unsaid(db, incidentID).limit(1).executeTakeFirst()) !== undefined;

  return {
    areDue: isDue,
    due: async (incidentID, perHour, which = 'all') => {
      if (!(await isDue(incidentID))) return [];
      return await locked(async trx => {
        const now = clock().getTime();
        const all = await unsaid(trx, incidentID).orderBy('seq').execute();
        const waiting = which === 'all' ? all : all.slice(0, all.findLastIndex(each => each.is_alone === 1) + 1);
        const recent = await trx
          .selectFrom('bot_line')
          .selectAll()
          .where('incident_id', '=', incidentID)
          .where('message', '!=', '')
          .orderBy('begun_at', 'desc')
          .orderBy('seq', 'desc')
          .limit(1)
          .execute();
        const begun = await trx
          .selectFrom('bot_line')
          .select('begun_at')
          .where('incident_id', '=', incidentID)
          .whereRef('message', '=', 'id')
          .where('begun_at', '>', now - 3_600_000)
          .execute();
        const lately = begun.filter(each => each.begun_at > now - 60_000).length;
        const placed = placeLines(waiting, { last: recent[0], begun: begun.length, lately, perHour, now });
        for (const { id, message, begunAt, isNew } of placed) {
          const begins = isNew ? { ts: '?' } : {};
          await trx
            .updateTable('bot_line')
            .set({ message, begun_at: begunAt, ...begins })
            .where('id', '=', id)
            .execute();
        }
        const messages = [...new Set([...waiting, ...placed].map(each => each.message).filter(each => each !== ''))];
        if (messages.length === 0) return [];
        const rows = await trx
          .selectFrom('bot_line')
          .selectAll()
          .where('message', 'in', messages)
          .orderBy('begun_at')
          .orderBy('seq')
          .execute();
        const fresh = new Set(placed.filter(each => each.isNew).map(each => each.id));
        const due = [...new Set(rows.map(row => row.message))].map(id => toMessage(id, rows, fresh.has(id)));
        return which === 'urgent' ? due.filter(each => each.ts === '' || isUrgent(each)) : due;
      });
    },
    said: async ({ lines }, ts) => {
      await locked(async trx => {
        for (const { id, undone_by, words } of lines) {
          const row = trx.updateTable('bot_line').where('id', '=', id);
          await row.set({ ts, ...(ts === '' ? { is_closed: 1 } : {}) }).execute();
          // It may have been undone or reworded meanwhile: then it is shown once more.
          await row.set({ is_said: 1 }).where('undone_by', '=', undone_by).where('words', '=', words).execute();
        }
      });
    },
    close: async incidentID => {
      await locked(trx =>
        trx
          .updateTable('bot_line')
          .set({ is_closed: 1 })
          .where('incident_id', '=', incidentID)
          .where('message', '!=', '')
          .where('is_closed', '=', 0)
          .execute(),
      );
    },
    newest: async (incidentID, most) =>
      await db
        .selectFrom('bot_line')
        .selectAll()
        .where('incident_id', '=', incidentID)
        .orderBy('seq', 'desc')
        .limit(most)
        .execute(),
    purge: async now => {
      const old = db
        .selectFrom('bot_line')
        .select('id')
        .where('done_at', '<', now.getTime() - kept)
        .limit(purgedTogether);
      const ids = (await old.execute()).map(each => each.id);
      if (ids.length > 0) await locked(trx => trx.deleteFrom('bot_line').where('id', 'in', ids).execute());
      return ids.length;
    },
  };
}

/** Whether it tells of what people must notice. */
export function isUrgent({ lines }: LineMessage): boolean {
  return lines.some(each => each.is_alone === 1);
}

function toMessage(id: string, rows: readonly LineTable[], isFresh: boolean): LineMessage {
  const lines = rows.filter(row => row.message === id);
  const [first] = lines;
  const ts = first?.ts ?? '';
  return {
    ...{ id, lines },
    ts: ts === '?' ? '' : ts,
    mayStand: !isFresh && ts === '?',
    begunAt: new Date(first?.begun_at ?? 0),
  };
}
