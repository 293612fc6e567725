import { setTimeout as pause } from 'node:timers/promises';
import { within } from '../text/timeout.ts';
import type { AttemptDeps } from './attempt.ts';
import { isOfCover } from './covers.ts';
import { createGate } from './gate.ts';
import { leaseTime } from './leases.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { IntentRow } from './rows.ts';
import { type End, tryRun } from './run.ts';
import { createSettling } from './settling.ts';
import type { JournalStore, Settled } from './store.ts';
import { createStoring } from './storing.ts';
import { createWatching, type Ended, type Event, type Watch } from './watching.ts';

/** Tries what is due: each lane in order, lanes beside each other. */
export interface Runner {
  /** Takes over what is leased of a lane, and after it the rest of the lane. */
  take(run: readonly IntentRow[]): void;
  /** Listens for what happens to intents here; ends when disposed. */
  watch(): Watch;
  /** Whether this process is at an intent: it tries it, or has yet to answer for it. */
  isInHand(id: string): boolean;
  /** Goes on holding the lease of an end that is told later, until it is let go; whoever is answered about it changes nothing in that. */
  hold(id: string): void;
  letGo(ids: readonly string[]): void;
  /** Everybody has heard of these. Resolves when that is stored, a moment later, and what came of them. */
  close(ids: readonly string[]): Promise<void>;
  /** Whoever waited for it cannot be given its outcome: its lease runs out, and then it is told. */
  abandon(id: string): void;
  /** Stores the outcomes that are at hand, before all that is stored from now on. */
  flush(): void;
  /** Resolves when the outcomes of these are stored. */
  stored(ids: readonly string[]): Promise<void>;
  /** The same for what people may have been told of already; but when others are tried in one go with it, not for long. */
  storedSoon(id: string): Promise<void>;
  /** Looks for what is due now, and for what is to be told; resolves when what is due was taken. */
  look(): Promise<void>;
  /** Looks at one lane, in which something may have become due. */
  lookAt(lane: string): Promise<void>;
  /** Resolves when nothing is being tried. */
  idle(): Promise<void>;
  /** Takes nothing more; what runs has that many milliseconds to end, and is then handed back. */
  stop(patience: number): Promise<void>;
}

/** Lanes that it holds: while what came of some is stored, others are at hand that can be tried. */
const mostLanes = 64;
/** Lanes that are claimed together. */
const claimedAtOnce = 4;
/** Pause between looks for what is due, in milliseconds. */
const lookEvery = 1000;
/** How long somebody who wants something else of an intent waits until its end is stored, in milliseconds. */
const longestStoring = 1000;
/** How long what was cut off may take to notice, in milliseconds. */
const cuttingOff = 500;

/** Opens the runner. `finish` does what is due for what ended without anybody waiting for it,
 * but for what is in a lane where more is about to end. */
export function createRunner(
  deps: AttemptDeps & {
    readonly store: JournalStore;
    readonly finish: (busy: readonly string[]) => Promise<void>;
    /** Milliseconds of a clock that never steps. */
    readonly steady?: () => number;
    readonly onSettled: (event: Event) => void;
    /** Something ended for which nobody waits. */
    readonly onLate: (row: IntentRow, attempted: Ended) => void;
  },
): Runner {
  const { store, log, steady = () => performance.now() } = deps;
  const settling = createSettling(store, log);
  const lanes = new Map<string, Promise<void>>();
  /** Claimed, and their outcomes not stored yet. */
  const trying = new Set<string>();
  /** Those of them that bear the leases. */
  const heads = new Set<string>();
  /** Ended, and still to be answered for. */
  const owed = new Set<string>();
  /** Ended, and told later. */
  const held = new Set<string>();
  /** The lane that each drain has come to: a declaration's goes on in that of its incident. */
  const busy = new Map<string, string>();
  const watching = createWatching();
  const storing = createStoring();
  /** Being tried, and nobody is there to be given the outcome. */
  const abandoned = new Set<string>();
  const cutOff = new AbortController();
  let isStopped = false;
  /** Something ended for which nobody waited. */
  let untold = false;
  const gate = createGate(steady);
  const hurrying = oneAtATime(hurry);
  const taking = oneAtATime(takeDue);
  const finishing = oneAtATime(finish);

  const timer = setInterval(() => void look(), lookEvery).unref();
  const heart = setInterval(() => void beat(), leaseTime / 4).unref();

  async function beat(): Promise<void> {
    const ids = [...owed, ...held, ...heads];
    if (ids.length === 0) return;
    await store.renewLeases(ids).catch(err => log.warn({ err }, 'leases could not be renewed'));
  }

  /** Tries what was claimed together; yields what is next in the lane. */
  async function tryInOrder(head: IntentRow, run: readonly IntentRow[]): Promise<readonly IntentRow[]> {
    heads.add(head.id);
    for (const { id } of run) trying.add(id);
    const isAwaited = run.some(row => watching.isAwaited(row.key));
    try {
      return await tryRun(head, run, isAwaited ? atHand : inHand);
    } finally {
      heads.delete(head.id);
      for (const { id } of run) {
        trying.delete(id);
        abandoned.delete(id);
      }
    }
  }

  const end: End = (row, attempted, settle) => {
    const isAwaited = watching.isAwaited(row.key);
    // Whoever waits is answered while the outcome is being stored: should that be cut off, the effect is found again. But a
    // declaration may turn out to have found another one's incident.
    const isCertain = attempted.settlement.registers === '';
    const stored = storing.add(row.id, storeEnd(row, attempted, isAwaited, settle));
    if (isCertain) watching.tell({ row, attempted });
    return stored;
  };
  const inHand = {
    ...deps,
    settling,
    end,
    onKept: watching.tell,
    onCover: tellLater,
    isStopped: () => isStopped,
    isAnswered: storing.isAnswered,
    withLock: gate.withLock,
    signal: cutOff.signal,
  };
  /** The same for what somebody waits for. */
  const atHand = { ...inHand, withLock: <T>(trying: () => Promise<T>) => trying() };

  async function storeEnd(
    row: IntentRow,
    attempted: Ended,
    isAwaited: boolean,
    settle: Parameters<End>[2],
  ): Promise<Settled | undefined> {
    const { settlement } = attempted;
    // What was kept for want of the API need not wait for its time when the API is back.
    const hurried = attempted.state === 'done' && row.attempts > 0 ? hurrying.ask() : undefined;
    const settled = await settle(isAwaited);
    trying.delete(row.id);
    if (!settled) {
      log.warn({ intent: row.id }, 'another process has taken over an intent');
      return undefined;
    }
    if (settled.next[0]?.id === row.id) return settled;
    // In place: nobody else has this row, and a copy costs a good part of what storing it does.
    Object.assign(row, settled.changes);
    if (settlement.registers !== '') watching.tell({ row, attempted });
    // Whoever waits for it here has yet to be answered.
    const isAbandoned = abandoned.delete(row.id);
    if (row.late !== 0) {
      if (!isOfCover(row)) tellLater(row, attempted);
    } else if (isAwaited && !isAbandoned) owed.add(row.id);
    deps.onSettled({ row, attempted });
    await hurried;
    if (settlement.consequences.length > 0) void look();
    return settled;
  }

  function tellLater(row: IntentRow, attempted: Ended): void {
    untold = true;
    deps.onLate(row, attempted);
  }

  async function hurry(): Promise<void> {
    await store.hurry().catch(err => log.warn({ err }, 'what waits could not be made due'));
  }

  async function close(ids: readonly string[]): Promise<void> {
    try {
      const due = await storing.answer(ids);
      if (due.length > 0) await settling.close(due);
    } finally {
      // What could not be stored is told by whoever finds it.
      for (const id of ids) owed.delete(id);
    }
  }

  async function putBack(run: readonly IntentRow[]): Promise<void> {
    if (run.length > 0) await store.putBack(run.map(row => row.id));
  }

  async function drain(lane: string, first: readonly IntentRow[]): Promise<void> {
    for (let run = first, head = run[0]; head; head = run[0]) {
      busy.set(lane, head.lane);
      const next = await tryInOrder(head, run);
      if (isStopped || next === run) return putBack(next);
      run = next;
    }
  }

  function take(run: readonly IntentRow[]): void {
    const [first] = run;
    if (!first) return;
    const { lane, id } = first;
    const running = drain(lane, run)
      .catch(err => log.error({ err, intent: id }, 'a lane stopped'))
      .finally(() => {
        const isOneLess = lanes.size >= mostLanes;
        if (lanes.get(lane) === running) lanes.delete(lane);
        busy.delete(lane);
        if (isOneLess || untold) void look();
      });
    lanes.set(lane, running);
  }

  async function lookAt(lane: string): Promise<void> {
    if (isStopped || lanes.has(lane)) return;
    try {
      take(await store.claim(lane));
    } catch (err) {
      log.warn({ err }, 'a lane could not be looked at');
    }
  }

  async function takeDue(): Promise<void> {
    try {
      const room = mostLanes - lanes.size;
      const found = room > 0 ? await store.lookForLanes([...lanes.keys()], room) : [];
      // The first one alone: it may find that the API is still away.
      for (let from = 0, to = 1; from < found.length; from = to, to += claimedAtOnce) {
        if (lanes.size >= mostLanes) break;
        await Promise.all(found.slice(from, to).map(lookAt));
      }
    } catch (err) {
      log.warn({ err }, 'what is due could not be looked for');
    }
  }

  async function finish(): Promise<void> {
    if (isStopped) return;
    // What ended in a lane where more is about to end is told with it.
    if (busy.size === 0) untold = false;
    await deps.finish([...busy.values()]).catch(err => log.warn({ err }, 'what ended could not be told'));
  }

  /** Telling what ended goes on beside it: Slack takes its time, and no lane waits for that. */
  function look(): Promise<void> {
    if (isStopped) return Promise.resolve();
    const taken = taking.ask();
    void taken.then(finishing.ask);
    return taken;
  }

  async function ended(): Promise<void> {
    const rest = () => [taking.goingOn(), finishing.goingOn()];
    while (lanes.size > 0 || rest().some(Boolean)) await Promise.allSettled([...lanes.values(), ...rest()]);
  }

  return {
    take,
    watch: watching.watch,
    flush: () => void settling.flush(),
    stored: storing.stored,
    storedSoon: async id => {
      await within(longestStoring, storing.stored([id]));
    },
    abandon: id => {
      owed.delete(id);
      if (trying.has(id)) abandoned.add(id);
    },
    isInHand: id => trying.has(id) || owed.has(id) || held.has(id),
    hold: id => void held.add(id),
    letGo: ids => {
      for (const id of ids) held.delete(id);
    },
    close,
    look,
    lookAt,
    idle: ended,
    stop: async patience => {
      isStopped = true;
      clearInterval(timer);
      clearInterval(heart);
      const cut = setTimeout(() => cutOff.abort(), patience);
      // What has not begun sees that it need not.
      gate.open();
      await Promise.race([ended(), pause(patience + cuttingOff, undefined, { ref: false })]);
      clearTimeout(cut);
      await settling.flush();
      await store.handBack().catch(err => log.warn({ err }, 'leases could not be handed back'));
    },
  };
}
