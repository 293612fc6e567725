import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery, Kysely } from 'kysely';
import { type Deadlines, deadlines as usualDeadlines } from '../deadlines.ts';
import { countChanges, TableChanges } from './changes.ts';
import type { Engine, EngineOptions, Lock, LockOptions, NoTables, OpenOptions, Size, Words } from './engine.ts';
import { isCollision, isFull } from './failure.ts';
import type { StepTables } from './steps.ts';
import { pinConnection, withConnection } from './transaction-connection.ts';

/** A part's tables by name, each a record of its columns. Write it as `type`, not `interface`. */
export type TableShapes = Record<string, Record<string, unknown>>;

/** An open database. `Tables` is the reader's own view of it: each part of Muster knows only its own tables. */
export interface Database extends AsyncDisposable {
  /** A column of every table: the row's address. In Postgres a changed row has another one. */
  readonly rowAddress: 'rowid' | 'ctid';
  /** How long those who use it may wait for it. */
  readonly deadlines: Deadlines;
  /** How often this process has changed each table. */
  readonly changes: TableChanges;
  /** The error of a migration as one that names the database, the setting, and the way out. */
  explain(error: unknown): Error;
  /** The database as one part of Muster sees it: with its tables alone. */
  as<Tables extends TableShapes>(): Kysely<Tables>;
  /**
   * The database as searches and pages read it. On Postgres they share a few connections of their own, and a statement ends after a few
   * seconds with an error that `isCutShort` recognises: they delay no other caller, and do not go on when their caller has left.
   */
  forSearches<Tables extends TableShapes>(): Kysely<Tables>;
  /**
   * Runs `work` in a transaction that holds a lock. No other transaction, of this process or another, holds the same lock at that
   * time, so what `work` has read stays true until it commits. When the database undoes the transaction because of a collision,
   * `work` runs again: it must do nothing but use the transaction.
   */
  withLock<Tables extends TableShapes, T>(
    lock: Lock,
    work: (transaction: Kysely<Tables>) => Promise<T>,
    how?: LockOptions,
  ): Promise<T>;
  /**
   * Runs one statement that changes something, without a lock. On Postgres the statement is its own transaction, which is one
   * round trip in place of five, through connections of its own: it never waits behind those who wait for a lock. On SQLite it
   * joins the group commit; `isUrgent`: before all that waits there, and the group ends with it.
   */
  single<Tables extends TableShapes, T>(
    statement: (db: Kysely<Tables>) => Promise<T>,
    how?: { readonly isUrgent?: boolean },
  ): Promise<T>;
  /** Words between the processes on the database. */
  readonly words: Words;
  /**
   * Gives the room of deleted rows back to the disk, where the engine does not do so itself: most of it in small steps, or all of it
   * at once, so that nothing of what was deleted is left.
   */
  shrink(how: 'some' | 'all'): Promise<void>;
  /**
   * Takes a part of the database for this process, until the result is disposed or the process ends. Throws with a sentence when
   * another process has it and the database cannot be shared.
   */
  occupy(part: string): Promise<
    AsyncDisposable & {
      /** No other process can use that part meanwhile. */
      readonly isSoleProcess: boolean;
    }
  >;
  /** Stores something and removes it again. Rejects as any work does, when the disk is still full say. */
  tryRoom(): Promise<void>;
  /** How much room it takes, and how much its disk has left. */
  size(): Promise<Size>;
  /** How many connections of other processes of Muster the database has; 0 where {@link occupy} tells that. */
  countOthers(): Promise<number>;
}

/** How often a transaction is begun before its collision is passed on to the caller. */
const maxAttempts = 5;

/**
 * Opens the database that a `DATABASE_URL` names: `sqlite:<file>` (made with its folder when absent), `sqlite::memory:`, or
 * `postgres://<user>:<password>@<host>/<database>`, which must exist. Throws with the reason when it cannot.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  const { deadlines = usualDeadlines } = options;
  const engine = await openEngine(url, { ...options, deadlines });
  const changes = new TableChanges();
  const kysely = new Kysely<NoTables>({ dialect: countChanges(engine.dialect, changes) });
  try {
    await engine.check(kysely);
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
  const searches = engine.searchDialect ? new Kysely<NoTables>({ dialect: engine.searchDialect }) : undefined;
  const singles = engine.singleDialect
    ? new Kysely<NoTables>({ dialect: countChanges(engine.singleDialect, changes) })
    : kysely;
  const words = engine.openWords?.(singles) ?? noWords;
  const turns = new GroupCommit(kysely);
  const listening = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (isFull(error)) options.onFull?.(error);
      throw error;
    }
  };
  const withLock: Database['withLock'] = (lock, work, { timeout = deadlines.database.lock, sendsAhead = false } = {}) =>
    listening(
      engine.takeLock
        ? afterCollisions(() =>
            runLocked(kysely, { take: trx => engine.takeLock?.(trx, lock, timeout), sendsAhead }, work),
          )
        : turns.run(transaction => work(transaction.withTables())),
    );
  return {
    rowAddress: engine.rowAddress,
    deadlines,
    changes,
    explain: engine.explain,
    as: <Tables extends TableShapes>() => kysely.withTables<Tables>(),
    forSearches: <Tables extends TableShapes>() => (searches ?? kysely).withTables<Tables>(),
    withLock,
    single: <Tables extends TableShapes, T>(
      statement: (db: Kysely<Tables>) => Promise<T>,
      { isUrgent = false }: { readonly isUrgent?: boolean } = {},
    ) =>
      listening(
        engine.takeLock
          ? afterCollisions(() => statement(singles.withTables<Tables>()))
          : turns.run(transaction => statement(transaction.withTables<Tables>()), isUrgent),
      ),
    words,
    tryRoom: () => withLock('room', tryRoom),
    shrink: async how => await engine.shrink?.(how),
    occupy: async part => {
      if (!engine.occupy) return { isSoleProcess: false, [Symbol.asyncDispose]: async () => {} };
      const held = await engine.occupy(part);
      if (held) return { isSoleProcess: true, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
      throw new Error(
        'Another Muster is running on this SQLite file. Stop it first; to run several, give them a Postgres in DATABASE_URL.',
      );
    },
    size: () => engine.size(kysely),
    countOthers: async () => (await engine.countOthers?.(kysely)) ?? 0,
    [Symbol.asyncDispose]: async () => {
      await words[Symbol.asyncDispose]();
      await searches?.destroy();
      if (singles !== kysely) await singles.destroy();
      await kysely.destroy();
    },
  };
}

/** Runs work in a transaction that takes a lock first, or together with the first statements of the work. */
function runLocked<Tables extends TableShapes, T>(
  kysely: Kysely<NoTables>,
  {
    take,
    sendsAhead,
  }: { take(transaction: Kysely<NoTables>): Promise<void> | undefined; readonly sendsAhead: boolean },
  work: (transaction: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return kysely.transaction().execute(transaction =>
    pinConnection(transaction, async () => {
      const locking = take(transaction);
      if (!sendsAhead) await locking;
      const [taken, done] = await Promise.allSettled([locking, work(transaction.withTables())]);
      // Statements behind a lock that was not got fail too, and say less.
      if (taken.status === 'rejected') throw taken.reason;
      if (done.status === 'rejected') throw done.reason;
      return done.value;
    }),
  );
}

async function afterCollisions<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !isCollision(error)) throw error;
      await wait(Math.random() * 20 * attempt);
    }
  }
}

/** Loads an engine only when it is used, because a driver costs memory and time at start. */
async function openEngine(url: string, options: EngineOptions): Promise<Engine> {
  const scheme = url.split(':', 1)[0];
  if (scheme === 'postgres' || scheme === 'postgresql')
    return (await import('./postgres.ts')).openPostgres(url, options);
  if (scheme !== 'sqlite')
    throw new Error('DATABASE_URL must start with sqlite: or postgres://, and this one does not.');
  const file = url.slice('sqlite:'.length);
  if (file === '') throw new Error('DATABASE_URL names no file: write sqlite:./data/muster.db');
  return await (await import('./sqlite.ts')).openSqlite(file, options.log);
}

/** The words of a process that is alone on its database: there is no process that hears them. */
const noWords: Words = {
  isHeard: () => true,
  hear: () => {},
  say: () => {},
  [Symbol.asyncDispose]: async () => {},
};

/** Bytes that are written: enough to need new pages. They are random, because Postgres would make others small. */
const fillerBytes = 64_000;

/** Stores something and removes it, in a transaction, in a table that each database of Muster's has. */
async function tryRoom(transaction: Kysely<NoTables>): Promise<void> {
  const db = transaction.withTables<StepTables>();
  const filler = { part: 'room', name: randomUUID(), applied_at: randomBytes(fillerBytes / 2).toString('hex') };
  await db.insertInto('schema_migration').values(filler).execute();
  await db.deleteFrom('schema_migration').where('part', '=', filler.part).where('name', '=', filler.name).execute();
}

/** The most pieces of work that are committed together. */
const mostTogether = 64;

/** A piece of work that waits to run. */
interface Job {
  readonly isUrgent: boolean;
  /** Runs the work; rejects as it does. */
  run(transaction: Kysely<NoTables>): Promise<void>;
  /** Resolves the caller's promise with the result of the work. */
  succeed(): void;
  fail(reason: unknown): void;
}

/**
 * Commits work in groups on a database that has one connection and one writer. All work runs one after another, and what waits
 * at the same time shares a commit: a commit waits for the disk, which takes as long as several pieces of work. No work is
 * answered before its commit, and work that fails is undone alone. Urgent work runs first, and no other work delays its commit.
 */
class GroupCommit {
  readonly #kysely: Kysely<NoTables>;
  readonly #urgent: Job[] = [];
  readonly #waiting: Job[] = [];
  #isRunning = false;

  constructor(kysely: Kysely<NoTables>) {
    this.#kysely = kysely;
  }

  /** Runs work in a transaction. Resolves with its result as soon as that is durable. */
  run<T>(work: (transaction: Kysely<NoTables>) => Promise<T>, isUrgent = false): Promise<T> {
    return new Promise((resolve, reject) => {
      let succeed = () => {};
      (isUrgent ? this.#urgent : this.#waiting).push({
        isUrgent,
        async run(transaction) {
          const result = await work(transaction);
          succeed = () => resolve(result);
        },
        succeed: () => succeed(),
        fail: reject,
      });
      void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const first = () => this.#urgent.shift() ?? this.#waiting.shift();
    for (let job = first(); job; job = first()) await this.#runGroup(job);
    this.#isRunning = false;
  }

  async #runGroup(first: Job): Promise<void> {
    const done: Job[] = [];
    try {
      await this.#kysely.transaction().execute(transaction =>
        pinConnection(transaction, async () => {
          await first.run(transaction);
          done.push(first);
          let { isUrgent } = first;
          while (done.length < mostTogether) {
            const job = await this.#next(isUrgent);
            if (!job) break;
            isUrgent ||= job.isUrgent;
            if (await runWithin(transaction, job)) done.push(job);
          }
        }),
      );
    } catch (error) {
      first.fail(error);
      for (const job of done) job.fail(error);
      return;
    }
    for (const job of done) job.succeed();
  }

  /** The next job, for a group that may have urgent work in it. Callers that are about to add one get the chance to. */
  async #next(isUrgent: boolean): Promise<Job | undefined> {
    if (this.#urgent.length === 0 && (isUrgent || this.#waiting.length === 0)) await new Promise(setImmediate);
    return this.#urgent.shift() ?? (isUrgent ? undefined : this.#waiting.shift());
  }
}

const savepoint = CompiledQuery.raw('savepoint turn');
const rollback = CompiledQuery.raw('rollback to turn');
const release = CompiledQuery.raw('release turn');

/** Runs a job after others in their transaction; false when it failed and was undone. */
async function runWithin(transaction: Kysely<NoTables>, job: Job): Promise<boolean> {
  const executor = transaction.getExecutor();
  const say = (statement: CompiledQuery) => withConnection(executor, connection => connection.executeQuery(statement));
  await say(savepoint);
  try {
    await job.run(transaction);
  } catch (error) {
    job.fail(error);
    await say(rollback);
    await say(release);
    return false;
  }
  await say(release);
  return true;
}
