import type { Outcome } from './intent.ts';
import type { Kept } from './journal.ts';
import type { IntentRow } from './rows.ts';
import type { Runner } from './runner.ts';
import type { JournalStore } from './store.ts';

/** What is told of an end that nobody waited for. */
export interface LateEnd {
  readonly kept: Kept;
  /** It came of another intent, which was told of: only a refusal is. */
  readonly isQuiet: boolean;
  readonly outcome: Extract<Outcome<unknown>, { state: 'done' | 'refused' }>;
}

/** Tells what nobody waited for to whoever asked for it, for each end only once it has been told. */
export interface Telling {
  /** From now on these are told; until then nobody is. */
  onEnd(tell: (ends: readonly LateEnd[]) => Promise<void>): void;
  /** Takes on an end of this process. */
  add(row: IntentRow): void;
  /** Tells what ended, but for lanes where more is about to end: that is told together. Throws when some could not be told. */
  tellAll(busy: readonly string[]): Promise<void>;
}

/** How long it is waited after ends could not be told, in milliseconds. */
const tellingPause = 2000;
/** Ends that are told at a time. */
const mostEnds = 50;

/** Opens the telling. */
export function createTelling({
  store,
  runner,
  toLateEnd,
}: {
  store: JournalStore;
  runner: Pick<Runner, 'hold' | 'letGo'>;
  /** Nothing when nothing is to be told of it. */
  toLateEnd: (row: IntentRow) => readonly LateEnd[];
}): Telling {
  let tell: ((ends: readonly LateEnd[]) => Promise<void>) | undefined;
  let notBefore = 0;
  /** Ended in this process, oldest first. */
  let ended: IntentRow[] = [];

  async function tellSome(rows: readonly IntentRow[]): Promise<void> {
    const ids = rows.map(row => row.id);
    try {
      await tell?.(rows.flatMap(toLateEnd));
      await store.close(ids);
    } catch (error) {
      // Others may have a way to tell; so has this process, a little later.
      notBefore = performance.now() + tellingPause;
      await store.release(ids);
      throw error;
    } finally {
      runner.letGo(ids);
    }
  }

  /** Some of what this process has to tell, else of what others left. */
  async function takeSome(busy: readonly string[]): Promise<readonly IntentRow[]> {
    const isIn = new Set(busy);
    const own = ended.filter(row => !isIn.has(row.lane)).slice(0, mostEnds);
    if (own.length > 0) {
      const taken = new Set(own);
      ended = ended.filter(row => !taken.has(row));
      return own;
    }
    const left = await store.claimEnds(mostEnds, busy);
    for (const { id } of left) runner.hold(id);
    return left;
  }

  return {
    onEnd: listener => {
      tell = listener;
    },
    add: row => {
      runner.hold(row.id);
      ended.push(row);
    },
    tellAll: async busy => {
      if (!tell || performance.now() < notBefore) return;
      for (let rows = await takeSome(busy); rows.length > 0; rows = await takeSome(busy)) await tellSome(rows);
    },
  };
}
