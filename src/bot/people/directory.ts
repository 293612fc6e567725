import type { DeleteResult } from 'kysely';
import type { Logger } from 'pino';
import type { KnownPerson } from '../../contract/define.ts';
import type { Database } from '../../db/database.ts';
import { definePrepared } from '../../db/prepared.ts';
import type { Deadlines } from '../../deadlines.ts';
import { keepFor } from '../keep-for.ts';
import type { BotTables } from '../schema/tables.ts';
import { type Home, isHome, type Slack, slackReason, slackRefusal } from '../slack/clients.ts';
import { withTimeout } from '../text/timeout.ts';
import { type Accounts, slackProvider } from './accounts.ts';
import type { Actor, Person } from './person.ts';
import { type Absence, whyNot, whyNotRead, whyOut } from './reach.ts';

/** How long people are cached, in milliseconds. */
const cacheTime = 10 * 60_000;
/** After this time Slack is asked again whether a person left, in milliseconds: the event that says so may be lost. */
const heardTime = 60 * 60_000;
/** Before a change, a person is looked up again when Slack's last words are older than this, in milliseconds. */
const recheckAfter = 60_000;
/** They are looked up meanwhile when those are older than this: a person who changes something each minute never waits for it. */
const renewAfter = 30_000;
/** An intent older than this did not run at once, so it was queued (milliseconds). */
const immediate = 1000;
/** People in the cache; the oldest entries are dropped first. */
const maxKnown = 5000;

/** Thrown when Slack does not say who wants to change something, so that nobody can tell whether they may. */
export class NotIdentified extends Error {
  override readonly name = 'NotIdentified';
}

/** A person whom an intent names. */
export interface NamedPerson extends KnownPerson {
  /** The name of the API's user whom they say to be, and nobody confirms; `""` when the API itself knows them. */
  readonly claimedName: string;
}

/** The people whom a call names, as it tells the API of them. It leaves out users that a person merely claims to be. */
export function toOthers(named: readonly NamedPerson[]): readonly KnownPerson[] {
  return named.flatMap(({ claimedName, ...known }) => (claimedName === '' ? [known] : []));
}

interface PeopleDeps {
  readonly slack: {
    readonly quick: { readonly users: Pick<Slack['quick']['users'], 'info'> };
    readonly web: { readonly users: Pick<Slack['web']['users'], 'info'> };
  } & Home;
  readonly store: PersonStore;
  readonly accounts: Accounts;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** The people of Slack, as Slack describes them: asked when it answers, else remembered. */
function openProfiles(deps: PeopleDeps) {
  const known = new Map<string, Known>();
  /** Ids of people whom Slack is asked about meanwhile. */
  const renewing = new Set<string>();
  const homeTeam = deps.slack.identity.teamId;

  const isFresh = ({ seenAt }: Known, within: number) => deps.clock().getTime() - seenAt < within;

  async function remember(person: Person, updated: number): Promise<Known> {
    const news = { person, updated, seenAt: deps.clock().getTime() };
    known.delete(person.userId);
    if (known.size >= maxKnown) known.delete(known.keys().next().value ?? '');
    known.set(person.userId, news);
    await deps.store.keep(news);
    return news;
  }

  /** Asks Slack. Throws when it does not answer. */
  async function ask(userId: string, client: 'quick' | 'web'): Promise<Person | undefined> {
    try {
      const { quick, web } = deps.slack;
      const asked = { user: userId };
      const { user } = await (client === 'quick' ? quick.users.info(asked) : web.users.info(asked));
      if (!user) return undefined;
      // An event may have told more while the answer was on its way.
      const before = known.get(userId);
      if (before && user.updated !== undefined && user.updated < before.updated) return before.person;
      return (await remember(toPerson(user, homeTeam), user.updated ?? 0)).person;
    } catch (error) {
      if (['user_not_found', 'user_not_visible', 'invalid_user_id'].includes(slackRefusal(error) ?? ''))
        return undefined;
      deps.log.warn({ reason: slackReason(error) }, 'people: users.info failed');
      throw error;
    }
  }

  return {
    ask,
    remember,
    isFresh,
    /** The person as this process heard of them last. */
    here: (userId: string) => known.get(userId),
    /** The person as Slack described them last, to this process or to another one; only this one heard the e-mail address. */
    last: async (userId: string): Promise<Known | undefined> => {
      const [here, stored] = [known.get(userId), await deps.store.find(userId)];
      if (!here || !stored) return here ?? stored;
      if (stored.seenAt <= here.seenAt) return here;
      const { email, photoURL } = here.person;
      return { ...stored, person: { ...stored.person, email, photoURL } };
    },
    /** Asks Slack again in good time, while no person waits. A failure is asked again once a person has to wait for it. */
    renew: (userId: string): void => {
      const here = known.get(userId);
      if (renewing.has(userId) || (here && isFresh(here, renewAfter))) return;
      renewing.add(userId);
      void ask(userId, 'quick')
        .catch(() => undefined)
        .finally(() => renewing.delete(userId));
    },
  };
}

type Profiles = ReturnType<typeof openProfiles>;

async function findPersonIn(profiles: Profiles, userId: string): Promise<Person | undefined> {
  const here = profiles.here(userId);
  if (here && profiles.isFresh(here, cacheTime)) return here.person;
  try {
    return await profiles.ask(userId, 'quick');
  } catch (error) {
    const last = await profiles.last(userId);
    if (last) return last.person;
    throw error;
  }
}

/** People as Slack described them last, by id. Undefined for an id that Slack does not know; left out while Slack has never described a person. */
async function findLatest(
  profiles: Profiles,
  store: PersonStore,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Person | undefined>> {
  const ids = [...new Set(userIds)].filter(id => id !== '');
  const stored = await store.findAll(ids);
  const found = ids.map(async id => {
    const [here, there] = [profiles.here(id), stored.get(id)];
    const last = here && there ? (there.seenAt > here.seenAt ? there : here) : (here ?? there);
    if (last && profiles.isFresh(last, heardTime)) return [[id, last.person] as const];
    return await findPersonIn(profiles, id).then(
      person => [[id, person] as const],
      () => [],
    );
  });
  return new Map((await Promise.all(found)).flat());
}

/** The person who changes something, or opens a page; `unknown` is what Slack's request tells of them. */
async function judgeActor({
  profiles,
  deps,
  unknown,
  purpose,
}: {
  readonly profiles: Profiles;
  readonly deps: PeopleDeps;
  readonly unknown: Person;
  readonly purpose: 'change' | 'page';
}): Promise<Person | undefined> {
  const { userId } = unknown;
  const last = await profiles.last(userId);
  // The words that another process heard have no e-mail address, by which the API may know the person.
  const within = purpose === 'page' ? cacheTime : recheckAfter;
  if (last && profiles.here(userId) && profiles.isFresh(last, within)) {
    if (purpose === 'change') profiles.renew(userId);
    return last.person;
  }
  try {
    // The second call waits out a rate limit.
    const again = () => withTimeout(deps.deadlines.profile, profiles.ask(userId, 'web'));
    return await profiles.ask(userId, 'quick').catch(again);
  } catch (error) {
    if (unknown.isStranger) return unknown;
    const rule = purpose === 'page' ? whyNotRead : whyNot;
    if (last && (profiles.isFresh(last, cacheTime) || rule(last.person))) return last.person;
    throw new NotIdentified('Slack does not say who acts', { cause: error });
  }
}

/**
 * Looks people up in Slack and in the API. Slack says who a person is; before they change something, words of Slack's that are older than a
 * minute are asked for again, and without an answer they count for ten minutes (then {@link NotIdentified}). The API knows the same person by
 * another id, which the accounts find: `toKnown` signs for them, `toNamed` also counts the user that they claim to be.
 */
export type People = ReturnType<typeof createPeople>;

/** Opens the directory over Slack's and the API's users. */
export function createPeople(deps: PeopleDeps) {
  const profiles = openProfiles(deps);
  const { accounts } = deps;

  const find = (userId: string) => findPersonIn(profiles, userId);

  const latest = (userIds: readonly string[]) => findLatest(profiles, deps.store, userIds);

  /**
   * The person as the API knows them: the user linked to the same Slack account, else the user with the same e-mail, else a new user
   * named by the Slack id. Similar names are never matched.
   */
  async function toKnown(person: Person): Promise<KnownPerson> {
    const { match } = await accounts.of(person);
    return {
      userID: match?.userID ?? `${slackProvider}${person.userId}`,
      slackUserID: person.userId,
      slackTeamID: person.teamId,
      ...(person.name ? { name: person.name } : {}),
      ...(person.photoURL ? { photoURL: person.photoURL } : {}),
      ...(person.email ? { email: person.email } : {}),
    };
  }

  return {
    /**
     * The person behind a Slack id, as Slack last described them while it does not answer; undefined when Slack does not know the id.
     * Throws when Slack has never described them and does not answer.
     */
    find,
    /** People as Slack described them last, to this process or to another one ({@link findLatest}). Never throws. */
    latest,
    /** Those of some people who cannot act, and why, by Slack id. While Slack does not answer, people whom it has never described are left out. */
    absent: async (userIds: readonly string[]): Promise<ReadonlyMap<string, Absence>> =>
      toAbsent(await latest(userIds)),
    /** Those of some users of the API who cannot act, and why, by their ids in the API. A user whom Slack does not know is none of them. */
    absentUsers: (users: readonly { readonly userID: string }[]) => findAbsent(accounts, latest, users),
    toKnown,
    /** The users that the API takes people for, and those that people say to be. */
    accounts,
    /**
     * The person who acts; undefined when Slack does not know them. A reader whom Slack has never described counts as a guest. Before a
     * change, the person is looked up again after a minute. A person who acts from another organisation is a stranger, whatever Slack says of the id. Throws {@link NotIdentified} when Slack does not answer then, and its
     * last words are older than ten minutes (docs/decisions.md, Guests and strangers). So it is for the `page` of a browser, about which Slack
     * says nothing else; there, ten minutes are always new enough.
     */
    identify: async (actor: Actor, purpose: 'read' | 'change' | 'page'): Promise<Person | undefined> => {
      const unknown = toUnknown(actor, deps.slack);
      if (actor.isOutside) return unknown;
      if (purpose === 'read') return find(actor.userId).catch(() => unknown);
      return await judgeActor({ profiles, deps, unknown, purpose });
    },
    /**
     * Remembers a person whom Slack describes in an event, if they are `new`, a guest, or one who was asked for before. Whether others must be
     * told of them: they can act as they could not before, or cannot any more.
     */
    learn: async (user: SlackUser, how: 'new' | 'changed'): Promise<boolean> => {
      const person = toPerson(user, deps.slack.identity.teamId);
      const before = await profiles.last(person.userId);
      const isWanted = how === 'new' || before !== undefined || person.isGuest;
      if (person.userId === '' || !isWanted) return false;
      if (before && (user.updated ?? 0) < before.updated) return false;
      await profiles.remember(person, user.updated ?? 0);
      return before !== undefined && whyOut(before.person, 'act') !== whyOut(person, 'act');
    },
    /**
     * The person as they hold a role or do a task: as the user whom they say to be, where no other person is known to be that user, else as
     * in `toKnown`. Their own words never sign for them.
     */
    toNamed: async (person: Person): Promise<NamedPerson> => {
      const known = await toKnown(person);
      const { claim } = await accounts.of(person);
      return claim ? { ...known, userID: claim.userID, claimedName: claim.name } : { ...known, claimedName: '' };
    },
    /** The Slack id behind one of the API's users; `""` when it is not known, or of another workspace. */
    toSlackId: (userID: string): Promise<string> => accounts.slackIdOf(userID),
    /**
     * The API's id for a person whom an intent names by a `slack:` id, because the API could not be asked then. Any other id is
     * returned unchanged, and so is one that cannot be resolved now. It never throws. `asked` is the intent.
     */
    resolveUserID: async (
      userID: string,
      { askedAt, isRetry }: { readonly askedAt: Date; readonly isRetry: boolean },
    ): Promise<string> => {
      if (!userID.startsWith(slackProvider)) return userID;
      const person = await find(userID.slice(slackProvider.length)).catch(() => undefined);
      if (!person) return userID;
      const isLate = isRetry || deps.clock().getTime() - askedAt.getTime() > immediate;
      // A queued intent runs when the API is back: a list that could not be read a moment ago can be read now.
      if (isLate) accounts.retry();
      return (await accounts.of(person)).match?.userID ?? userID;
    },
    /**
     * Remembers the user that the API takes a person for: it answered with one id where it was `sent` their `slack:` id. Returns the id by which
     * it knows the person; `answered` is `""` where the answer does not tell. It never throws.
     */
    learnAnswered: async (sent: string, answered: string): Promise<string> => {
      if (answered === '' || answered === sent || !sent.startsWith(slackProvider)) return sent;
      await accounts.answered(sent.slice(slackProvider.length), answered);
      return answered;
    },
  };
}

function toAbsent(people: ReadonlyMap<string, Person | undefined>): ReadonlyMap<string, Absence> {
  const found = [...people].map(([id, person]) => [id, whyOut(person, 'act')] as const);
  return new Map(found.flatMap(([id, why]) => (why === undefined ? [] : [[id, why] as const])));
}

async function findAbsent(
  accounts: Accounts,
  latest: (userIds: readonly string[]) => ReturnType<typeof findLatest>,
  users: readonly { readonly userID: string }[],
): Promise<ReadonlyMap<string, Absence>> {
  const ids = await Promise.all(users.map(each => accounts.slackIdOf(each.userID)));
  const found = toAbsent(await latest(ids));
  return new Map(
    users.flatMap(({ userID }, at) => {
      const why = found.get(ids[at] ?? '');
      return why === undefined ? [] : [[userID, why] as const];
    }),
  );
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
  return new Map(found.flatMap(person => (person?.name ? [[person.userId, person.name] as const] : [])));
}

/** The members of Slack's user object that are used; all may be missing. */
export interface SlackUser {
  readonly id?: string;
  readonly team_id?: string;
  readonly name?: string;
  readonly tz?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_admin?: boolean;
  readonly is_owner?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_stranger?: boolean;
  readonly updated?: number;
  readonly enterprise_user?: { readonly enterprise_id?: string; readonly teams?: readonly string[] };
  readonly profile?: {
    readonly display_name?: string;
    readonly real_name?: string;
    readonly email?: string;
    readonly image_72?: string;
  };
}

/** A person as Slack describes them. Everybody of the home counts as of it, whatever workspace is theirs (docs/slack.md 3). */
export function toPerson(user: SlackUser, homeTeam: string): Person {
  const { team_id: teamId = homeTeam, enterprise_user: { enterprise_id, teams = [] } = {} } = user;
  const isOurs = [teamId, enterprise_id, ...teams].includes(homeTeam);
  return {
    teamId: isOurs ? homeTeam : teamId,
    userId: user.id ?? '',
    name: user.profile?.display_name || user.profile?.real_name || user.name || '',
    email: user.profile?.email ?? '',
    photoURL: user.profile?.image_72 ?? '',
    timeZone: user.tz ?? '',
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isAdmin: isOurs && (user.is_admin === true || user.is_owner === true),
    // Slack describes its own Slackbot as a person.
    isBot: user.is_bot === true || user.id === 'USLACKBOT',
    isDeleted: user.deleted === true,
    isStranger: user.is_stranger === true || !isOurs,
  };
}

/**
 * A person that only Slack's request tells of. They have the fewest rights of all readers: those of a guest
 * (docs/decisions.md, Guests and strangers).
 */
export function toUnknown(actor: Actor, home: Home): Person {
  const isOurs = !actor.isOutside && isHome(home, actor.teamId);
  return {
    ...actor,
    ...(isOurs ? { teamId: home.identity.teamId } : {}),
    name: '',
    email: '',
    photoURL: '',
    timeZone: '',
    isGuest: true,
    isAdmin: false,
    isBot: false,
    isDeleted: false,
    isStranger: !isOurs,
  };
}

/** What Slack said of a person, and when. */
export interface Known {
  readonly person: Person;
  /** Slack's own number of this state, in seconds; 0 for none. */
  readonly updated: number;
  /** Epoch milliseconds. */
  readonly seenAt: number;
}

/** Keeps what Slack said of people, without their e-mail addresses and photos. A database that fails is logged, never thrown. */
export type PersonStore = ReturnType<typeof createPersonStore>;

const findPeople = definePrepared<BotTables, { teamId: string; userIds: readonly string[] }, BotTables['bot_person']>(
  (db, { teamId, userIds }) =>
    db.selectFrom('bot_person').selectAll().where('team_id', '=', teamId).where('user_id', 'in', userIds),
);

/** Opens the store of the people whom a workspace sees. */
export function createPersonStore(database: Database, teamId: string, log: Logger) {
  const db = database.as<BotTables>();
  /** What Slack said of some people within 90 days, by id. */
  const findAll = async (userIds: readonly string[]): Promise<ReadonlyMap<string, Known>> => {
    try {
      const rows = userIds.length === 0 ? [] : await findPeople(db, { teamId, userIds });
      return new Map(rows.map(row => [row.user_id, toKnown(row)]));
    } catch (err) {
      log.warn({ err }, 'people: could not read what is known of a person');
      return new Map();
    }
  };
  return {
    /** Undefined when Slack has not spoken of them for 90 days. */
    find: async (userId: string) => (await findAll([userId])).get(userId),
    findAll,
    keep: async (known: Known) => {
      const { team_id, user_id, ...news } = toRow(teamId, known);
      try {
        await database.single<BotTables, unknown>(some =>
          some
            .insertInto('bot_person')
            .values({ team_id, user_id, ...news })
            .onConflict(conflict => conflict.columns(['team_id', 'user_id']).doUpdateSet(news))
            .execute(),
        );
      } catch (err) {
        log.warn({ err }, 'people: could not store what is known of a person');
      }
    },
    /** The ids of the guests. Throws when the database fails, as the next one does. */
    guestIds: async () => {
      const rows = await db
        .selectFrom('bot_person')
        .select('user_id')
        .where('team_id', '=', teamId)
        .where('is_guest', '=', 1)
        .execute();
      return new Set(rows.map(row => row.user_id));
    },
    /** Keeps what Slack said of many people, where it has said nothing newer. */
    keepAll: async (known: readonly Known[]) => {
      const rows = known.map(each => toRow(teamId, each));
      for (let from = 0; from < rows.length; from += rowsAtOnce)
        await keepRows(database, rows.slice(from, from + rowsAtOnce));
    },
    /** Deletes people whom Slack has not described for 90 days; returns how many. */
    purge: async (now: Date) => {
      const { numDeletedRows } = await database.single<BotTables, DeleteResult>(some =>
        some
          .deleteFrom('bot_person')
          .where('seen_at', '<', now.getTime() - keepFor.people)
          .executeTakeFirstOrThrow(),
      );
      return Number(numDeletedRows);
    },
  };
}

/** Rows of people that one statement writes. */
const rowsAtOnce = 500;

async function keepRows(database: Database, rows: readonly BotTables['bot_person'][]): Promise<void> {
  await database.single<BotTables, unknown>(some =>
    some
      .insertInto('bot_person')
      .values(rows)
      .onConflict(conflict =>
        conflict
          .columns(['team_id', 'user_id'])
          .doUpdateSet(({ ref }) => ({
            home_team_id: ref('excluded.home_team_id'),
            name: ref('excluded.name'),
            time_zone: ref('excluded.time_zone'),
            is_guest: ref('excluded.is_guest'),
            is_admin: ref('excluded.is_admin'),
            is_bot: ref('excluded.is_bot'),
            is_deleted: ref('excluded.is_deleted'),
            is_stranger: ref('excluded.is_stranger'),
            updated: ref('excluded.updated'),
            seen_at: ref('excluded.seen_at'),
          }))
          .whereRef('bot_person.seen_at', '<=', 'excluded.seen_at'),
      )
      .execute(),
  );
}

function toRow(teamId: string, { person, updated, seenAt }: Known): BotTables['bot_person'] {
  return {
    team_id: teamId,
    user_id: person.userId,
    home_team_id: person.teamId,
    name: person.name,
    time_zone: person.timeZone,
    is_guest: person.isGuest ? 1 : 0,
    is_admin: person.isAdmin ? 1 : 0,
    is_bot: person.isBot ? 1 : 0,
    is_deleted: person.isDeleted ? 1 : 0,
    is_stranger: person.isStranger ? 1 : 0,
    updated,
    seen_at: seenAt,
  };
}

function toKnown(row: BotTables['bot_person']): Known {
  const person = {
    teamId: row.home_team_id,
    userId: row.user_id,
    name: row.name,
    email: '',
    photoURL: '',
    timeZone: row.time_zone,
    isGuest: row.is_guest === 1,
    isAdmin: row.is_admin === 1,
    isBot: row.is_bot === 1,
    isDeleted: row.is_deleted === 1,
    isStranger: row.is_stranger === 1,
  };
  return { person, updated: row.updated, seenAt: row.seen_at };
}
