import { setTimeout as pause } from 'node:timers/promises';
import { type AttemptDeps, attempt } from './attempt.ts';
import { leaseTime } from './leases.ts';
import { persistently } from './persistently.ts';
import type { IntentRow } from './rows.ts';
import { createSettling } from './settling.ts';
import type { JournalStore, Settled } from './store.ts';
import { createWatching, type Ended, type Event, type Watch } from './watching.ts';

/** Tries what is due: each lane in order, lanes beside each other. */
export interface Runner {
  /** Takes over what is leased of a lane, and after it the rest of the lane. */
  take(run: readonly IntentRow[]): void;
  /** Listens for what happens to intents here; ends when disposed. */
  watch(): Watch;
  /** Whether this process is at an intent: it tries it, or has yet to answer for it. */
  isInHand(id: string): boolean;
  /** Goes on holding an intent's lease, until it is let go. */
  hold(id: string): void;
  letGo(ids: readonly string[]): void;
  /** Whoever waited for it cannot be given its outcome: its lease runs out, and then it is told. */
  abandon(id: string): void;
  /** Resolves when the outcomes of these are stored. */
  stored(ids: readonly string[]): Promise<void>;
  /** Looks for what is due now; resolves when it was taken. */
  look(): Promise<void>;
  /** Looks at one lane, in which something may have become due. */
  lookAt(lane: string): Promise<void>;
  /** Resolves when nothing is being tried. */
  idle(): Promise<void>;
  /** Takes nothing more; what runs has that many milliseconds to end, and is then handed back. */
  stop(patience: number): Promise<void>;
}

/** Lanes that one process works on at a time. */
const mostLanes = 32;
/** Pause between looks for what is due, in milliseconds. */
const lookEvery = 1000;
/** How long what was cut off may take to notice, in milliseconds. */
const cuttingOff = 500;

/** Opens the runner. `finish` does what is due for what ended without anybody waiting for it,
 * but for what is in a lane where more is about to end. */
export function createRunner(
  deps: AttemptDeps & {
    readonly store: JournalStore;
    readonly finish: (busy: readonly string[]) => Promise<void>;
    readonly onSettled: (event: Event) => void;
    /** Something ended for which nobody waits. */
    readonly onLate: (row: IntentRow, attempted: Ended) => void;
  },
): Runner {
  const { store, log } = deps;
  const settling = createSettling(store, log);
  const lanes = new Map<string, Promise<void>>();
  /** Claimed, and their outcomes not stored yet. */
  const trying = new Set<string>();
  /** Ended, and still to be answered for. */
  const held = new Set<string>();
  /** The lane that each drain has come to: a declaration's goes on in that of its incident. */
  const busy = new Map<string, string>();
  const watching = createWatching();
  /** Outcomes that are being stored, by the ids of their intents. */
  const storing = new Map<string, Promise<unknown>>();
  /** Being tried, and nobody is there to be given the outcome. */
  const abandoned = new Set<string>();
  const cutOff = new AbortController();
  let isStopped = false;
  let looking: Promise<void> | undefined;
  /** Something ended for which nobody waited. */
  let untold = false;

  const timer = setInterval(() => void look(), lookEvery).unref();
  const heart = setInterval(() => void beat(), leaseTime / 4).unref();

  async function beat(): Promise<void> {
    if (held.size + trying.size === 0) return;
    await store.renewLeases([...held, ...trying]).catch(err => log.warn({ err }, 'leases could not be renewed'));
  }

  /** Tries these one after the other, and stores what came of each meanwhile. Yields what is next in the lane. */
  async function tryInOrder(run: readonly IntentRow[]): Promise<readonly IntentRow[]> {
    const untried = [...run];
    const stored: Promise<Settled | undefined>[] = [];
    let isLost = false;
    // What one did is told from what another of the same run did by what is stored.
    const resultsOf: typeof deps.resultsOf = async (...of) => {
      settling.flush();
      await Promise.all(stored);
      return deps.resultsOf(...of);
    };
    for (const { id } of run) trying.add(id);
    try {
      for (let row = untried.shift(); row && !isLost; row = untried.shift()) {
        const attempted = await attempt(row, { ...deps, resultsOf }, cutOff.signal);
        if (attempted.state === 'kept') {
          settling.flush();
          if ((await Promise.all(stored)).includes(undefined)) return [];
          await persistently(log, () => store.keep(row, attempted));
          watching.tell({ row, attempted });
          return [];
        }
        const ending = end(row, attempted, untried.length === 0);
        ending.then(
          settled => (isLost ||= settled === undefined),
          () => (isLost = true),
        );
        stored.push(ending);
        if (isStopped) break;
      }
      const settled = await Promise.all(stored);
      if (settled.includes(undefined)) return [];
      await putBack(untried);
      return settled.at(-1)?.next ?? [];
    } finally {
      for (const { id } of run) {
        trying.delete(id);
        abandoned.delete(id);
      }
    }
  }

  /** Stores what came of an intent; undefined when another process has taken it over. `goesOn`: the next of its lane is wanted. */
  function end(row: IntentRow, attempted: Ended, goesOn: boolean): Promise<Settled | undefined> {
    const isAwaited = watching.isAwaited(row.key);
    // Whoever waits is answered while the outcome is being stored: should that be cut off, the effect is found again. But a
    // declaration may turn out to have found another one's incident.
    const isCertain = attempted.settlement.registers === '';
    const stored = storeEnd(row, attempted, isAwaited, goesOn).finally(() => storing.delete(row.id));
    storing.set(row.id, stored);
    if (isCertain) watching.tell({ row, attempted });
    return stored;
  }

  async function storeEnd(
    row: IntentRow,
    attempted: Ended,
    isAwaited: boolean,
    goesOn: boolean,
  ): Promise<Settled | undefined> {
    const { settlement } = attempted;
    const settled = await settling.settle({ row, to: settlement, goesOn }, isAwaited || isStopped);
    trying.delete(row.id);
    if (!settled) {
      log.warn({ intent: row.id }, 'another process has taken over an intent');
      return undefined;
    }
    if (settled.next[0]?.id === row.id) return settled;
    if (settlement.registers !== '') watching.tell({ row: settled.row, attempted });
    // Whoever waits for it here has yet to be answered.
    const isAbandoned = abandoned.delete(row.id);
    if (settled.row.late !== 0) {
      untold = true;
      deps.onLate(settled.row, attempted);
    } else if (isAwaited && !isAbandoned) held.add(row.id);
    deps.onSettled({ row: settled.row, attempted });
    // What was kept for want of the API need not wait for its time when the API is back.
    if (attempted.state === 'done' && row.attempts > 0) await store.hurry();
    if (settlement.consequences.length > 0) void look();
    return settled;
  }

  async function putBack(run: readonly IntentRow[]): Promise<void> {
    if (run.length > 0) await store.putBack(run.map(row => row.id));
  }

  async function drain(lane: string, first: readonly IntentRow[]): Promise<void> {
    for (let run = first; run[0]; ) {
      busy.set(lane, run[0].lane);
      run = await tryInOrder(run);
      if (isStopped) return putBack(run);
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

  async function lookOnce(): Promise<void> {
    const room = mostLanes - lanes.size;
    if (room > 0)
      for (const lane of await store.lookForLanes([...lanes.keys()], room)) {
        if (isStopped || lanes.size >= mostLanes) break;
        if (!lanes.has(lane)) take(await store.claim(lane));
      }
    // What ended in a lane where more is about to end is told with it.
    if (busy.size === 0) untold = false;
    await deps.finish([...busy.values()]);
  }

  async function lookAt(lane: string): Promise<void> {
    if (isStopped || lanes.has(lane)) return;
    try {
      const run = await store.claim(lane);
      if (!isStopped) take(run);
      else await putBack(run);
    } catch (err) {
      log.warn({ err }, 'a lane could not be looked at');
    }
  }

  let again = false;
  function look(): Promise<void> {
    if (isStopped) return Promise.resolve();
    if (looking) {
      again = true;
      return looking;
    }
    again = false;
    looking = lookOnce()
      .catch(err => log.warn({ err }, 'what is due could not be looked for'))
      .finally(() => {
        looking = undefined;
        if (again) void look();
      });
    return looking;
  }

  async function ended(): Promise<void> {
    while (lanes.size > 0 || looking) await Promise.allSettled([...lanes.values(), looking]);
  }

  return {
    take,
    watch: watching.watch,
    stored: async ids => {
      await Promise.allSettled(ids.map(id => storing.get(id)));
    },
    abandon: id => {
      held.delete(id);
      if (trying.has(id)) abandoned.add(id);
    },
    isInHand: id => trying.has(id) || held.has(id),
    hold: id => void held.add(id),
    letGo: ids => {
      for (const id of ids) held.delete(id);
    },
    look,
    lookAt,
    idle: ended,
    stop: async patience => {
      isStopped = true;
      clearInterval(timer);
      clearInterval(heart);
      const cut = setTimeout(() => cutOff.abort(), patience);
      await Promise.race([ended(), pause(patience + cuttingOff, undefined, { ref: false })]);
      clearTimeout(cut);
      await store.handBack().catch(err => log.warn({ err }, 'leases could not be handed back'));
    },
  };
}
