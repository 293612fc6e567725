import { z } from 'zod';
import type { People } from './define.ts';

/**
 * Header that names the people a call speaks of: an extension of ours that Grafana ignores. The embedded service believes it
 * only from a caller allowed to act for others, shows the actor as the one who acted, and remembers names and photos.
 */
export const peopleHeader = 'x-muster-people';

const Person = z.object({
  userID: z.string().min(1).max(200),
  name: z.string().max(200),
  photoURL: z.string().max(2000).optional(),
  email: z.string().max(320).optional(),
  slackUserID: z.string().max(40).optional(),
  slackTeamID: z.string().max(40).optional(),
});
const Header = z.object({ actor: Person.optional(), others: z.array(Person).max(50).optional() });

/** The header's value: base64url of JSON, since names are not ASCII. */
export function encodePeople(people: People): string {
  return Buffer.from(JSON.stringify(people)).toString('base64url');
}

/** Reads the header's value; undefined when it is not one, which a caller treats as absent. */
export function decodePeople(value: string): People | undefined {
  try {
    return Header.parse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8')));
  } catch {
    return undefined;
  }
}
