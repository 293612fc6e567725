import type { User } from '../../contract/users.ts';
import type { AccountStore, Match, Owners } from './account-store.ts';
import type { ApiUsers } from './api-users.ts';
import type { Person } from './person.ts';

/** What the API's ids of people it has not met begin with: `provider:user-id` (docs/api-rules.md A2). */
export const slackProvider = 'slack:';

/** A match so old is used at once; the list is read meanwhile, for the next time (milliseconds). */
const trustedFor = 24 * 3_600_000;

/** Whom the API takes a person for: the user of its list, and the one whom they say to be. */
export interface Account {
  /** Undefined when the list has nobody with that Slack account or e-mail address. */
  readonly match: { readonly userID: string; readonly by: Match['by'] } | undefined;
  /** Undefined also when the list knows better: it links them itself, or names somebody else as that user. */
  readonly claim: { readonly userID: string; readonly name: string } | undefined;
}

/** Finds out whom the API takes people for (docs/decisions.md, Nobody is guessed). */
export class Accounts {
  readonly #users: ApiUsers;
  readonly #store: AccountStore;
  readonly #clock: () => Date;
  readonly #teamId: string;

  /** `teamId`: the workspace whose people are looked up. */
  constructor(parts: { users: ApiUsers; store: AccountStore; clock: () => Date; teamId: string }) {
    this.#users = parts.users;
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#teamId = parts.teamId;
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

  /** The users whom this person may say to be: those of whom nobody else is known to be one. */
  async free(person: Person): Promise<readonly User[]> {
    const [users, owners] = [await this.#users.list(), await this.#store.owners()];
    return users.filter(user => isFree(user, person, owners));
  }

  /** Keeps whom a person says to be; undefined: nobody. Returns whether they may: nobody else is known to be that user. */
  async claim(person: Person, userID: string | undefined): Promise<boolean> {
    const user = userID && (await this.userOf(userID));
    if (userID && !(user && isFree(user, person, await this.#store.owners()))) return false;
    const claim = user ? { userID: user.userID, name: user.name || user.userID } : undefined;
    await this.#store.keepClaim(person.userId, claim, this.#clock());
    return true;
  }

  /** The user in the API's list, where it can be read. */
  async userOf(userID: string): Promise<User | undefined> {
    return (await this.#users.find({ surely: each => each.userID === userID })).user;
  }

  /** A list that could not be read a moment ago is read again. */
  retry(): void {
    this.#users.retry();
  }

  async #match(person: Person, before: Match | undefined): Promise<Account['match']> {
    const now = this.#clock().getTime();
    const email = person.email.toLowerCase();
    const isLinked = (user: User) =>
      user.slackUserID === person.userId && [person.teamId, ''].includes(user.slackTeamID);
    const hasEmail = (user: User) => email !== '' && user.email.toLowerCase() === email;
    const isTrusted = before !== undefined && now - before.at < trustedFor;
    const { user, isWhole } = await this.#users.find(
      { surely: isLinked, otherwise: hasEmail },
      isTrusted ? 0 : undefined,
    );
    // Without an e-mail address, which is not kept, nobody can say that a match by e-mail is over.
    const isOver = isWhole && !(before?.by === 'email' && email === '');
    const isSure = isWhole || (user !== undefined && isLinked(user));
    if (before && (user ? !isSure : !isOver)) return before;
    const match = user && { userID: user.userID, by: isLinked(user) ? ('slack' as const) : ('email' as const) };
    const isSame = match?.userID === before?.userID && match?.by === before?.by;
    if (isSure && (!isSame || (before && !isTrusted)))
      await this.#store.keepMatch(person.userId, match && { ...match, at: now });
    return match;
  }

  /** A link without a workspace is of the only one there is. */
  #isHere({ slackTeamID }: User): boolean {
    return [this.#teamId, ''].includes(slackTeamID);
  }
}

/** Whether nobody but this person is known to be a user, or says to be. */
function isFree({ userID, slackUserID }: User, { userId }: Person, owners: Owners): boolean {
  if (userID === '' || userID.startsWith(slackProvider) || ![userId, ''].includes(slackUserID)) return false;
  return [...(owners.get(userID) ?? [])].every(owner => owner === userId);
}
