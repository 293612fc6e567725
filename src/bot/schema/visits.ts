import { integer, table, text } from '../../db/tables.ts';

/** What a person has seen of an incident. Times are epoch milliseconds; 0 for never. */
export const visits = table({
  name: 'bot_visit',
  columns: {
    incident_id: text(),
    /** Slack id of the person. */
    user_id: text(),
    /** When they last looked at it or acted in it. */
    seen_at: integer(),
    /** When they were offered to be caught up, as somebody who joined its room late. */
    offered_at: integer(),
  },
  key: ['incident_id', 'user_id'],
  keyName: 'bot_visit_person',
  indexes: {
    bot_visit_seen: ['seen_at'],
  },
});
