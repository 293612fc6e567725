import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type BackoffPolicy, backoff } from '../contract/backoff.ts';

/** Pauses between attempts, in milliseconds. A start that others wait for is not to lag behind by more than the longest. */
const pauses: BackoffPolicy = { first: 250, longest: 10_000, jitter: 0.5 };

/** What a start needs from outside of the process. */
type Outside = 'Slack' | 'database';

/** Something that a start waits for. */
export interface Missing {
  readonly name: Outside;
  readonly since: Date;
}

interface StartWatchDeps {
  readonly clock: () => Date;
  readonly log: Logger;
  /** Ends the waiting. */
  readonly stopping: AbortSignal;
}

/** Waits, while a process starts, for what is outside of it, and knows what is missing and since when. */
export class StartWatch {
  readonly #deps: StartWatchDeps;
  readonly #missing = new Map<Outside, Date>();
  readonly #found = new Set<Outside>();
  /** Whether all is there, so that the process does its work. */
  isOver = false;

  constructor(deps: StartWatchDeps) {
    this.#deps = deps;
  }

  /** Whether the process was told to stop. */
  get isStopping(): boolean {
    return this.#deps.stopping.aborted;
  }

  /** What is missing, in the order in which it was missed. */
  get missing(): readonly Missing[] {
    return [...this.#missing].map(([name, since]) => ({ name, since }));
  }

  /** Whether it has answered since the start. */
  isFound(name: Outside): boolean {
    return this.#found.has(name);
  }

  /**
   * Repeats an attempt until it works. Throws an error that waiting does not fix, as `mayPass` tells, and the reason of `stopping`
   * once that aborts; what the attempt then under way opens is closed again. Each change is one line of the log.
   */
  async until<T extends object>(
    name: Outside,
    attempt: () => Promise<T>,
    mayPass: (error: unknown) => boolean,
  ): Promise<T> {
    const { stopping } = this.#deps;
    for (let attempts = 1; ; attempts += 1) {
      try {
        const result = await unlessStopped(attempt, stopping);
        this.#answered(name);
        return result;
      } catch (error) {
        if (stopping.aborted || !mayPass(error)) throw error;
        this.#missed(name, error);
      }
      await pause(backoff(attempts, pauses), undefined, { signal: stopping });
    }
  }

  #answered(name: Outside): void {
    this.#found.add(name);
    if (this.#missing.delete(name)) this.#deps.log.info(`start: ${toSubject(name)} answers`);
  }

  #missed(name: Outside, err: unknown): void {
    if (this.#missing.has(name)) return;
    const { log, clock } = this.#deps;
    this.#missing.set(name, clock());
    log.warn({ err }, `start: ${toSubject(name)} cannot be reached, so Muster waits for it`);
  }
}

function toSubject(name: Outside): string {
  return name === 'database' ? 'the database' : name;
}

async function unlessStopped<T extends object>(attempt: () => Promise<T>, stopping: AbortSignal): Promise<T> {
  stopping.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(stopping.reason);
  stopping.addEventListener('abort', stop, { once: true });
  const work = attempt();
  try {
    return await Promise.race([work, stopped.promise]);
  } catch (error) {
    if (stopping.aborted) void work.then(close, () => undefined);
    throw error;
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

async function close(opened: object): Promise<void> {
  const dispose: unknown = Reflect.get(opened, Symbol.asyncDispose);
  if (typeof dispose === 'function') await Reflect.apply(dispose, opened, []);
}
