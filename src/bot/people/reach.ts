import { toMrkdwn } from '../text/blocks.ts';
import { ownZone } from '../text/zones.ts';
import { whyNotCalled } from './access.ts';
import type { People } from './directory.ts';

/**
 * The names of the people whom a call or a page can reach (mrkdwn), in their order: no guest, stranger, bot, and nobody who left or whom Slack
 * does not know. With a moment, each with the time of day where they are: `bob (07:15)`. Throws Slack's error.
 */
export async function namesReached(
  people: Pick<People, 'find'>,
  ids: readonly string[],
  now?: Date,
): Promise<readonly string[]> {
  const found = await Promise.all(ids.map(id => people.find(id)));
  return found.flatMap(person => {
    if (person === undefined || whyNotCalled(person, '') !== undefined) return [];
    const { timeZone } = person;
    const clock = now && timeZone !== '' ? ` (${clockIn(timeZone, now)})` : '';
    return [`${toMrkdwn(person.name || 'somebody', 80)}${clock}`];
  });
}

function clockIn(timeZone: string, now: Date): string {
  return new Date(now.getTime() + ownZone(timeZone).offsetAt(now) * 60_000).toISOString().slice(11, 16);
}
