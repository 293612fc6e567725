import type { Logger } from 'pino';
import type { Deadlines } from '../deadlines.ts';

interface DatabaseWatchDeps {
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** A disk without room. */
interface Full {
  readonly since: Date;
  /** Resolves when there is room again. */
  readonly tryRoom: () => Promise<void>;
}

/** Knows whether the database answered when it was last read for a status page, whether its disk is full, and since when. */
export class DatabaseWatch {
  readonly #deps: DatabaseWatchDeps;
  #awaySince: Date | undefined;
  #full: Full | undefined;

  constructor(deps: DatabaseWatchDeps) {
    this.#deps = deps;
  }

  /** When the database was first found not to answer; undefined while it answers. */
  get awaySince(): Date | undefined {
    return this.#awaySince;
  }

  /** When work first failed because the disk is full; undefined while there is room. */
  get fullSince(): Date | undefined {
    return this.#full?.since;
  }

  /** Hears that work failed because the disk is full. From then on each status page tries first whether there is room again. */
  hearFull(err: unknown, tryRoom: () => Promise<void>): void {
    if (this.#full) return;
    this.#full = { since: this.#deps.clock(), tryRoom };
    this.#deps.log.warn({ err }, 'database: its disk is full, so nothing is stored');
  }

  /** The result of a read; undefined when the database fails or takes too long. Each change is logged once, with its cause. */
  async read<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      if (this.#full) await this.#look(this.#full);
      const result = await this.#inTime(work());
      if (this.#awaySince) this.#deps.log.info('database: answers again');
      this.#awaySince = undefined;
      return result;
    } catch (err) {
      if (!this.#awaySince) this.#deps.log.warn({ err }, 'database: does not answer a status page');
      this.#awaySince ??= this.#deps.clock();
      return undefined;
    }
  }

  async #look(full: Full): Promise<void> {
    try {
      await this.#inTime(full.tryRoom());
    } catch {
      // It is full still, or away; the read that follows tells which.
      return;
    }
    if (this.#full !== full) return;
    this.#full = undefined;
    this.#deps.log.info('database: its disk has room again');
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const longest = this.#deps.deadlines.databaseCheck;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`No answer within ${longest} ms.`)), longest);
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
