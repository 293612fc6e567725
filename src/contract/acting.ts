import { z } from 'zod';
import type { People } from './define.ts';

/**
 * Header that names the people of a call: an extension of ours that Grafana ignores. The embedded service accepts it only from callers who
 * may act for others. It shows the actor as the author, and stores names and photos. Its answers carry the header too, so that no name goes
 * to a server that has no use for it.
 */
export const peopleHeader = 'x-muster-people';

const maxOthers = 50;

const Person = z.object({
  userID: z.string().min(1).max(200),
  name: z.string().max(200).optional(),
  photoURL: z.string().max(2000).optional(),
  email: z.string().max(320).optional(),
  slackUserID: z.string().max(40).optional(),
  slackTeamID: z.string().max(40).optional(),
});
const Header = z.object({ actor: Person.optional(), others: z.array(Person).max(maxOthers).optional() });

/** The most characters of the header's value: servers commonly refuse a request whose headers exceed 8 or 16 KiB. */
const maxHeader = 6000;

/** The header's value: base64url of JSON, because names are not ASCII. It carries as many of `others` as fit. */
export function encodePeople({ actor, others = [] }: People): string {
  for (let count = Math.min(others.length, maxOthers); ; count -= 1) {
    const people = count > 0 ? { actor, others: others.slice(0, count) } : { actor };
    const value = Buffer.from(JSON.stringify(people)).toString('base64url');
    if (value.length <= maxHeader || count <= 0) return value;
  }
}

/**
 * Reads the header's value; undefined when it is malformed, which callers treat as absent. Its texts lose characters that no
 * database can store.
 */
export function decodePeople(value: string): People | undefined {
  try {
    return Header.parse(
      JSON.parse(Buffer.from(value, 'base64url').toString('utf8'), (_, each: unknown) =>
        typeof each === 'string' ? each.replaceAll('\0', '').toWellFormed() : each,
      ),
    );
  } catch {
    return undefined;
  }
}
