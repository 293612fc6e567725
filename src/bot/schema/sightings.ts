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

/** The name under which it is noted that a channel has another id: the doctor tells of settings that name the old one. */
export function movedChannel(oldId: string, newId: string): string {
  return `channel ${oldId} is ${newId}`;
}

/** The old and the new id in such a name; undefined for any other one. */
export function readMovedChannel(name: string): readonly [oldId: string, newId: string] | undefined {
  const [, oldId, newId] = /^channel (\w{1,40}) is (\w{1,40})$/.exec(name) ?? [];
  return oldId && newId ? [oldId, newId] : undefined;
}
