import { AsyncLocalStorage } from 'node:async_hooks';
import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { type Clock, install } from '@sinonjs/fake-timers';
import { Random } from './random.ts';

/** Who a piece of work is done by. What somebody dead has left to do is never done. */
export interface Doer {
  readonly isAlive: boolean;
  /** Resolves when somebody who stands still goes on; undefined for one who does not stand still. */
  readonly standstill?: Promise<void> | undefined;
}

/** Time that passes only when {@link VirtualTime.until} lets it, and chance that a seed decides. */
export interface VirtualTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Lets time pass until then, doing everything that falls due. */
  until(moment: number): Promise<void>;
  /** Sets all clocks ahead by so many milliseconds, as when every machine has slept: nothing happens meanwhile, which costs nothing. */
  sleep(milliseconds: number): void;
  /**
   * Lets so many milliseconds pass in which nothing is due, which costs nothing. Clocks that never step go on too, and what waits for longer than
   * half a minute falls due.
   */
  skip(milliseconds: number): void;
  /** Resolves after so much virtual time. */
  pause(milliseconds: number): Promise<void>;
  /** Does work as somebody: every timer that comes of it is theirs. */
  as<T>(doer: Doer, work: () => T): T;
  /** Does work as nobody, such as what is not a replica's own: it goes on when the one who asked for it has died. */
  asNobody<T>(work: () => T): T;
  /** Who does what is being done now. */
  readonly doer: Doer | undefined;
}

/** Timers that may fire in one world; a lively one has about 50,000. */
const mostTimers = 1_000_000;

/** What waits for less than that only looks whether anything is due, in milliseconds. */
const longWait = 30_000;

const doing = new AsyncLocalStorage<Doer>();
const realSetImmediate = setImmediate;
let clock: Clock | undefined;
let random = new Random(0);
/** How far clocks that never step are ahead of the time that passed, in milliseconds. */
let skipped = 0;

/**
 * Begins a world at a moment, with chance from a seed. Takes the place of every clock, timer and source of chance of this
 * process, for good: of Node's modules too, since imports by name follow them.
 */
export function beginTime(start: number, seed: number): VirtualTime {
  random = new Random(seed, 'chance');
  skipped = 0;
  if (clock) {
    clock.reset();
    clock.setSystemTime(start);
  } else {
    clock = takeOver(start);
  }
  const fake = clock;
  let fired = 0;
  return {
    now: () => fake.now,
    pause: milliseconds =>
      new Promise(resolve => {
        fake.setTimeout(() => resolve(), milliseconds);
      }),
    sleep: milliseconds => fake.setSystemTime(fake.now + milliseconds),
    skip: milliseconds => {
      const timers = [...(fake.timers?.values() ?? [])].map(timer => ({ timer, at: timer.callAt ?? 0 }));
      const long = timers.filter(({ at }) => at > fake.now + longWait);
      fake.setSystemTime(fake.now + milliseconds);
      skipped += milliseconds;
      for (const { timer, at } of long) timer.callAt = Math.max(at, fake.now + 1);
      // Nothing is due yet, so this only sorts the timers.
      fake.jump(0);
    },
    as: (doer, work) => doing.run(doer, work),
    asNobody: work => doing.exit(work),
    get doer() {
      return doing.getStore();
    },
    async until(moment) {
      let isReached = false;
      fake.setTimeout(
        () => {
          isReached = true;
        },
        Math.max(0, moment - fake.now),
      );
      while (!isReached) {
        await quietly();
        fired += 1;
        if (fired > mostTimers) throw new Error('This world does not come to rest: something is done again and again.');
        fake.next();
      }
      await quietly();
    },
  };
}

/** Lets time pass until some work is done, which is looked at after each `step`, in milliseconds. */
export async function meanwhile<T>(time: VirtualTime, work: Promise<T>, step = 1): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  while (!isDone) await time.until(time.now() + step);
  return done;
}

/** Resolves when everything that waits for no timer is done: whatever is left of Node's own queues comes before this. */
function quietly(): Promise<void> {
  return new Promise(resolve => {
    realSetImmediate(resolve);
  });
}

function takeOver(start: number): Clock {
  const fake = install({
    now: start,
    toFake: [
      'setTimeout',
      'clearTimeout',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'Date',
      'performance',
    ],
  });
  const steady = performance.now.bind(performance);
  performance.now = () => steady() + skipped;
  type Callback = (...args: unknown[]) => void;
  const owned = (callback: Callback): Callback => {
    const doer = doing.getStore();
    if (!doer) return callback;
    let isOverdue = false;
    return (...args) => {
      const fire = () => {
        isOverdue = false;
        if (doer.isAlive) doing.run(doer, () => callback(...args));
      };
      if (!doer.standstill) return fire();
      // What fell due several times meanwhile happens once, as with the timers of a stopped process.
      if (!isOverdue) void doer.standstill.then(fire);
      isOverdue = true;
    };
  };
  const { setTimeout: timeout, setInterval: interval, setImmediate: immediate } = globalThis;
  const schedule = {
    setTimeout: (callback: Callback, ms?: number, ...args: unknown[]) => timeout(owned(callback), ms, ...args),
    setInterval: (callback: Callback, ms?: number, ...args: unknown[]) => interval(owned(callback), ms, ...args),
    setImmediate: (callback: Callback, ...args: unknown[]) => immediate(owned(callback), ...args),
  };
  Object.assign(globalThis, schedule);
  Object.assign(timersPromises, { setTimeout: wait, setImmediate: () => wait(0) });
  AbortSignal.timeout = milliseconds => {
    const controller = new AbortController();
    schedule.setTimeout(
      () => controller.abort(new DOMException('The operation timed out', 'TimeoutError')),
      milliseconds,
    );
    return controller.signal;
  };
  Math.random = () => random.unit();
  const randomUUID = () => {
    const hex = random.bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}` as const;
  };
  Object.assign(nodeCrypto, { randomUUID, randomBytes: (size: number) => random.bytes(size) });
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: randomUUID });
  syncBuiltinESMExports();
  return fake;
}

function wait(milliseconds = 0, value?: unknown, options: { signal?: AbortSignal | undefined } = {}): Promise<unknown> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new DOMException('The operation was aborted', 'AbortError'));
    if (signal?.aborted) return giveUp();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(value);
    }, milliseconds);
    const onAbort = () => {
      clearTimeout(timer);
      giveUp();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
