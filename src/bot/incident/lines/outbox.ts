import { type Kysely, sql } from 'kysely';
import type { NoTables } from '../../../db/engine.ts';
import { definePreparedChange } from '../../../db/prepared.ts';
import type { LineAudience, LineOffer, LinePlace, LineTable } from '../../schema/lines.ts';
import type { BotTables } from '../../schema/tables.ts';

/*
 * The outbox: the lines that a room, the thread of an announcement or the place of a declaration reads. A line tells of a change, an outage, a
 * reminder or an alert; some changes have none (`act-lines.ts`). The line of a change is stored in the transaction that stores the change as done, so
 * no line is about a change that did not happen. The process that shows the incident posts the lines later (`store.ts`, `sender.ts`).
 */

/** A change as a line tells it. */
export interface NewLine {
  readonly id: string;
  readonly incidentID: string;
  /** The intent that made the change; absent when it cannot be taken back. */
  readonly act?: string;
  /** The person who made it, as the journal knows its owner. */
  readonly actor: string;
  readonly askedAt: Date;
  readonly doneAt: Date;
  /** mrkdwn */
  readonly words: string;
  /** Absent: the room. */
  readonly place?: LinePlace;
  /** Absent: the room's own, or that of the announcement. */
  readonly channel?: string;
  readonly thread?: string;
  /** Absent: those of a room that is not quiet. */
  readonly audience?: LineAudience;
  /** It has a message of its own. */
  readonly isOwnMessage: boolean;
  /** The act that it offers; absent or `""`: none. */
  readonly offers?: LineOffer;
  /** People must notice it at once; absent: if it has a message of its own. */
  readonly isUrgent?: boolean;
  /** Slack may show a message with it already; absent: it shows none. */
  readonly mayAlreadyExist?: boolean;
  /** Slack's time of the message with it; absent: Slack shows none. */
  readonly standsAt?: string;
}

/** The members of a line in the thread of the announcement. */
export const forReaders = { place: 'announcement', audience: 'readers', isOwnMessage: true } as const;

/** Stores a line, unless the incident has no such place. Called under the lock of the journal. */
export async function addLine(trx: Kysely<NoTables>, line: NewLine): Promise<void> {
  const db = trx.withTables<BotTables>();
  const [row, { incidentID, place = 'room' }] = [toRow(line), line];
  if (line.channel === '') return;
  if (line.channel !== undefined) {
    const rows = db.insertInto('bot_line').values({ ...row, seq: seqAfter(incidentID), channel: line.channel });
    await rows.onConflict(conflict => conflict.column('id').doNothing()).execute();
    return;
  }
  await (place === 'room' ? addToRoom : addToAnnouncement)(db, row);
}

/** A line without its place in the order and its channel. */
function toRow(line: NewLine) {
  const { id, incidentID, place = 'room', audience = 'room', isOwnMessage, isUrgent = isOwnMessage } = line;
  return {
    ...{ id, incident_id: incidentID, place, audience },
    ...{ act: line.act ?? '', actor: line.actor, words: line.words, thread: line.thread ?? '' },
    ...{ asked_at: line.askedAt.getTime(), done_at: line.doneAt.getTime() },
    ...{ is_alone: isOwnMessage ? 1 : 0, is_urgent: isUrgent ? 1 : 0 },
    offers: line.offers ?? '',
    ...{ undone_by: '', message: '', begun_at: 0, ts: '', is_said: 0, is_closed: 0, is_refused: 0 },
    // Then its message is looked for, which is not older than the change was asked for.
    ...(line.mayAlreadyExist ? { message: id, begun_at: line.askedAt.getTime(), ts: '?' } : {}),
    ...(line.standsAt ? { message: id, begun_at: line.doneAt.getTime(), ts: line.standsAt, is_said: 1 } : {}),
  };
}

type PlacedRow = ReturnType<typeof toRow>;

/** Adds a line in the channel that a column of its room names, if there is one. */
function defineAdd(column: 'channel_id' | 'announcement_channel_id') {
  return definePreparedChange<BotTables, PlacedRow>((db, row) => {
    const names = Object.keys(row) as (keyof PlacedRow)[];
    const values = names.map(name => sql`${row[name]}`.as(name));
    const room = db.selectFrom('bot_room').where('incident_id', '=', row.incident_id).where(column, '!=', sql.lit(''));
    return db
      .insertInto('bot_line')
      .columns([...names, 'seq', 'channel'])
      .expression(room.select([...values, seqAfter(row.incident_id).as('seq'), `${column} as channel`]))
      .onConflict(conflict => conflict.column('id').doNothing());
  });
}

const addToRoom = defineAdd('channel_id');
const addToAnnouncement = defineAdd('announcement_channel_id');

/** The place in the order after all lines of an incident. */
function seqAfter(incidentID: unknown) {
  return sql<number>`(select coalesce(max(seq), 0) + 1 from bot_line where incident_id = ${incidentID})`;
}

/** The lines of a change, in all places. */
export async function findLines(trx: Kysely<NoTables>, act: string): Promise<readonly LineTable[]> {
  return await trx.withTables<BotTables>().selectFrom('bot_line').selectAll().where('act', '=', act).execute();
}

/**
 * Marks the lines of a change that `by` took back (mrkdwn), in all places. Called in the transaction that stores the undo as done.
 * `isUrgent`: people must notice it, though the lines share their messages.
 */
export async function markLines(trx: Kysely<NoTables>, act: string, by: string, isUrgent: boolean): Promise<void> {
  await trx
    .withTables<BotTables>()
    .updateTable('bot_line')
    .set({ undone_by: by, is_said: 0, is_urgent: isUrgent ? 1 : sql<number>`is_alone` })
    .where('act', '=', act)
    .execute();
}

/** Gives a line other words: its message is edited. Called under the lock of the journal. */
export async function rewordLine(trx: Kysely<NoTables>, id: string, words: string): Promise<void> {
  await trx.withTables<BotTables>().updateTable('bot_line').set({ words, is_said: 0 }).where('id', '=', id).execute();
}

/** How the id begins of the line that says that the card cannot be changed. */
export const oldCardMark = 'old card/';

/** The id of the line that is a reminder. */
export const reminderLine = {
  /** The reminder of a duty that has this number. */
  write: (duty: string, said: number) => `duty/${duty}/${said}`,
  /** The duty behind a line; undefined for a line that is no reminder. */
  dutyOf: (line: string) => /^duty\/([^/]+)\//.exec(line)?.[1],
};

/**
 * Slack takes no post with this reminder in the room: it is said at once to those whom the announcement reaches, and in the room once that
 * takes posts. Any other line is left alone. Called under the lock of the journal.
 */
export async function passReminder(trx: Kysely<NoTables>, line: string, now: number): Promise<void> {
  const duty = reminderLine.dutyOf(line);
  if (duty === undefined) return;
  const db = trx.withTables<BotTables>();
  await db.updateTable('bot_line').set({ offers: '' }).where('id', '=', line).execute();
  await db
    .updateTable('bot_duty')
    .set({ passed_to: 'readers', snoozed_until: now, look_at: now })
    .where('id', '=', duty)
    .where('state', '=', 'owed')
    .where(sql`${line}`, '=', sql`'duty/' || id || '/' || (said - 1)`)
    .execute();
}

/**
 * Gives a reminder other words; `offers` is the act that it offers then, undefined: as before. If it is not posted yet and offers nothing
 * now, it is never posted; and what Slack refused stays so. Called under the lock of the journal.
 */
export async function closeLine(
  trx: Kysely<NoTables>,
  id: string,
  words: string,
  offers: LineOffer | undefined,
): Promise<void> {
  const db = trx.withTables<BotTables>();
  const isOver = offers === '' ? { is_closed: sql<number>`case when message = '' then 1 else is_closed end` } : {};
  const set = { words, is_said: 0, ...(offers === undefined ? {} : { offers }), ...isOver };
  const lines = db.updateTable('bot_line').set(set).where('id', '=', id);
  await lines.where(({ or, eb }) => or([eb('is_said', '=', 0), eb('ts', '!=', '')])).execute();
}

/** The messages that a room was given within the hour before a moment, in epoch milliseconds. */
export async function messagesOfHour(
  db: Kysely<BotTables>,
  incidentID: string,
  now: number,
): Promise<readonly Pick<LineTable, 'begun_at'>[]> {
  return await db
    .selectFrom('bot_line')
    .select('begun_at')
    .where('incident_id', '=', incidentID)
    .where('place', '=', 'room')
    .whereRef('message', '=', 'id')
    .where('begun_at', '>', now - 3_600_000)
    .execute();
}
