import { isCovered } from './covers.ts';
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
  add(end: LateEnd): void;
  /** Tells what ended, but for lanes where more is about to end: that is told together. Throws when some could not be told. */
  tellAll(busy: readonly string[]): Promise<void>;
}

/** Ends that are told together, and all that is done with then. */
interface Batch {
  readonly rows: readonly IntentRow[];
  readonly ends: readonly LateEnd[];
}

/** How long it is waited after ends could not be told, in milliseconds. */
const tellingPause = 2000;
/** Ends that are told at a time, and the rest of a run: it is one end that stands for it. */
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
  /** What ended in this process, by lane. */
  const ended = new Map<string, LateEnd[]>();

  async function tellSome({ rows, ends }: Batch): Promise<void> {
    try {
      await tell?.(ends);
    } catch (error) {
      await putOff(rows);
      throw error;
    }
  }

  /** Yields why that these were told could not be stored; undefined when it was. */
  async function close(rows: readonly IntentRow[]): Promise<unknown> {
    try {
      await store.closeTold(rows);
      runner.letGo(toHeld(rows));
      return undefined;
    } catch (error) {
      return await putOff(rows).then(
        () => error,
        () => error,
      );
    }
  }

  /** Others may have a way to tell; so has this process, a little later. */
  async function putOff(rows: readonly IntentRow[]): Promise<void> {
    notBefore = performance.now() + tellingPause;
    const held = toHeld(rows);
    runner.letGo(held);
    await store.release(held);
  }

  /** Some of what this process has to tell. */
  function takeOwn(busy: readonly string[]): Batch {
    const ends: LateEnd[] = [];
    for (const [lane, all] of ended) {
      if (busy.includes(lane)) continue;
      // The first of what was tried in one go is stored last.
      all.sort((one, other) => one.kept.row.seq - other.kept.row.seq);
      ends.push(...all.splice(0, toEndOfRun(all, mostEnds - ends.length)));
      if (all.length > 0) break;
      ended.delete(lane);
    }
    return { rows: ends.map(end => end.kept.row), ends };
  }

  /** Some of what others left. */
  async function takeLeft(busy: readonly string[]): Promise<Batch> {
    const left = await store.claimEnds(mostEnds, busy);
    for (const { id } of left) runner.hold(id);
    return { rows: left, ends: left.flatMap(toLateEnd) };
  }

  return {
    onEnd: listener => {
      tell = listener;
    },
    add: end => {
      const { id, row } = end.kept;
      if (!isCovered(row)) runner.hold(id);
      const others = ended.get(row.lane);
      if (others) others.push(end);
      else ended.set(row.lane, [end]);
    },
    tellAll: async busy => {
      if (!tell || performance.now() < notBefore) return;
      const closing: Promise<unknown>[] = [];
      const tellAndClose = async (some: Batch) => {
        await tellSome(some);
        closing.push(close(some.rows));
      };
      const allClosed = async () => {
        const why = (await Promise.all(closing)).find(each => each !== undefined);
        if (why !== undefined) throw why;
      };
      for (let own = takeOwn(busy); own.rows.length > 0; own = takeOwn(busy)) await tellAndClose(own);
      // Some of it may be what others are taken to have left, as long as it is not closed.
      await allClosed();
      for (let left = await takeLeft(busy); left.rows.length > 0; left = await takeLeft(busy)) await tellAndClose(left);
      await allClosed();
    },
  };
}

/** Those of some that this process holds by themselves. */
function toHeld(rows: readonly IntentRow[]): readonly string[] {
  return rows.filter(row => !isCovered(row)).map(row => row.id);
}

/** How many of some in order are told, if `most` are to be, and all that these cover. */
function toEndOfRun(ends: readonly LateEnd[], most: number): number {
  const ids = new Set(ends.slice(0, most).map(end => end.kept.id));
  const last = ends.findLastIndex(({ kept: { row } }) => isCovered(row) && ids.has(row.lease_owner));
  return Math.max(most, last + 1);
}
