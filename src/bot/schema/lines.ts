import { sql } from 'kysely';
import { integer, type RowOf, table, text } from '../../db/tables.ts';
import type { dutyKinds } from './duties.ts';

/**
 * Where a line stands: in the incident's room, in the thread of its announcement, or where it was declared. `posted`: a message that a person
 * had posted elsewhere shows the incident; the row has no words of its own.
 */
export type LinePlace = 'room' | 'announcement' | 'origin' | 'posted';
/** Who reads a line: those of a room that is not quiet, everybody in a channel, or people outside the room. */
export type LineAudience = 'room' | 'channel' | 'readers';

/** The act that a line offers to those who read it: the end or the return of the incident, or what it reminds of. */
export type LineOffer = 'resolve' | 'reopen' | 'raise' | (typeof dutyKinds)[number] | '';

/** A line that tells people of one change. Flags are 0 or 1; times are epoch milliseconds. */
export const lines = table({
  name: 'bot_line',
  columns: {
    id: text({ key: true }),
    incident_id: text(),
    /** The order of the changes of one incident. */
    seq: integer(),
    /** Who made it, as `team/user`. */
    actor: text(),
    asked_at: integer(),
    done_at: integer(),
    /** mrkdwn */
    words: text(),
    /** It has a message of its own. */
    is_alone: integer(),
    /** Who took the change back, as mrkdwn; `""` when it stands. */
    undone_by: text(),
    /** The first line of its message; `""` before it has one. */
    message: text(),
    /** When its message was begun; 0 before. */
    begun_at: integer(),
    /** Slack's time of its message; `?` when Slack may or may not show it; `""` when it has none. */
    ts: text(),
    /** 1 once Slack shows the final text, or has refused it for good. */
    is_said: integer(),
    /** No further line joins its message. */
    is_closed: integer(),
    /** The intent that made the change. An undo of that intent marks all its lines. `""`: the change has no undo. */
    act: text({ default: '' }),
    place: text<LinePlace>({ default: 'room' }),
    channel: text({ default: '' }),
    /** The thread in which it stands where it was declared; `""` for none. Other threads are those of the room's messages. */
    thread: text({ default: '' }),
    audience: text<LineAudience>({ default: 'room' }),
    /** People must notice it at once. */
    is_urgent: integer({ default: 0 }),
    /** The act that its message offers; `""` for none. */
    offers: text<LineOffer>({ default: '' }),
    /** Its channel took no post when it was said last: it is said once the channel opens. */
    is_refused: integer({ default: 0, since: '045-rooms-back' }),
  },
  indexes: {
    bot_line_order: { on: ['incident_id', 'seq'], unique: true },
    bot_line_message: ['message'],
    bot_line_act: ['act'],
    // Without a condition it would be taken for all of a room's lines.
    bot_line_age: { on: ['done_at'], where: sql`place = 'room'`, since: '036-outdated' },
    bot_line_refused: { on: ['channel'], where: sql`is_refused = 1`, since: '045-rooms-back' },
  },
});
/** A row of {@link lines}. */
export type LineTable = RowOf<typeof lines>;
