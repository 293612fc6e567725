import type { Logger } from 'pino';
import type { Deadlines } from '../../deadlines.ts';
import { type Identity, isPassing, type Slack, slackReason } from '../slack/clients.ts';
import type { TeamArgument, Workspaces } from '../slack/workspaces.ts';
import { withTimeout } from '../text/timeout.ts';
import type { Known, PersonStore } from './directory.ts';
import { type People, type SlackUser, toPerson } from './directory.ts';

/** How old Slack's list of people may be, in milliseconds. Slack's events keep who is a guest newer than that. */
const listAge = 60 * 60_000;
/** After a list that could not be read Slack is left alone for this long, in milliseconds. */
const retryAfter = 60_000;
/** People on one page of the list, the most that Slack gives, and the pages that are read at most. */
const pageSize = 1000;
const maxPages = 200;
/** People whom the list lacks, and about whom Slack is asked one by one, at most. */
const mostAsked = 20;

interface GuestDeps {
  readonly slack: {
    readonly web: { readonly users: Slack['web']['users'] };
    readonly identity: Identity;
    readonly workspaces: Workspaces;
  };
  readonly people: People;
  readonly store: PersonStore;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/**
 * Keeps the guests of the workspace among the stored people: Slack lists everybody once an hour, when the list is needed, and its
 * events tell of changes between (`follow-people.ts`). Each process reads the list for itself.
 */
export class Guests {
  readonly #deps: GuestDeps;
  /** Everybody whom Slack has described, guest or not. */
  readonly #described = new Set<string>();
  #listedAt = 0;
  #triedAt = 0;
  /** Slack refuses the list, or lists too many. */
  #isRefused = false;
  #reading: Promise<void> | undefined;

  constructor(deps: GuestDeps) {
    this.#deps = deps;
  }

  /**
   * Whether all guests are stored. A list that is old counts while it is read again. The first one is waited for, four seconds at most. Undefined
   * until that is read, false when Slack refuses it.
   */
  async areKnown(): Promise<boolean | undefined> {
    const now = this.#deps.clock().getTime();
    const isDue = Math.abs(now - this.#listedAt) > listAge && Math.abs(now - this.#triedAt) > retryAfter;
    if (isDue && !this.#reading) {
      this.#triedAt = now;
      this.#reading = this.#read(now).finally(() => {
        this.#reading = undefined;
      });
    }
    if (this.#listedAt === 0 && this.#reading)
      await withTimeout(this.#deps.deadlines.profile, this.#reading).catch(() => undefined);
    return this.#listedAt > 0 || (this.#isRefused ? false : undefined);
  }

  /** Asks Slack about people whom its list lacked. Undefined while it does not describe all of them, false when there are too many. */
  async meet(userIds: readonly string[]): Promise<boolean | undefined> {
    const unknown = userIds.filter(id => !this.#described.has(id));
    if (unknown.length > mostAsked) return false;
    const found = await Promise.all(unknown.map(id => this.#deps.people.find(id).catch(() => undefined)));
    for (const person of found) if (person) this.#described.add(person.userId);
    return found.every(person => person !== undefined) || undefined;
  }

  /** Resolves when no list is being read. */
  async idle(): Promise<void> {
    await this.#reading;
  }

  async #read(askedAt: number): Promise<void> {
    const { store, log } = this.#deps;
    try {
      await store.keepAll(await this.#list(await store.guestIds(), askedAt));
      this.#listedAt = askedAt;
    } catch (error) {
      this.#isRefused = !isPassing(error);
      log.warn({ reason: slackReason(error) }, 'people: could not list the guests');
    }
  }

  /** The guests, and those of `before` who are none any more. Throws when the list is not whole. */
  async #list(before: ReadonlySet<string>, seenAt: number): Promise<readonly Known[]> {
    const { identity, workspaces } = this.#deps.slack;
    const found = new Map<string, Known>();
    for (const team of await workspaces.each()) {
      for await (const user of this.#members(team)) {
        const person = toPerson(user, identity.teamId);
        this.#described.add(person.userId);
        const isNews = person.isGuest || before.has(person.userId);
        // A guest of one workspace of the organisation may be a member of another.
        if (person.userId === '' || !isNews || found.get(person.userId)?.person.isGuest) continue;
        found.set(person.userId, { person, updated: user.updated ?? 0, seenAt });
      }
    }
    return [...found.values()];
  }

  /** Everybody of a workspace. Throws when Slack does not list them to the end. */
  async *#members(team: TeamArgument): AsyncGenerator<SlackUser> {
    let cursor = '';
    for (let page = 0; page < maxPages; page += 1) {
      const { web } = this.#deps.slack;
      const answer = await web.users.list({ limit: pageSize, ...team, ...(cursor ? { cursor } : {}) });
      yield* answer.members ?? [];
      cursor = answer.response_metadata?.next_cursor ?? '';
      if (cursor === '') return;
    }
    throw new Error(`Slack lists more than ${maxPages * pageSize} people`);
  }
}
