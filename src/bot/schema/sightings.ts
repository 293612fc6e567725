import { table, text } from '../../db/tables.ts';

/** What has arrived from Slack, and when it last did. */
export const sightings = table({
  name: 'bot_sighting',
  columns: {
    /** `command /task`, `event app_mention`, or `delivery` for anything that came over signed HTTP. */
    name: text({ key: true }),
    /** RFC 3339. */
    seen_at: text(),
  },
});
