import { integer, table, text } from '../../db/tables.ts';

/**
 * Words that stand first of an incident: an update, a note that says how it stands; its summary; or what ended it. Flags are 0 or 1; times
 * are epoch milliseconds.
 */
export const updates = table({
  name: 'bot_update',
  columns: {
    /** Its note on the timeline. */
    activity_item_id: text({ key: true }),
    incident_id: text(),
    /** Its words, without sign and foot. */
    text: text(),
    /** Who gave it, as mrkdwn. */
    given_by: text(),
    given_at: integer(),
    /** When the next one is due; 0 when none was promised. */
    next_at: integer(),
    /** The card counts the promised one as overdue. */
    is_overdue: integer(),
    /** `update`, `summary` or `outcome`. */
    kind: text({ default: 'update' }),
    /** The summary that the API itself had when this one was written; `""` for none. */
    api_summary: text({ default: '' }),
  },
  indexes: {
    bot_update_incident: ['incident_id', 'given_at'],
    bot_update_next: ['is_overdue', 'next_at'],
  },
});
