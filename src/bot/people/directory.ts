import type { Logger } from 'pino';
import type { Api } from '../../contract/contract.ts';
import type { KnownPerson } from '../../contract/define.ts';
import type { User } from '../../contract/users.ts';
import { type Slack, slackReason, slackRefusal } from '../slack/clients.ts';
import type { Actor, Person } from './person.ts';

/** What the API's ids of people it has not met begin with: `provider:user-id` (docs/api-rules.md A2). */
const slackProvider = 'slack:';

/** How long what Slack and the API said of people is believed, in milliseconds. */
const believed = 10 * 60_000;
/** How long a directory that could not be read is not asked for again, and how long somebody waits for it, in milliseconds. */
const askedAgain = 30_000;
const directoryBudget = 2000;
/** An intent that is older was kept, in milliseconds. */
const atOnce = 1000;
/** People kept at most; the longest known are forgotten first. */
const maxKnown = 5000;

/** Who people are: in Slack, and in the API. */
export interface People {
  /** What Slack knows of them; undefined when Slack knows nobody of that id. Throws when Slack cannot be asked. */
  find(userId: string): Promise<Person | undefined>;
  /**
   * The person as the API knows them: the user linked to the same Slack account, else the one with the same e-mail, else
   * nobody it has met, named by their Slack id. A similar name is never taken for the same person.
   */
  toKnown(person: Person): Promise<KnownPerson>;
  /** The Slack id behind one of the API's users; `""` when it is not known. */
  toSlackId(userID: string): Promise<string>;
  /**
   * The API's id of somebody who was named, maybe while the API could not be asked who they are; every other id as it is. Never
   * fails: what cannot be found out now stays as it is. `asked` is the intent that names them.
   */
  settle(userID: string, asked: { readonly askedAt: Date; readonly isRetry: boolean }): Promise<string>;
}

/** Opens the bot's knowledge of people over Slack's and the API's. */
export function createPeople(deps: { slack: Slack; api: Api; clock: () => Date; log: Logger }): People {
  const known = new Map<string, { person: Person; until: number }>();
  let directory: { users: Promise<readonly User[]>; until: number; isRead: boolean } | undefined;

  /** All users of the API; an API that is down has none for now, which only costs the link and little time. */
  function users(): Promise<readonly User[]> {
    const now = deps.clock().getTime();
    if (directory && directory.until > now) return directory.users;
    const asked = { users: listUsers(deps.api, steady() + directoryBudget), until: now + believed, isRead: true };
    directory = asked;
    asked.users = asked.users.catch(error => {
      deps.log.warn({ err: error }, 'the list of users could not be read');
      asked.until = now + askedAgain;
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
        known.set(userId, { person, until: now + believed });
        return person;
      } catch (error) {
        if (['user_not_found', 'user_not_visible', 'invalid_user_id'].includes(slackRefusal(error) ?? ''))
          return undefined;
        deps.log.warn({ reason: slackReason(error) }, 'users.info failed');
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
    settle: async (userID, { askedAt, isRetry }) => {
      if (!userID.startsWith(slackProvider)) return userID;
      const person = await people.find(userID.slice(slackProvider.length)).catch(() => undefined);
      if (!person) return userID;
      const isLate = isRetry || deps.clock().getTime() - askedAt.getTime() > atOnce;
      // What was kept is done when the API is back: a list that could not be read a moment ago may be had now.
      if (isLate && directory && !directory.isRead) directory = undefined;
      return (await findUser(person))?.userID ?? userID;
    },
  };
  return people;
}

const steady = () => performance.now();

/** Every user, or a failure when they cannot be had until then. */
async function listUsers(api: Api, deadline: number): Promise<readonly User[]> {
  const found: User[] = [];
  let cursor = { nextValue: '', hasMore: false };
  do {
    const budget = Math.max(1, deadline - steady());
    const page = await api.UsersService.QueryUsers({ query: { limit: 500 }, cursor }, { budget });
    found.push(...page.users);
    cursor = page.cursor.nextValue === cursor.nextValue ? { nextValue: '', hasMore: false } : page.cursor;
  } while (cursor.hasMore && cursor.nextValue !== '');
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

/** In a grid of workspaces everybody who belongs to this one is of this one, so that rooms and drafts are found again. */
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

/** Somebody of whom only Slack's own request speaks, for when Slack cannot be asked who they are. */
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
