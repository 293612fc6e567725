import { integer, table, text } from '../../db/tables.ts';

/** An incident that was made elsewhere and is announced. Flags are 0 or 1; times are epoch milliseconds. */
export const foundIncidents = table({
  name: 'bot_found',
  columns: {
    incident_id: text({ key: true }),
    found_at: integer(),
    /** When it was made, as the API says. */
    created_time: text(),
    /** The message that names it among others, by the id of its row among the rooms; `""`: it is announced alone. */
    burst: text(),
    /** The line that names it there, as mrkdwn. */
    line: text(),
    /** It has no room and goes on (`free`), has a room (`taken`), or is over. */
    state: text<'free' | 'taken' | 'over'>(),
    /** What follows from the decision was begun: its room is being made. */
    is_settled: integer(),
    /** People who read the message may know nothing of it any more. */
    is_hidden: integer(),
  },
  indexes: {
    bot_found_burst: ['burst'],
    bot_found_at: ['found_at'],
  },
});
