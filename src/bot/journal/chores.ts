import type { Logger } from 'pino';
import { type Coalesced, coalesce } from './coalesce.ts';
import type { Leases } from './leases.ts';
import { giveUpAfter } from './retry-policy.ts';
import type { Store } from './store.ts';
import type { Worker } from './worker.ts';

/** How long final intents are kept, so that nothing is repeated under their keys, in milliseconds: thirty days. */
const remembered = 30 * 24 * 3_600_000;
/** Final intents deleted in one transaction. */
const purgedAtOnce = 500;
/** Pauses between ticks and between prunings, in milliseconds. */
const tickEvery = 1000;
const pruneEvery = 600_000;

/** What the chores work on. */
interface ChoreDeps {
  readonly clock: () => Date;
  readonly log: Logger;
  readonly leases: Leases;
  readonly store: Store;
  readonly worker: Pick<Worker, 'look' | 'tidy'>;
  readonly telling: Coalesced;
  /** Called once a second. */
  onTick(): Promise<void>;
}

/** The work of a journal that is done again and again. */
export interface Chores {
  /** Looks for dead processes, due intents and untold outcomes; happens once a second. */
  tick(): Promise<void>;
  /** Gives up intents that nobody will take up, and forgets those that ended long ago; happens every ten minutes. */
  prune(): Promise<void>;
  stop(): void;
}

/** Starts the chores of one process. */
export function startChores({ clock, log, leases, store, worker, telling, onTick }: ChoreDeps): Chores {
  let isStopped = false;
  const ticking = coalesce(async () => {
    if (isStopped) return;
    try {
      await worker.tidy();
      await leases.freeDead();
    } catch (err) {
      log.warn({ err }, 'journal: could not look for dead processes');
    }
    await worker.look();
    // Slack takes its time, and no lane waits for it.
    void telling.run();
    await onTick().catch(err => log.warn({ err }, 'journal: a chore failed'));
  });

  async function prune(): Promise<void> {
    const now = clock().getTime();
    try {
      await store.giveUp(new Date(now - giveUpAfter));
      while ((await store.purge(new Date(now - remembered), purgedAtOnce)) === purgedAtOnce);
    } catch (err) {
      log.warn({ err }, 'journal: could not forget old intents');
    }
  }

  const timers = [
    setInterval(() => void ticking.run(), tickEvery).unref(),
    setInterval(() => void prune(), pruneEvery).unref(),
  ];
  return {
    tick: ticking.run,
    prune,
    stop: () => {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}
