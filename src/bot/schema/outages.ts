import { integer, table, text } from '../../db/tables.ts';

/** An outage of the API that a room was told of, while it goes on. Times are epoch milliseconds. */
export const outages = table({
  name: 'bot_outage',
  columns: {
    incident_id: text({ key: true }),
    /** Its line in the room. */
    line_id: text(),
    since: integer(),
    /** How many changes wait for its end, as the line says. */
    saved: integer(),
  },
});
