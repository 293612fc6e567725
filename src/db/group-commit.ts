import { CompiledQuery, type Kysely } from 'kysely';
import type { NoTables } from './engine.ts';
import { pinConnection, withConnection } from './transaction-connection.ts';

/** The most pieces of work that are committed together. */
const mostTogether = 64;

/** Runs work in a transaction. Resolves with its result as soon as that is durable. */
type GroupCommit = <T>(work: (transaction: Kysely<NoTables>) => Promise<T>) => Promise<T>;

/** A piece of work that waits to run. */
interface Job {
  /** Runs the work; rejects as it does. */
  run(transaction: Kysely<NoTables>): Promise<void>;
  /** Resolves the caller's promise with the result of the work. */
  succeed(): void;
  fail(reason: unknown): void;
}

/**
 * Commits work in groups on a database that has one connection and one writer. All work runs one after another, and what waits
 * at the same time shares a commit: a commit waits for the disk, which takes as long as several pieces of work. No work is
 * answered before its commit, and work that fails is undone alone.
 */
export function createGroupCommit(kysely: Kysely<NoTables>): GroupCommit {
  const waiting: Job[] = [];
  let running = false;

  async function runAll(): Promise<void> {
    if (running) return;
    running = true;
    for (let job = waiting.shift(); job; job = waiting.shift()) await runGroup(job);
    running = false;
  }

  async function runGroup(first: Job): Promise<void> {
    const done: Job[] = [];
    try {
      await kysely.transaction().execute(transaction =>
        pinConnection(transaction, async () => {
          await first.run(transaction);
          done.push(first);
          while (done.length < mostTogether) {
            const job = await next();
            if (!job) break;
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

  /** The next job. Callers that are about to add one get the chance to. */
  async function next(): Promise<Job | undefined> {
    if (waiting.length === 0) await new Promise(setImmediate);
    return waiting.shift();
  }

  return work =>
    new Promise((resolve, reject) => {
      let succeed = () => {};
      waiting.push({
        async run(transaction) {
          const result = await work(transaction);
          succeed = () => resolve(result);
        },
        succeed: () => succeed(),
        fail: reject,
      });
      void runAll();
    });
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
