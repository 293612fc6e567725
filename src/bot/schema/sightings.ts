import { table, text } from '../../db/tables.ts';

/** What has arrived from Slack, and when it last did. */
export const sightings = table({
  name: 'bot_sighting',
  columns: {
    /** `command /task`, `event app_mention`, `channel C1 is C2`, or `delivery` for anything that came over signed HTTP. */
    name: text({ key: true }),
    /** RFC 3339. */
    seen_at: text(),
  },
});

/** The name under which it is noted that a channel has another id. The doctor tells of settings that name the old one. */
export const movedChannel = {
  write: (oldId: string, newId: string) => `channel ${oldId} is ${newId}`,
  /** The old and the new id; undefined for any other name. */
  read: (name: string) => {
    const [, oldId, newId] = /^channel (\w{1,40}) is (\w{1,40})$/.exec(name) ?? [];
    return oldId && newId ? ([oldId, newId] as const) : undefined;
  },
};
