import { toMrkdwn } from '../text/blocks.ts';
import { ownZone } from '../text/zones.ts';
import type { People } from './directory.ts';
import type { Person } from './person.ts';

/**
 * Why a person is out of reach. `unknown`: Slack does not know them here. `stranger`: they are of another organisation. `left`: their account
 * is deactivated. `bot`: Slackbot too. `guest`: they read, and neither act nor come (docs/decisions.md, Guests and strangers).
 */
export type Absence = 'unknown' | 'stranger' | 'left' | 'bot' | 'guest';

/**
 * The one rule for who is told of an incident, who acts on it, and who is called to it: why a person is not, undefined when they are. Whether
 * they see the incident is another question (`visibility.ts`).
 */
export function whyOut(person: Person | undefined, what: 'told' | 'act' | 'called'): Absence | undefined {
  if (person === undefined) return 'unknown';
  if (person.isStranger) return 'stranger';
  if (person.isDeleted) return 'left';
  if (person.isBot) return 'bot';
  return person.isGuest && what !== 'told' ? 'guest' : undefined;
}

/** The words behind the name of a person who left. */
export const leftWords = ' (has left)';

/**
 * Those of some people who cannot act, and why, by Slack id. While Slack has never said who a person is, nobody can tell, and they are none
 * of them.
 */
export async function absentOf(people: People, userIds: readonly string[]): Promise<ReadonlyMap<string, Absence>> {
  const out = [...(await people.latest(userIds))].map(([id, person]) => [id, whyOut(person, 'act')] as const);
  return new Map(out.flatMap(([id, why]) => (why === undefined ? [] : [[id, why] as const])));
}

/** Those of some users of the API who cannot act, and why, by their ids in the API. A user whom Slack does not know is none of them. */
export async function absentUsers(
  people: People,
  users: readonly { readonly userID: string }[],
): Promise<ReadonlyMap<string, Absence>> {
  const ids = await Promise.all(users.map(each => people.toSlackId(each.userID)));
  const absent = await absentOf(people, ids);
  return new Map(
    users.flatMap(({ userID }, at) => {
      const why = absent.get(ids[at] ?? '');
      return why === undefined ? [] : [[userID, why] as const];
    }),
  );
}

/**
 * The names of the people whom a call or a page can reach (mrkdwn), in their order: no guest, stranger, bot, and nobody who left or whom Slack
 * does not know. With a moment, each with the time of day where they are: `bob (07:15)`. Throws Slack's error.
 */
export async function namesReached(people: People, ids: readonly string[], now?: Date): Promise<readonly string[]> {
  const found = await Promise.all(ids.map(id => people.find(id)));
  return found.flatMap(person => {
    if (person === undefined || whyOut(person, 'called') !== undefined) return [];
    const { timeZone } = person;
    const clock = now && timeZone !== '' ? ` (${clockIn(timeZone, now)})` : '';
    return [`${toMrkdwn(person.name || 'somebody', 80)}${clock}`];
  });
}

function clockIn(timeZone: string, now: Date): string {
  return new Date(now.getTime() + ownZone(timeZone).offsetAt(now) * 60_000).toISOString().slice(11, 16);
}
