import type { Logger } from 'pino';
import type { Api } from '../../contract/contract.ts';
import { isNotFound, isTransient, RpcError } from '../../contract/errors.ts';
import { pages } from '../../contract/paging.ts';
import type { User } from '../../contract/users.ts';
import type { Deadlines } from '../../deadlines.ts';
import { settlesWithin } from '../text/timeout.ts';

/** How long a whole list counts, and how soon a list that failed is read again, in milliseconds. */
const cacheTime = 10 * 60_000;
const retryAfter = 30_000;
/** How soon a list that the API does not have, or refuses, is read again, in milliseconds. */
const refusedFor = 3_600_000;

/** What the list of users needs. */
interface UsersDeps {
  readonly api: { readonly UsersService: Pick<Api['UsersService'], 'QueryUsers'> };
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** The API's users. The list is read page by page, as far as somebody is looked for (docs/incident-api.md, UsersService). */
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
    const deadline = steady() + budget;
    while (!reading.isOver && !reading.users.some(surely)) {
      if (await settlesWithin(Math.max(0, deadline - steady()), reading.readPage())) continue;
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

const steady = () => performance.now();

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
