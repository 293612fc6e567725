import type { Logger } from 'pino';

/** How long the database may take to answer a probe, in milliseconds: a prober gives up soon after. */
const patience = 2000;

/** What a watch needs. */
interface DatabaseWatchDeps {
  readonly clock: () => Date;
  readonly log: Logger;
}

/** Knows whether the database answered when it was last read for a status page, and since when it does not. */
export class DatabaseWatch {
  readonly #deps: DatabaseWatchDeps;
  #awaySince: Date | undefined;

  constructor(deps: DatabaseWatchDeps) {
    this.#deps = deps;
  }

  /** When the database was first found not to answer; undefined while it answers. */
  get awaySince(): Date | undefined {
    return this.#awaySince;
  }

  /** The result of a read; undefined when the database fails or takes too long. Each change is logged once, with its cause. */
  async read<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await inTime(work());
      if (this.#awaySince) this.#deps.log.info('database: answers again');
      this.#awaySince = undefined;
      return result;
    } catch (err) {
      if (!this.#awaySince) this.#deps.log.warn({ err }, 'database: does not answer a status page');
      this.#awaySince ??= this.#deps.clock();
      return undefined;
    }
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${patience} ms.`)), patience);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
