import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Api } from '../../contract/contract.ts';
import { isNotFound, isTransient, RpcError } from '../../contract/errors.ts';
import { pages } from '../../contract/paging.ts';
import type { User } from '../../contract/users.ts';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { definePrepared } from '../../db/prepared.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { IsFirst } from '../schema/deliveries.ts';
import type { BotTables } from '../schema/tables.ts';
import { type Home, isHome } from '../slack/clients.ts';
import { settlesWithin } from '../text/timeout.ts';
import type { Person } from './person.ts';

/** What the API's ids of people it has not met begin with: `provider:user-id` (docs/api-rules.md A2). */
export const slackProvider = 'slack:';

/** A match so old is used at once; the list is read meanwhile, for the next time (milliseconds). */
const trustedFor = 24 * 3_600_000;

/** Whom the API takes a person for: the user of its list, and the one whom they say to be. */
export interface Account {
  /** Undefined when the list has nobody with that Slack account or e-mail address. */
  readonly match: { readonly userID: string; readonly by: Match['by'] } | undefined;
  /** Undefined also when the list knows better: it links them itself, or names another person as that user. */
  readonly claim: { readonly userID: string; readonly name: string } | undefined;
}

/** Finds out whom the API takes people for (docs/decisions.md, Nobody is guessed). */
export class Accounts {
  readonly #users: ApiUsers;
  readonly #store: ReturnType<typeof createAccountStore>;
  readonly #clock: () => Date;
  readonly #home: Home;

  /** `slack`: where the people are at home who are looked up. */
  constructor(deps: { users: ApiUsers; database: Database; clock: () => Date; slack: Home; log: Logger }) {
    this.#users = deps.users;
    this.#store = createAccountStore(deps.database, deps.slack.identity.teamId, deps.log);
    this.#clock = deps.clock;
    this.#home = deps.slack;
  }

  /** The account of a person, as far as it is known. It never throws. */
  async of(person: Person): Promise<Account> {
    const stored = await this.#store.find(person.userId);
    const match = await this.#match(person, stored.match);
    const { claim } = stored;
    if (!claim || match?.by === 'slack') return { match, claim: undefined };
    const owner = await this.#store.findMatched(claim.userID);
    return { match, claim: owner === '' || owner === person.userId ? claim : undefined };
  }

  /** The Slack id of one of the API's users; `""` when it is not known, or of another workspace. */
  async slackIdOf(userID: string): Promise<string> {
    const isThis = (user: User) => user.userID === userID;
    const isSlack = userID.startsWith(slackProvider);
    const user = isSlack ? this.#users.peek(isThis) : await this.userOf(userID);
    if (user && !this.#isHere(user)) return '';
    if (isSlack) return userID.slice(slackProvider.length);
    return user?.slackUserID || this.#store.findMatched(userID);
  }

  /** The users that this person may claim to be: no other person is known to be one of them. */
  async free(person: Person): Promise<readonly User[]> {
    const [users, owners] = [await this.#users.list(), await this.#store.owners()];
    return users.filter(user => isFree(user, person, owners));
  }

  /**
   * Keeps the user that a person claims to be; undefined: none. Yields their claim as it is now. Undefined when they may not claim it: another
   * person is known to be that user.
   */
  async claim(
    person: Person,
    userID: string | undefined,
    isFirst: IsFirst,
  ): Promise<{ readonly counts: Account['claim'] } | undefined> {
    const user = userID && (await this.userOf(userID));
    if (userID && !(user && isFree(user, person, await this.#store.owners()))) return undefined;
    const claim = user ? { userID: user.userID, name: user.name || user.userID } : undefined;
    const isKept = await this.#store.keepClaim(person.userId, claim, this.#clock(), isFirst);
    return { counts: isKept ? claim : (await this.#store.find(person.userId)).claim };
  }

  /** The user in the API's list, where it can be read. */
  async userOf(userID: string): Promise<User | undefined> {
    return (await this.#users.find({ surely: each => each.userID === userID })).user;
  }

  /** The API answered with this user where it was sent the Slack id of a person, so it takes them for that user. */
  async answered(userId: string, userID: string): Promise<void> {
    const isOthers = (user: User) => user.userID === userID && !['', userId].includes(user.slackUserID);
    const owner = await this.#store.findMatched(userID);
    if ((owner !== '' && owner !== userId) || this.#users.peek(isOthers)) return;
    await this.#store.keepMatch(userId, { userID, by: 'answer', at: this.#clock().getTime() });
  }

  /** A list that could not be read a moment ago is read again. */
  retry(): void {
    this.#users.retry();
  }

  async #match(person: Person, before: Match | undefined): Promise<Account['match']> {
    const now = this.#clock().getTime();
    const email = person.email.toLowerCase();
    const isLinked = (user: User) =>
      user.slackUserID === person.userId && (user.slackTeamID === person.teamId || this.#isHere(user));
    const hasEmail = (user: User) => email !== '' && user.email.toLowerCase() === email;
    const isTrusted = before !== undefined && now - before.at < trustedFor;
    const { user, isWhole } = await this.#users.find(
      { surely: isLinked, otherwise: hasEmail },
      isTrusted ? 0 : undefined,
    );
    // The API takes people for users whom it does not list. Without an e-mail address, which is not kept, nobody can say that a match by e-mail is over.
    const isOver = isWhole && before?.by !== 'answer' && !(before?.by === 'email' && email === '');
    const isSure = isWhole || (user !== undefined && isLinked(user));
    if (before && (user ? !isSure : !isOver)) return before;
    const match = user && { userID: user.userID, by: isLinked(user) ? ('slack' as const) : ('email' as const) };
    const isSame = match?.userID === before?.userID && match?.by === before?.by;
    if (isSure && (!isSame || (before && !isTrusted)))
      await this.#store.keepMatch(person.userId, match && { ...match, at: now });
    return match;
  }

  /** A link without a workspace is of the only home there is. */
  #isHere({ slackTeamID }: User): boolean {
    return slackTeamID === '' || isHome(this.#home, slackTeamID);
  }
}

/** Whether nobody but this person is known to be a user, or says to be. */
function isFree(
  { userID, slackUserID }: User,
  { userId }: Person,
  owners: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  if (userID === '' || userID.startsWith(slackProvider) || ![userId, ''].includes(slackUserID)) return false;
  return [...(owners.get(userID) ?? [])].every(owner => owner === userId);
}

/** The user whom the API's list names for a person. */
interface Match {
  readonly userID: string;
  /** `answer`: the API itself answered so where it was sent their Slack id. */
  readonly by: 'slack' | 'email' | 'answer';
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The user whom a person says to be. */
interface Claim {
  readonly userID: string;
  readonly name: string;
}

const findAccount = definePrepared<BotTables, { teamId: string; userId: string }, BotTables['bot_account']>(
  (db, { teamId, userId }) =>
    db.selectFrom('bot_account').selectAll().where('team_id', '=', teamId).where('user_id', '=', userId),
);

const findMatched = definePrepared<BotTables, { teamId: string; userID: string }, { user_id: string }>(
  (db, { teamId, userID }) =>
    db
      .selectFrom('bot_account')
      .select('user_id')
      .where('team_id', '=', teamId)
      .where('match_user_id', '=', userID)
      .limit(1),
);

/** Keeps whom the API takes people for. What is matched can be found out again, so a database that fails is only logged there. */
function createAccountStore(database: Database, teamId: string, log: Logger) {
  const db = database.as<BotTables>();
  const ofTeam = () => db.selectFrom('bot_account').where('team_id', '=', teamId);

  async function quietly<T>(work: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work;
    } catch (err) {
      log.warn({ err }, 'people: could not use what is known of an account');
      return otherwise;
    }
  }

  const keep = (some: Kysely<BotTables>, userId: string, news: Partial<BotTables['bot_account']>) =>
    some
      .insertInto('bot_account')
      .values({ ...nothing, team_id: teamId, user_id: userId, ...news })
      .onConflict(conflict => conflict.columns(['team_id', 'user_id']).doUpdateSet(news))
      .execute();

  return {
    find: async (userId: string) => toStored((await quietly(findAccount(db, { teamId, userId }), []))[0]),
    /** The Slack id of the person whom the API's list names as this user; `""` when it is not known. */
    findMatched: async (userID: string) => (await quietly(findMatched(db, { teamId, userID }), []))[0]?.user_id ?? '',
    owners: async () => {
      const owners = new Map<string, Set<string>>();
      for (const row of await ofTeam().selectAll().execute()) {
        for (const id of [row.match_user_id, row.claimed_user_id])
          owners.set(id, new Set([...(owners.get(id) ?? []), row.user_id]));
      }
      return owners;
    },
    keepMatch: async (userId: string, match: Match | undefined) => {
      const { userID = '', by = '', at = 0 } = match ?? {};
      const matched = { match_user_id: userID, matched_by: by, matched_at: at } as const;
      await quietly<unknown>(
        database.single<BotTables, unknown>(some => keep(some, userId, matched)),
        undefined,
      );
    },
    /** False when this act stored its claim before. Throws when the database cannot be reached. */
    keepClaim: (userId: string, claim: Claim | undefined, now: Date, isFirst: IsFirst) =>
      database.withLock<NoTables, boolean>(`account ${teamId}/${userId}`, async plain => {
        if (!(await isFirst(plain))) return false;
        const { userID = '', name = '' } = claim ?? {};
        const claimed = { claimed_user_id: userID, claimed_name: name, claimed_at: now.getTime() };
        await keep(plain.withTables<BotTables>(), userId, claimed);
        return true;
      }),
  };
}

const nothing = {
  match_user_id: '',
  matched_by: '',
  matched_at: 0,
  claimed_user_id: '',
  claimed_name: '',
  claimed_at: 0,
} as const;

function toStored(row: BotTables['bot_account'] | undefined) {
  const { match_user_id: userID = '', matched_by: by = '', matched_at: at = 0 } = row ?? {};
  return {
    match: userID !== '' && by !== '' ? { userID, by, at } : undefined,
    claim: row?.claimed_user_id ? { userID: row.claimed_user_id, name: row.claimed_name } : undefined,
  };
}

/** How long a whole list counts, and how soon a list that failed is read again, in milliseconds. */
const cacheTime = 10 * 60_000;
const retryAfter = 30_000;
/** How soon a list that the API does not have, or refuses, is read again, in milliseconds. */
const refusedFor = 3_600_000;

interface UsersDeps {
  readonly api: { readonly UsersService: Pick<Api['UsersService'], 'QueryUsers'> };
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** The API's users. The list is read page by page, until the wanted user is found (docs/incident-api.md, UsersService). */
export class ApiUsers {
  readonly #deps: UsersDeps;
  #reading: Reading | undefined;
  /** The last whole list, for as long as the new one is not whole. */
  #before: readonly User[] = [];

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  /** A user among those who were read so far. */
  peek(fits: (user: User) => boolean): User | undefined {
    return this.#reading?.users.find(fits) ?? this.#before.find(fits);
  }

  /**
   * Looks for a user that is `surely` the one, else for one that is taken when no other is, in what can be read within `budget` milliseconds;
   * the rest is read meanwhile. `isWhole`: the whole list was read, so that who was not found is not there. It never throws.
   */
  async find(
    { surely, otherwise }: { readonly surely: (user: User) => boolean; readonly otherwise?: (user: User) => boolean },
    budget = this.#deps.deadlines.users,
  ): Promise<{ readonly user: User | undefined; readonly isWhole: boolean }> {
    const reading = this.#current();
    const deadline = monotonicNow() + budget;
    while (!reading.isOver && !reading.users.some(surely)) {
      if (await settlesWithin(Math.max(0, deadline - monotonicNow()), reading.readPage())) continue;
      void reading.readOn();
      break;
    }
    const { isWhole } = reading;
    const users = isWhole ? reading.users : [...reading.users, ...this.#before];
    return { user: users.find(surely) ?? (otherwise && users.find(otherwise)), isWhole };
  }

  /** All users who can be read within the budget. */
  async list(): Promise<readonly User[]> {
    await this.find({ surely: () => false });
    const reading = this.#current();
    return reading.isWhole || reading.users.length > this.#before.length ? reading.users : this.#before;
  }

  /** Reads a list again that could not be read. */
  retry(): void {
    if (this.#reading?.hasFailed && !this.#reading.isRefused) this.#reading = undefined;
  }

  #current(): Reading {
    const now = this.#deps.clock().getTime();
    const last = this.#reading;
    if (last && now < last.startedAt + (last.isRefused ? refusedFor : last.hasFailed ? retryAfter : cacheTime))
      return last;
    if (last?.isWhole) this.#before = last.users;
    this.#reading = new Reading(this.#deps, now);
    return this.#reading;
  }
}

const monotonicNow = () => performance.now();

/** One reading of the list. Pages that were read stay, also when a later one fails. */
class Reading {
  readonly users: User[] = [];
  /** Epoch milliseconds. */
  readonly startedAt: number;
  isWhole = false;
  hasFailed = false;
  /** The API answered, and gives no list. */
  isRefused = false;
  readonly #pages: AsyncIterator<{ readonly users: readonly User[] }>;
  readonly #log: Logger;
  #page: Promise<void> | undefined;

  constructor({ api, log }: UsersDeps, startedAt: number) {
    this.startedAt = startedAt;
    this.#pages = pages(api.UsersService.QueryUsers, { query: { limit: 500 } });
    this.#log = log;
  }

  /** There is nothing more to read. */
  get isOver(): boolean {
    return this.isWhole || this.hasFailed;
  }

  /** Reads the next page; all who ask at that time wait for the same one. */
  readPage(): Promise<void> {
    this.#page ??= this.#readPage().finally(() => {
      this.#page = undefined;
    });
    return this.#page;
  }

  /** Reads all that is left. */
  async readOn(): Promise<void> {
    while (!this.isOver) await this.readPage();
  }

  async #readPage(): Promise<void> {
    try {
      const { done, value } = await this.#pages.next();
      if (done) this.isWhole = true;
      else this.users.push(...value.users);
    } catch (err) {
      this.hasFailed = true;
      this.isRefused = err instanceof RpcError && !isTransient(err);
      // Nobody has to do anything about an API that lists nobody.
      const level = isNotFound(err) ? 'info' : 'warn';
      this.#log[level]({ err, read: this.users.length }, 'people: could not read the API’s users');
    }
  }
}
