import { type Kysely, sql } from 'kysely';
import type { NoTables } from '../../db/engine.ts';
import type { Migration } from '../../db/migrate.ts';

/**
 * Where a line stands: in the incident's room, in the thread of its announcement, or where it was declared. `posted`: a message that somebody
 * had posted elsewhere shows the incident; the row has no words of its own.
 */
export type LinePlace = 'room' | 'announcement' | 'origin' | 'posted';
/** Who reads a line: those of a room that is not quiet, everybody in a channel, or people outside the room. */
export type LineAudience = 'room' | 'channel' | 'readers';

/** The act that a line offers to those who read it: the end or the return of the incident, or what it reminds of. */
export type LineOffer = 'resolve' | 'reopen' | 'update' | 'lead' | '';

/** A line that tells people of one change. Flags are 0 or 1; times are epoch milliseconds. */
export type LineTable = {
  id: string;
  incident_id: string;
  /** The order of the changes of one incident. */
  seq: number;
  /** The intent that made the change. An undo of that intent marks all its lines. `""`: the change has no undo. */
  act: string;
  /** Who made it, as `team/user`. */
  actor: string;
  asked_at: number;
  done_at: number;
  place: LinePlace;
  channel: string;
  /** The thread in which it stands where it was declared; `""` for none. Other threads are those of the room's messages. */
  thread: string;
  audience: LineAudience;
  /** mrkdwn */
  words: string;
  /** It stands in a message of its own. */
  is_alone: number;
  /** People must notice it at once. */
  is_urgent: number;
  /** The act that its message offers; `""` for none. */
  offers: LineOffer;
  /** Who took the change back, as mrkdwn; `""` when it stands. */
  undone_by: string;
  /** The first line of its message; `""` before it has one. */
  message: string;
  /** When its message was begun; 0 before. */
  begun_at: number;
  /** Slack's time of its message; `?` when it may or may not stand in Slack; `""` when it has none. */
  ts: string;
  /** Slack shows it as it is to be, or never will. */
  is_said: number;
  /** No further line joins its message. */
  is_closed: number;
};

/** Makes the table of lines, and what a room says of how it is told. */
export const createLines: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_line')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('incident_id', 'text', column => column.notNull())
    .addColumn('seq', 'integer', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('asked_at', 'integer', column => column.notNull())
    .addColumn('done_at', 'integer', column => column.notNull())
    .addColumn('words', 'text', column => column.notNull())
    .addColumn('is_alone', 'integer', column => column.notNull())
    .addColumn('undone_by', 'text', column => column.notNull())
    .addColumn('message', 'text', column => column.notNull())
    .addColumn('begun_at', 'integer', column => column.notNull())
    .addColumn('ts', 'text', column => column.notNull())
    .addColumn('is_said', 'integer', column => column.notNull())
    .addColumn('is_closed', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_line_order').on('bot_line').columns(['incident_id', 'seq']).unique().execute();
  await db.schema.createIndex('bot_line_message').on('bot_line').column('message').execute();
  await db.schema
    .alterTable('bot_room')
    .addColumn('receipts', 'text', column => column.notNull().defaultTo(''))
    .execute();
};

/** Gives each line its place, audience and act, so that the lines of announcements and of changes elsewhere are rows too. */
export const widenLines: Migration['up'] = async db => {
  for (const [column, usual] of [
    ['act', ''],
    ['place', 'room'],
    ['channel', ''],
    ['thread', ''],
    ['audience', 'room'],
  ] as const) {
    await db.schema
      .alterTable('bot_line')
      .addColumn(column, 'text', it => it.notNull().defaultTo(usual))
      .execute();
  }
  await db.schema
    .alterTable('bot_line')
    .addColumn('is_urgent', 'integer', it => it.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('bot_line_act').on('bot_line').column('act').execute();
  await sql`
    update bot_line set act = id, is_urgent = is_alone, channel = coalesce(
      (select channel_id from bot_room where bot_room.incident_id = bot_line.incident_id), '')`.execute(db);
  await moveNews(db);
  // A line about changes elsewhere that was not said is found anew, as a difference.
  await sql`update bot_told set facts = line_from where is_said = 0 and line_from <> ''`.execute(db);
  for (const column of ['line_id', 'line_from', 'line_at', 'line_ts', 'is_said'])
    await db.schema.alterTable('bot_told').dropColumn(column).execute();
  // The line at the place of a declaration is a row; the intent that posted it is of no kind any more.
  await sql`update bot_intent set state = 'discarded', tell = 'nobody' where kind = 'declare.origin' and state in ('pending', 'running')`.execute(
    db,
  );
  await db.schema.alterTable('bot_room').dropColumn('announced').execute();
  await db.schema.alterTable('bot_update').dropColumn('is_announced').execute();
};

/** The lines below announcements: those that wait, and those that stand, of which only the place is known. */
async function moveNews(db: Kysely<NoTables>): Promise<void> {
  const { rows } = await sql<{ incident_id: string; announced: string; channel: string }>`
    select incident_id, announced, announcement_channel_id as channel from bot_room where announced <> ''`.execute(db);
  for (const { incident_id, announced, channel } of rows) {
    const { lines = [], posted = [] } = JSON.parse(announced) as {
      readonly lines?: readonly { readonly id: string; readonly words: string; readonly since: number }[];
      readonly posted?: readonly string[];
    };
    const { rows: last } = await sql<{ seq: number | null }>`
      select max(seq) as seq from bot_line where incident_id = ${incident_id}`.execute(db);
    const standing = posted.map(ts => ({ id: `news/${channel}/${ts}`, words: '', since: Number(ts) * 1000, ts }));
    const waiting = lines.map(each => ({ ...each, ts: '?' }));
    for (const [index, { id, words, since, ts }] of [...standing, ...waiting].entries()) {
      await db
        .withTables<{ bot_line: Omit<LineTable, 'offers'> }>()
        .insertInto('bot_line')
        .values({
          ...{ id, incident_id, seq: Number(last[0]?.seq ?? 0) + 1 + index, act: '', actor: '', words, channel, ts },
          ...{ asked_at: since, done_at: since, begun_at: since, place: 'announcement', audience: 'readers' },
          ...{ thread: '', message: id, is_alone: 1, is_urgent: 1, undone_by: '', is_closed: 1 },
          is_said: ts === '?' ? 0 : 1,
        })
        .execute();
    }
  }
}
