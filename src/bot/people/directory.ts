import type { Logger } from 'pino';
import type { Api } from '../../contract/contract.ts';
import type { KnownPerson } from '../../contract/define.ts';
import { items } from '../../contract/paging.ts';
import type { User } from '../../contract/users.ts';
import { type Identity, type Slack, slackReason, slackRefusal } from '../slack/clients.ts';
import type { Actor, Person } from './person.ts';

/** What the API's ids of people it has not met begin with: `provider:user-id` (docs/api-rules.md A2). */
const slackProvider = 'slack:';

/** How long people are cached, in milliseconds. */
const cacheTime = 10 * 60_000;
/** After a failure the directory is read again only after this many milliseconds; a caller waits for it no longer than its budget. */
const retryAfter = 30_000;
const directoryBudget = 2000;
/** An intent older than this did not run at once, so it was queued (milliseconds). */
const immediate = 1000;
/** People in the cache; the oldest entries are dropped first. */
const maxKnown = 5000;

/** Looks people up in Slack and in the API. */
export interface People {
  /** The person behind a Slack id; undefined when Slack does not know the id. Throws when Slack does not answer. */
  find(userId: string): Promise<Person | undefined>;
  /**
   * The person as the API knows them: the user linked to the same Slack account, else the user with the same e-mail, else a new user
   * named by the Slack id. Similar names are never matched.
   */
  toKnown(person: Person): Promise<KnownPerson>;
  /** The Slack id behind one of the API's users; `""` when it is not known. */
  toSlackId(userID: string): Promise<string>;
  /**
   * The API's id for a person whom an intent names by a `slack:` id, because the API could not be asked then. Any other id is
   * returned unchanged, and so is one that cannot be resolved now. It never throws. `asked` is the intent.
   */
  resolveUserID(userID: string, asked: { readonly askedAt: Date; readonly isRetry: boolean }): Promise<string>;
}

/** What the directory asks of the API. */
interface UsersApi {
  readonly UsersService: Pick<Api['UsersService'], 'QueryUsers'>;
}

/** What the directory works with. */
interface PeopleDeps {
  readonly slack: {
    readonly quick: { readonly users: Pick<Slack['quick']['users'], 'info'> };
    readonly identity: Pick<Identity, 'teamId'>;
  };
  readonly api: UsersApi;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** Opens the directory over Slack's and the API's users. */
export function createPeople(deps: PeopleDeps): People {
  const known = new Map<string, { person: Person; until: number }>();
  let directory: { users: Promise<readonly User[]>; until: number; isRead: boolean } | undefined;

  /** All users of the API; none while it is away, so that people then go by their Slack ids. */
  function users(): Promise<readonly User[]> {
    const now = deps.clock().getTime();
    if (directory && directory.until > now) return directory.users;
    const asked = { users: listUsers(deps.api, steady() + directoryBudget), until: now + cacheTime, isRead: true };
    directory = asked;
    asked.users = asked.users.catch(error => {
      deps.log.warn({ err: error }, 'people: could not read the API’s users');
      asked.until = now + retryAfter;
      asked.isRead = false;
      return [];
    });
    return asked.users;
  }

  /** The user linked to the same Slack account, else the one with the same e-mail. */
  async function findUser(person: Person): Promise<User | undefined> {
    const all = await users();
    return (
      all.find(user => user.slackUserID === person.userId && [person.teamId, ''].includes(user.slackTeamID)) ??
      all.find(user => person.email !== '' && user.email.toLowerCase() === person.email.toLowerCase())
    );
  }

  const people: People = {
    find: async userId => {
      const now = deps.clock().getTime();
      const cached = known.get(userId);
      if (cached && cached.until > now) return cached.person;
      try {
        const { user } = await deps.slack.quick.users.info({ user: userId });
        if (!user) return undefined;
        const person = toPerson(user, deps.slack.identity.teamId);
        known.delete(userId);
        if (known.size >= maxKnown) known.delete(known.keys().next().value ?? '');
        known.set(userId, { person, until: now + cacheTime });
        return person;
      } catch (error) {
        if (['user_not_found', 'user_not_visible', 'invalid_user_id'].includes(slackRefusal(error) ?? ''))
          return undefined;
        deps.log.warn({ reason: slackReason(error) }, 'people: users.info failed');
        if (cached) return cached.person;
        throw error;
      }
    },
    toKnown: async person => {
      const match = await findUser(person);
      return {
        userID: match?.userID ?? `${slackProvider}${person.userId}`,
        name: person.name,
        photoURL: person.photoURL,
        email: person.email,
        slackUserID: person.userId,
        slackTeamID: person.teamId,
      };
    },
    toSlackId: async userID => {
      if (userID.startsWith(slackProvider)) return userID.slice(slackProvider.length);
      return (await users()).find(user => user.userID === userID)?.slackUserID ?? '';
    },
    resolveUserID: async (userID, { askedAt, isRetry }) => {
      if (!userID.startsWith(slackProvider)) return userID;
      const person = await people.find(userID.slice(slackProvider.length)).catch(() => undefined);
      if (!person) return userID;
      const isLate = isRetry || deps.clock().getTime() - askedAt.getTime() > immediate;
      // A queued intent runs when the API is back: a list that could not be read a moment ago can be read now.
      if (isLate && directory && !directory.isRead) directory = undefined;
      return (await findUser(person))?.userID ?? userID;
    },
  };
  return people;
}

const steady = () => performance.now();

/** Every user. Throws when they cannot be read before the deadline. */
async function listUsers(api: UsersApi, deadline: number): Promise<readonly User[]> {
  const call = {
    get budget() {
      return Math.max(1, deadline - steady());
    },
  };
  const found: User[] = [];
  for await (const user of items(api.UsersService.QueryUsers, 'users', { query: { limit: 500 } }, call))
    found.push(user);
  return found;
}

/** The members of Slack's user object that are used; all may be missing. */
interface SlackUser {
  readonly id?: string;
  readonly team_id?: string;
  readonly name?: string;
  readonly tz?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_stranger?: boolean;
  readonly enterprise_user?: { readonly teams?: readonly string[] };
  readonly profile?: {
    readonly display_name?: string;
    readonly real_name?: string;
    readonly email?: string;
    readonly image_72?: string;
  };
}

/** In a grid of workspaces a member of this one counts as of this one, so that rooms and drafts are found again. */
function toPerson(user: SlackUser, homeTeam: string): Person {
  const teamId = user.team_id ?? homeTeam;
  const isHome = teamId === homeTeam || (user.enterprise_user?.teams ?? []).includes(homeTeam);
  return {
    teamId: isHome ? homeTeam : teamId,
    userId: user.id ?? '',
    name: user.profile?.display_name || user.profile?.real_name || user.name || (user.id ?? 'somebody'),
    email: user.profile?.email ?? '',
    photoURL: user.profile?.image_72 ?? '',
    timeZone: user.tz || 'UTC',
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isBot: user.is_bot === true,
    isDeleted: user.deleted === true,
    isStranger: user.is_stranger === true || !isHome,
  };
}

/** People whose names are looked up at once, at most. */
const maxNamed = 40;

/** People's names by Slack id. A person whom Slack does not know, or beyond the first forty, is left out: nobody is guessed. */
export async function namesOf(
  people: Pick<People, 'find'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].slice(0, maxNamed);
  const found = await Promise.all(wanted.map(id => people.find(id).catch(() => undefined)));
  return new Map(found.flatMap(person => (person ? [[person.userId, person.name] as const] : [])));
}

/** A person known from Slack's request alone, for when Slack does not answer who they are. */
export function toUnverified(actor: Actor, homeTeam: string): Person {
  return {
    ...actor,
    name: actor.userId,
    email: '',
    photoURL: '',
    timeZone: 'UTC',
    isGuest: false,
    isBot: false,
    isDeleted: false,
    isStranger: actor.teamId !== homeTeam,
  };
}
