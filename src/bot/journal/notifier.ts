import { type Kysely, sql } from 'kysely';
import type { Logger } from 'pino';
import type { NoTables } from '../../db/engine.ts';
import { definePrepared, definePreparedChange, type Params } from '../../db/prepared.ts';
import type { Pulse } from '../../db/pulse.ts';
import { retryWhileUnavailable } from '../../db/retry-while-unavailable.ts';
import type { Deadlines } from '../../deadlines.ts';
import { type IntentTable, isUnfinished, isUntold } from '../schema/intents.ts';
import { type Db, findByID, type JournalTables, type Rows, unleased } from './rows.ts';

/** Of these callers, those that are still open deliveries: they will submit the same again. */
export type OpenCallers = (db: Kysely<NoTables>, callers: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Who still has to hear an outcome: the column `tell`, as it changes when a person hears it or cannot be reached. The store
 * changes it when an intent ends, is retried or is discarded. A final intent keeps its lease until its outcome is told, so that another process tells when this one dies.
 */
export interface Listeners {
  /** The caller gives up waiting: the outcome is told by a message. Returns the intent as it is then. */
  tellByMessage(id: string): Promise<IntentTable | undefined>;
  /** The callers of these could not be answered: their outcomes are told by a message. */
  tellLater(ids: readonly string[]): Promise<void>;
  /** Everybody has been told of these. */
  told(ids: readonly string[]): Promise<void>;
  /** Leases some final intents whose outcome a message must tell, oldest first. */
  claimUntold(not: {
    readonly awaited: ReadonlySet<string>;
    readonly busy: ReadonlySet<string>;
  }): Promise<readonly IntentTable[]>;
  /** The outcomes of these could not be told now. */
  release(ids: readonly string[]): Promise<void>;
  /** This process stops: others tell what it has not told. */
  handBack(): Promise<void>;
}

/** Outcomes told together. */
const toldTogether = 50;
/** Outcomes looked at for that. */
const lookedAt = 200;
/** How long an outcome waits to be told together with others of its lane, in milliseconds. */
const gatheringTime = 5000;

/** Everybody has been told of these. A statement to be prepared, alone or among others. */
export function tellNobody(plain: Kysely<NoTables>, { ids }: Params<{ ids: readonly string[] }>) {
  return plain
    .withTables<JournalTables>()
    .updateTable('bot_intent')
    .set({ tell: 'nobody', ...unleased })
    .where('id', 'in', ids)
    .where(isUntold);
}

const told = definePreparedChange<JournalTables, { ids: readonly string[] }>((db, blanks) =>
  tellNobody(db as Kysely<NoTables>, blanks),
);

/** Outcomes that `owner` may tell, oldest first. Most of them wait for others of their lane, and are looked at again. */
const findUntold = definePrepared<
  JournalTables,
  { owner: string },
  { id: string; lane: string; tell: IntentTable['tell']; caller: string; changed_at: string }
>((db, { owner }) =>
  db
    .selectFrom('bot_intent')
    .select(['id', 'lane', 'tell', 'caller', 'changed_at'])
    .where(isUntold)
    .where(({ or, eb }) => or([eb('lease_owner', '=', sql.lit('')), eb('lease_owner', '=', owner)]))
    .orderBy('changed_at')
    .orderBy('lane')
    .orderBy('seq')
    .limit(sql.lit(lookedAt)),
);

/** Opens the listeners for one process. */
export function openListeners({ db, single, now, owner }: Rows, openCallers: OpenCallers): Listeners {
  const change = (some: Db, ids: readonly string[], news: Partial<IntentTable>) =>
    some.updateTable('bot_intent').set(news).where('id', 'in', ids);

  return {
    tellByMessage: async id => {
      await single(some =>
        change(some, [id], { tell: 'message' }).where('tell', '=', 'caller').where(isUnfinished).execute(),
      );
      return await findByID(db, id);
    },
    tellLater: async ids => {
      if (ids.length === 0) return;
      // A message about an outcome may be on its way already, so its lease stays.
      const ofCaller = (some: Db, news: Partial<IntentTable>) => change(some, ids, news).where('tell', '=', 'caller');
      await single(some =>
        ofCaller(some, { tell: 'message', ...unleased })
          .where(isUntold)
          .execute(),
      );
      await single(some => ofCaller(some, { tell: 'message' }).execute());
    },
    told: async ids => {
      if (ids.length === 0) return;
      await single(some => told(some, { ids }));
    },
    release: async ids => {
      await single(some => change(some, ids, unleased).where('lease_owner', '=', owner).where(isUntold).execute());
    },
    handBack: async () => {
      await single(some =>
        some.updateTable('bot_intent').set(unleased).where('lease_owner', '=', owner).where(isUntold).execute(),
      );
    },
    claimUntold: async ({ awaited, busy }) => {
      const settledBefore = new Date(now() - gatheringTime).toISOString();
      const ready = (await findUntold(db, { owner })).filter(
        row => !awaited.has(row.id) && (!busy.has(row.lane) || row.changed_at < settledBefore),
      );
      const callers = ready.filter(row => row.tell === 'caller').map(row => row.caller);
      const open = callers.length > 0 ? await openCallers(db as Kysely<NoTables>, callers) : new Set();
      const ours = ready.filter(row => row.tell !== 'caller' || !open.has(row.caller)).slice(0, toldTogether);
      if (ours.length === 0) return [];
      const claimed = await single(some =>
        change(
          some,
          ours.map(row => row.id),
          { lease_owner: owner },
        )
          .where(isUntold)
          .where('lease_owner', 'in', ['', owner])
          .returningAll()
          .execute(),
      );
      const rows = new Map(claimed.map(row => [row.id, row]));
      return ours.flatMap(({ id }) => rows.get(id) ?? []);
    },
  };
}

/** Tells outcomes that no caller waits for. An outcome counts as told only once `tell` has resolved. */
export interface Notifier {
  /** Tells everything that is due now. Never throws. */
  run(): Promise<void>;
  /** Begins to tell nothing more. */
  stop(): void;
  /** Sends nothing more of what it is telling. */
  cutOff(): void;
}

/** The pause after outcomes could not be told, in milliseconds. */
const pauseAfterFailure = 2000;

/** Opens the notifier of one process. `monotonicNow`: milliseconds of a clock that never steps. */
export function createNotifier(deps: {
  readonly listeners: Listeners;
  /** Tells the owners. Throws when some could not be told: all of them are told again later. */
  readonly tell: (rows: readonly IntentTable[]) => Promise<void>;
  readonly awaited: () => ReadonlySet<string>;
  readonly busyLanes: () => ReadonlySet<string>;
  readonly monotonicNow: () => number;
  readonly pulse: Pulse;
  readonly deadlines: Deadlines;
  readonly log: Logger;
}): Notifier {
  const { listeners, log, monotonicNow } = deps;
  let notBefore = 0;
  let isStopped = false;
  const cutOff = new AbortController();

  async function tellSome(): Promise<number> {
    const rows = await listeners.claimUntold({ awaited: deps.awaited(), busy: deps.busyLanes() });
    if (rows.length === 0) return 0;
    const ids = rows.map(row => row.id);
    try {
      await deps.pulse.run(() => deps.tell(rows), cutOff.signal);
    } catch (error) {
      // Another process may have a way to the owner; this one tries again a little later.
      await listeners.release(ids);
      throw error;
    }
    await retryWhileUnavailable(deps, () => listeners.told(ids));
    return rows.length;
  }

  return {
    run: async () => {
      if (monotonicNow() < notBefore) return;
      try {
        while (!isStopped && (await tellSome()) > 0);
      } catch (err) {
        notBefore = monotonicNow() + pauseAfterFailure;
        log.warn({ err }, 'journal: could not tell outcomes');
      }
    },
    stop: () => {
      isStopped = true;
    },
    cutOff: () => cutOff.abort(),
  };
}
