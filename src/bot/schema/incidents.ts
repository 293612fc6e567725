import { integer, table, text } from '../../db/tables.ts';

/** An incident as the API last showed it. Moments are epoch milliseconds, so that they compare. */
export const snapshots = table({
  name: 'bot_incident',
  columns: {
    incident_id: text({ key: true }),
    /** JSON. */
    snapshot: text(),
    /** When the incident was declared; 0 when that is not known. */
    created_at: integer(),
    seen_at: integer(),
  },
  indexes: {
    bot_incident_created: ['created_at'],
    bot_incident_seen: ['seen_at'],
  },
});
