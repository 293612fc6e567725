import { type Attempt, type AttemptDeps, type Attempted, prepare } from './attempt.ts';
import { isOfCover } from './covers.ts';
import { persistently } from './persistently.ts';
import type { IntentRow } from './rows.ts';
import type { Settling } from './settling.ts';
import type { JournalStore, Settled, ToSettle } from './store.ts';
import type { Ended, Event } from './watching.ts';

/** Stores what came of an intent, as `settle` does, and does what follows; undefined when another process has taken it over. */
export type End = (
  row: IntentRow,
  attempted: Ended,
  settle: (isUrgent: boolean) => Promise<Settled | undefined>,
) => Promise<Settled | undefined>;

/** What came of one of a run. */
interface Done extends Event {
  readonly attempted: Ended;
}

/** The same, and the storing of it. */
interface Tried extends Done {
  readonly stored: Promise<Settled | undefined>;
}

/** What came of one that is to be tried again. */
interface Kept extends Event {
  readonly attempted: Extract<Attempted, { state: 'kept' }>;
}

/** How long what was claimed together may be tried in one go, in milliseconds: after a crash all of it is in doubt. */
const longestRun = 1000;

/**
 * Tries what was claimed together one after the other, and stores what came of each meanwhile: of `head`, the first one, last,
 * since the others are held by its lease. Yields what is next in the lane; `run` itself when nothing of it was tried.
 */
export async function tryRun(
  head: IntentRow,
  run: readonly IntentRow[],
  {
    store,
    settling,
    end,
    onKept,
    onCover,
    isStopped,
    isAnswered,
    withLock,
    signal,
    ...deps
  }: AttemptDeps & {
    readonly store: Pick<JournalStore, 'keep'>;
    readonly settling: Settling;
    readonly end: End;
    /** One is kept for another attempt, and with it all that is behind it in its lane. */
    readonly onKept: (event: Event) => void;
    /** One that stands for others, or that another one stands for, is stored, and so are they. */
    readonly onCover: (row: IntentRow, attempted: Ended) => void;
    readonly isStopped: () => boolean;
    readonly isAnswered: ToSettle['isAnswered'];
    /** Does the trying when it is this run's turn, unless that comes too late; storing what came of it takes no turn. */
    readonly withLock: <T>(trying: () => Promise<T>) => Promise<T | undefined>;
    /** Cuts an attempt off. */
    readonly signal: AbortSignal;
  },
): Promise<readonly IntentRow[]> {
  const tried: Tried[] = [];
  /** What is leased in the place of the first when that is stored, after the others; undefined: another process has the lane. */
  const last = Promise.withResolvers<ToSettle['next'] | undefined>();
  let isBroken = false;

  const attemptDeps: AttemptDeps = {
    ...deps,
    // What one did is told from what another of the same run did by what is stored, and by what came of the first.
    resultsOf: async (kind, incidentID) => {
      // What came of the one before is noted right after this one has begun.
      await Promise.resolve();
      void settling.flush();
      await Promise.all(tried.slice(1).map(each => each.stored));
      const results = await deps.resultsOf(kind, incidentID);
      const ofHead = tried[0]?.attempted;
      const isSame = ofHead?.state === 'done' && head.kind === kind && head.incident_id === incidentID;
      return isSame ? [...results, ofHead.settlement.outcome] : results;
    },
  };

  /** Soon, since the rest of the lane waits for it. */
  async function settleHead(to: ToSettle['to']): Promise<Settled | undefined> {
    const next = await last.promise;
    if (!next) return undefined;
    const after = tried.at(-1)?.row.seq ?? head.seq;
    return settling.settle({ row: head, to, head, after, next, isAnswered }, true);
  }

  function settleOther(row: IntentRow, to: ToSettle['to'], isUrgent: boolean): Promise<Settled | undefined> {
    return settling.settle({ row, to, head, after: row.seq, next: 'none', isAnswered }, isUrgent || isStopped());
  }

  function storeLater({ row, attempted }: Done): void {
    const to = attempted.settlement;
    const stored = end(row, attempted, isUrgent => (row === head ? settleHead(to) : settleOther(row, to, isUrgent)));
    tried.push({ row, attempted, stored });
    if (row === head) return;
    stored.then(
      settled => (isBroken ||= settled === undefined),
      () => (isBroken = true),
    );
  }

  /** Stores the first as well, and leases `next` in its place; false when another process has the lane. */
  async function storeAll(next: ToSettle['next']): Promise<boolean> {
    last.resolve(next);
    if ((await Promise.all(tried.map(each => each.stored))).includes(undefined)) return false;
    for (const { row, attempted } of tried) if (isOfCover(row)) onCover(row, attempted);
    return true;
  }

  /** Tries one after the other until one is to be tried again: yields what came of that. */
  async function tryAll(): Promise<Kept | undefined> {
    const until = performance.now() + longestRun;
    let begin: Attempt | undefined;
    let before: Done | undefined;
    for (const [index, row] of run.entries()) {
      if (isBroken || isStopped() || performance.now() > until) break;
      const going = (begin ?? prepare(row, attemptDeps))(signal);
      // While the API works on it: what came of the one before is stored, and the one after is read.
      if (before) storeLater(before);
      const after = run[index + 1];
      begin = after && prepare(after, attemptDeps);
      const attempted = await going;
      if (attempted.state === 'kept') return { row, attempted };
      before = { row, attempted };
    }
    if (before) storeLater(before);
    return undefined;
  }

  try {
    const kept = await withLock(tryAll);
    if (kept) {
      if (!(await storeAll({ id: kept.row.id }))) return [];
      await persistently(deps.log, () => store.keep(kept.row, kept.attempted));
      onKept(kept);
      return [];
    }
    // Stopped before it began, or it began too late.
    if (tried.length === 0) return run;
    if (isBroken || !(await storeAll(isStopped() ? 'none' : 'any'))) return [];
    return (await tried[0]?.stored)?.next ?? [];
  } finally {
    last.resolve(undefined);
  }
}
