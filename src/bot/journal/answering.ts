import type { Outcome } from './intent.ts';
import type { Stored } from './places.ts';
import type { IntentRow } from './rows.ts';
import type { Runner } from './runner.ts';
import type { JournalStore } from './store.ts';
import { fromStoredError, waiting } from './stored-error.ts';
import type { Event, Watch } from './watching.ts';

/** Whose intent it must be. */
export interface Owner {
  readonly teamId: string;
  readonly userId: string;
}

/** Whether somebody asked for an intent first. */
export function isOf(row: IntentRow, { teamId, userId }: Owner): boolean {
  return row.team_id === teamId && row.user_id === userId;
}

/** Gives whoever waits for an intent its outcome. */
export interface Answering {
  /** The outcome of what was stored, within bounded time. Throws when the database is away: whoever asked is told later. */
  answer(stored: Stored, watch: Watch, by: Owner): Promise<Outcome<unknown>>;
}

/** How often somebody who waits looks whether another process has done it, in milliseconds. */
const lookAgain = 250;
/** How much longer somebody waits than an attempt may take, in milliseconds: its outcome has to be stored. */
const grace = 1000;

/** Opens the answering. `budget`: milliseconds that an attempt may take. */
export function createAnswering({
  store,
  runner,
  recall,
  budget,
}: {
  store: JournalStore;
  runner: Runner;
  /** What became of an intent before; undefined while it is unfinished. */
  recall: (row: IntentRow) => Extract<Outcome<unknown>, { state: 'done' | 'refused' }> | undefined;
  budget: number;
}): Answering {
  /** The outcome; whoever cannot be given it is told later. */
  async function answer(stored: Stored, watch: Watch, by: Owner): Promise<Outcome<unknown>> {
    const { row } = stored;
    // Whoever finds that somebody else did it before does not answer for it.
    const isOwn = isOf(row, by);
    try {
      if (isOwn) watch.awaits(row.key);
      return await awaitOutcome(stored, watch);
    } catch (error) {
      watch[Symbol.dispose]();
      if (isOwn) runner.abandon(row.id);
      throw error;
    }
  }

  /** What became of what was stored: as soon as it ends here or elsewhere, or is found to have to wait. */
  async function awaitOutcome(stored: Stored, watch: Watch): Promise<Outcome<unknown>> {
    const { row, isNew } = stored;
    const before = isNew ? undefined : recall(row);
    if (before) return before;
    if (stored.isNext) runner.take([row]);
    else if (stored.isHeldUp) return keepFor(row, isNew);
    let { isEarly } = stored;
    const until = performance.now() + budget + grace;
    while (performance.now() < until) {
      const event = await watch.next(row, Math.min(lookAgain, until - performance.now()));
      if (event) return event.row.key === row.key ? toOutcome(event, isNew) : keepFor(row, isNew);
      const now = await store.ofKey(row.key);
      const ended = now && recall(now);
      if (ended) return { ...ended, repeated: !isNew };
      if (now?.state === 'waiting' && now.attempts > row.attempts) break;
      if (!isEarly || (await store.isEarly(row))) continue;
      isEarly = false;
      void runner.lookAt(now?.lane ?? row.lane);
    }
    return keepFor(row, isNew);
  }

  async function toOutcome({ row, attempted }: Event, isNew: boolean): Promise<Outcome<unknown>> {
    switch (attempted.state) {
      case 'kept':
        return keepFor(row, isNew);
      case 'done':
        return { state: 'done', id: row.id, result: attempted.result, repeated: !isNew };
      case 'refused':
        return { state: 'refused', id: row.id, error: attempted.error, repeated: !isNew };
    }
  }

  /**
   * From now on its end is told by a message, unless it has ended this very moment. Whoever asked first may still wait for it
   * elsewhere and answers then; if they are gone, it is told when nobody has.
   */
  async function keepFor(row: IntentRow, isNew: boolean): Promise<Outcome<unknown>> {
    const isPromised = isNew && (await store.promise(row.id));
    const now = (await store.ofKey(row.key)) ?? row;
    const ended = isPromised ? undefined : recall(now);
    if (ended) return { ...ended, repeated: !isNew };
    return {
      state: 'kept',
      id: row.id,
      error: now.outcome === '' ? waiting : fromStoredError(now.outcome),
      repeated: !isNew,
    };
  }

  return { answer };
}
