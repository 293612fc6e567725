import { integer, table, text } from '../../db/tables.ts';

/**
 * A message in Slack that became a note on a timeline, or will. The incident, who noted it and when, and whether that is done, are those
 * of the intent that adds the note: the row goes when that is deleted.
 */
export const messageNotes = table({
  name: 'bot_message_note',
  columns: {
    /** The intent that adds the note. */
    intent_id: text({ key: true, references: 'bot_intent.id' }),
    /** The workspace of who adds it. */
    team_id: text(),
    channel_id: text(),
    /** Slack's time of the message. */
    ts: text(),
    /** The order of the notes of one message. */
    seq: integer(),
    /** The note on the timeline; `""` before it is written. */
    activity_item_id: text(),
    /** The newest intent that brings the note up to date with its message's words; `""` for none. */
    followed_by: text(),
    /** The intent that removes the note; `""` for none. */
    removed_by: text(),
  },
  indexes: { bot_message_note_message: ['channel_id', 'ts'], bot_message_note_item: ['activity_item_id'] },
});
