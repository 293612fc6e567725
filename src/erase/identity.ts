import type { BotTables } from '../bot/schema/tables.ts';
import type { Database } from '../db/database.ts';
import { fold, type Tables } from '../service/store/tables.ts';

/** Everything by which the database knows one person. */
export interface Identity {
  /** Ids in the incident API. */
  readonly userIDs: readonly string[];
  readonly slackIDs: readonly string[];
  readonly names: readonly string[];
  readonly emails: readonly string[];
  readonly photoURLs: readonly string[];
}

/** The result of a search for a person: the one that fits, and the names that another person has too; or all that fit. */
type FoundPerson =
  | { readonly kind: 'one'; readonly identity: Identity; readonly sharedNames: readonly string[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly identities: readonly Identity[] };

/** One row about a person. Rows that share a link are of the same person. */
interface Sighting extends Identity {
  readonly links: readonly string[];
}

/** What the API's ids of people it has not met begin with (docs/api-rules.md A2). */
const slackProvider = 'slack:';

/** Finds a person by an id in the API, a Slack id, an e-mail address or a name, each whole. */
export async function findPerson(database: Database, wanted: string): Promise<FoundPerson> {
  const people = join(await readSightings(database));
  const text = wanted.trim();
  const found = people.filter(person => isCalled(person, text));
  const [identity] = found;
  if (found.length > 1) return { kind: 'several', identities: found };
  if (identity) {
    const others = new Set(people.filter(each => each !== identity).flatMap(each => each.names.map(fold)));
    return { kind: 'one', identity, sharedNames: identity.names.filter(name => others.has(fold(name))) };
  }
  // The database may keep the id alone of a person that Slack described long ago.
  if (!/^[UW][A-Z0-9]{6,}$/.test(text)) return { kind: 'none' };
  const unnamed = { userIDs: [`${slackProvider}${text}`], slackIDs: [text], names: [], emails: [], photoURLs: [] };
  return { kind: 'one', identity: unnamed, sharedNames: [] };
}

/** A person in one line: names, addresses and ids. */
export function describe({ names, emails, slackIDs, userIDs }: Identity): string {
  return [...new Set([...names, ...emails, ...slackIDs, ...userIDs])].join(', ');
}

function isCalled({ userIDs, slackIDs, names, emails }: Identity, text: string): boolean {
  const [, slackID = text] = /^[^/]+\/([^/]+)$/.exec(text) ?? [];
  return (
    userIDs.includes(text) ||
    slackIDs.includes(slackID) ||
    [...names, ...emails].some(each => fold(each) === fold(text))
  );
}

async function readSightings(database: Database): Promise<readonly Sighting[]> {
  const people = await database.as<Tables>().selectFrom('person').selectAll().orderBy('user_id').execute();
  const slackPeople = await database
    .as<BotTables>()
    .selectFrom('bot_person')
    .select(['user_id', 'name'])
    .orderBy('user_id')
    .execute();
  const accounts = await database
    .as<BotTables>()
    .selectFrom('bot_account')
    .select(['user_id', 'match_user_id'])
    .where('match_user_id', '<>', '')
    .execute();
  const known = new Set(people.map(each => each.user_id));
  return [
    ...people.map(({ user_id, slack_user_id, name, email, photo_url }) => {
      const slackID = user_id.startsWith(slackProvider) ? user_id.slice(slackProvider.length) : slack_user_id;
      const isName = name !== '' && name !== user_id && name !== slackID;
      return toSighting({ user_id, slackID, name: isName ? name : '', email, photo_url });
    }),
    ...slackPeople.map(({ user_id, name }) => toSighting({ slackID: user_id, name })),
    ...accounts
      .filter(each => known.has(each.match_user_id))
      .map(each => toSighting({ user_id: each.match_user_id, slackID: each.user_id })),
  ];
}

function toSighting(facts: {
  readonly user_id?: string;
  readonly slackID: string;
  readonly name?: string;
  readonly email?: string;
  readonly photo_url?: string;
}): Sighting {
  const { user_id = '', slackID, name = '', email = '', photo_url = '' } = facts;
  const some = (...values: readonly string[]) => values.filter(value => value !== '');
  return {
    userIDs: some(user_id, slackID && `${slackProvider}${slackID}`),
    slackIDs: some(slackID),
    names: some(name),
    emails: some(email),
    photoURLs: some(photo_url),
    links: [
      ...some(user_id).map(each => `api ${each}`),
      ...some(slackID).map(each => `slack ${each}`),
      ...some(email).map(each => `mail ${fold(each)}`),
    ],
  };
}

/** One identity for all sightings that are linked, directly or by way of others. */
function join(sightings: readonly Sighting[]): readonly Identity[] {
  const groups = new Map<string, Set<Sighting>>();
  for (const sighting of sightings) {
    const group = new Set([sighting]);
    for (const link of sighting.links) for (const each of groups.get(link) ?? []) group.add(each);
    for (const each of group) for (const link of each.links) groups.set(link, group);
  }
  return [...new Set(groups.values())].map(group => {
    const all = (of: (each: Sighting) => readonly string[]) => [...new Set([...group].flatMap(of))];
    return {
      userIDs: all(each => each.userIDs),
      slackIDs: all(each => each.slackIDs),
      names: all(each => each.names),
      emails: all(each => each.emails),
      photoURLs: all(each => each.photoURLs),
    };
  });
}
