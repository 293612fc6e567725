import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Api } from '../../contract/contract.ts';
import type { People } from '../../contract/define.ts';
import type { RpcError } from '../../contract/errors.ts';
import type { Database } from '../../db/database.ts';
import type { Deps } from '../dispatch/deps.ts';
import { createAnswering, isOf, type Owner } from './answering.ts';
import { readPayload } from './attempt.ts';
import type { IntentKind, Outcome } from './intent.ts';
import { longestKept } from './lasting.ts';
import type { IntentRow } from './rows.ts';
import { createRunner } from './runner.ts';
import { openStore } from './store.ts';
import { fromStoredError } from './stored-error.ts';
import { quiet } from './table.ts';
import { createTelling, type LateEnd } from './telling.ts';
import type { Ended } from './watching.ts';

/** Who wants something, where, and the key under which it happens once. */
export interface Submission<P> {
  /** The same key never takes effect twice. Derived from what the person did: their command, press, form or message. */
  readonly key: string;
  /** When it was refused before under that key, it is tried anew, as submitted now; otherwise the refusal stands. */
  readonly renew: boolean;
  readonly payload: P;
  readonly people: People;
  readonly teamId: string;
  readonly userId: string;
  readonly channelId: string;
  readonly threadTs: string;
  /** What it is done in order with; `""` for what brings an incident into being. */
  readonly incidentID: string;
  /** In place of the incident's own lane, for what need not wait for its writes: `room/7`. */
  readonly lane?: string;
  /** What Slack delivered that it comes of: the key and the place under which that is stored. */
  readonly asked?: { readonly delivery: string; readonly place: number };
}

/** An intent as it lies in the journal. */
export interface Kept {
  readonly id: string;
  readonly intent: IntentKind;
  readonly payload: unknown;
  readonly incidentID: string;
  readonly row: IntentRow;
}

/** What waits, for whoever asks: `since` is RFC 3339, `why` the last failure. */
export interface Waiting {
  readonly id: string;
  readonly aim: string;
  readonly state: string;
  readonly since: string;
  readonly attempts: number;
  readonly why: RpcError;
}

/** Every write of the bot goes through here: it is stored, tried, kept while it cannot be done, and its outcome recorded. */
export interface Journal {
  /**
   * Stores the intent and tries it, unless something before it in its lane is unfinished. A key that was done before yields
   * the same outcome again, marked `repeated`. Whoever submits must {@link close} what ended once its answer was given.
   */
  submit<P, R>(intent: IntentKind<P, R>, submission: Submission<P>): Promise<Outcome<R>>;
  /** Tries a refused or kept intent again; undefined when there is none of that id by that person. A done one is not repeated. */
  retry(id: string, by: Owner): Promise<Outcome<unknown> | undefined>;
  /** Gives an intent up: undefined when there is none of that id by that person, false when it is too late. */
  discard(id: string, by: Owner): Promise<boolean | undefined>;
  /** A stored intent; undefined when there is none of that id by that person. */
  find(id: string, by: Owner): Promise<Kept | undefined>;
  /** Everybody who waited for these has their answer. */
  close(ids: readonly string[]): Promise<void>;
  /** Those who waited for these could not be answered: they are told later. */
  leave(ids: readonly string[]): Promise<void>;
  /** Remembers where what was typed for an intent is kept. */
  typed(id: string, draftId: string): Promise<void>;
  /** Whether an incident came of an intent of that kind that is done. */
  isRegistered(intent: Pick<IntentKind, 'kind'>, incidentID: string): Promise<boolean>;
  /** What is unfinished of an incident, in the order in which it will be done. */
  waiting(incidentID: string): Promise<readonly Waiting[]>;
  /** How many intents are in each state, and since when the oldest one is there. */
  census(): Promise<readonly { state: string; count: number; since: string }[]>;
  /** Gives up what nobody will take up, and forgets what was finished long ago; done by itself every ten minutes. */
  tidy(): Promise<void>;
  /** Makes everything that waits due now, and takes it up. */
  hurry(): Promise<void>;
  /** Tells what comes of kept intents to whoever asked for them; until then nobody is told. */
  onEnd(tell: (ends: readonly LateEnd[]) => Promise<void>): void;
  /** Calls back whenever it is looked for what is due, about once a second. */
  onLook(chore: () => Promise<void>): void;
  /** Calls back whenever something of an incident was done. */
  onDone(changed: (incidentID: string) => void): void;
  /** Resolves when nothing is being tried any more. */
  idle(): Promise<void>;
  /** Takes nothing more, and hands back what does not end within that many milliseconds. */
  stop(patience: number): Promise<void>;
}

/** How long finished intents are remembered, so that nothing is done again under their keys, in milliseconds: thirty days. */
const remembered = 30 * 24 * 3_600_000;
/** Finished intents forgotten in one transaction, and the pause between the times it is done, in milliseconds. */
const purgedAtOnce = 500;
const tidyEvery = 600_000;

/** Opens the journal over the bot's database for the given kinds of intent. */
export function createJournal(deps: {
  database: Database;
  api: Api;
  intents: readonly IntentKind[];
  deps: () => Deps;
  /** Milliseconds that the calls of one intent may take together, and that somebody waits for one. */
  budget: number;
  clock: () => Date;
  log: Logger;
  random?: () => number;
  /** Milliseconds of a clock that never steps. */
  steady?: () => number;
}): Journal {
  const { clock, log } = deps;
  const kinds = new Map(deps.intents.map(intent => [intent.kind, intent]));
  const { steady } = deps;
  const store = openStore({
    database: deps.database,
    clock,
    owner: randomUUID(),
    runs,
    isInHand: id => runner.isInHand(id),
    ...(steady ? { steady } : {}),
  });

  /** Whether several of a kind may be in doubt after a crash: each finds out what it did, and brings nothing that must come first. */
  function runs(kind: string): boolean {
    const intent = kinds.get(kind);
    return intent?.reconcile !== undefined && !intent.brings && !intent.registers;
  }

  let chore: () => Promise<void> = async () => {};
  let changed: (incidentID: string) => void = () => {};
  const runner = createRunner({
    ...deps,
    kinds,
    random: deps.random ?? Math.random,
    store,
    resultsOf: store.resultsOf,
    finish: async busy => {
      await telling.tellAll(busy);
      await chore();
    },
    onSettled: ({ row, attempted }) => {
      if (attempted.state === 'done' && row.incident_id) changed(row.incident_id);
    },
    onLate: (row, attempted) => {
      for (const end of toEnd(row, attempted)) telling.add(end);
    },
  });
  const telling = createTelling({ store, runner, toLateEnd });
  const answering = createAnswering({ store, runner, recall, budget: deps.budget });
  const tidying = setInterval(() => void tidy(), tidyEvery).unref();

  async function tidy(): Promise<void> {
    const now = clock().getTime();
    try {
      await store.giveUp(new Date(now - longestKept));
      while ((await store.purge(new Date(now - remembered), purgedAtOnce)) === purgedAtOnce);
    } catch (err) {
      log.warn({ err }, 'old intents could not be forgotten');
    }
  }

  /** What is told of an end of this process. */
  function toEnd(row: IntentRow, attempted: Ended): readonly LateEnd[] {
    const intent = kinds.get(row.kind);
    if (attempted.state === 'refused' || !intent) return toLateEnd(row);
    const { payload, result } = attempted;
    const kept = { id: row.id, intent, payload, incidentID: row.incident_id, row };
    return [{ kept, isQuiet: row.late === quiet, outcome: { state: 'done', id: row.id, result, repeated: false } }];
  }

  /** The same as it is stored; nothing when this version cannot read it. */
  function toLateEnd(row: IntentRow): readonly LateEnd[] {
    try {
      const kept = toKept(row);
      const outcome = recall(row);
      return kept && outcome ? [{ kept, isQuiet: row.late === quiet, outcome: { ...outcome, repeated: false } }] : [];
    } catch (err) {
      log.error({ err, intent: row.id, kind: row.kind }, 'an intent cannot be read, and its end is not told');
      return [];
    }
  }

  function toKept(row: IntentRow): Kept | undefined {
    const intent = kinds.get(row.kind);
    return intent && { id: row.id, intent, payload: readPayload(intent, row), incidentID: row.incident_id, row };
  }

  /** What became of an intent before; undefined while it is unfinished. */
  function recall(row: IntentRow): Extract<Outcome<unknown>, { state: 'done' | 'refused' }> | undefined {
    if (row.state === 'done') {
      const result = kinds.get(row.kind)?.result.parse(JSON.parse(row.outcome));
      return { state: 'done', id: row.id, result, repeated: true };
    }
    if (row.state !== 'refused' && row.state !== 'discarded') return undefined;
    return { state: 'refused', id: row.id, error: fromStoredError(row.outcome), repeated: true };
  }

  async function ofOwner(id: string, by: Owner): Promise<IntentRow | undefined> {
    const row = await store.ofId(id);
    return row && isOf(row, by) ? row : undefined;
  }

  return {
    submit: async <P, R>(intent: IntentKind<P, R>, submission: Submission<P>): Promise<Outcome<R>> => {
      using watch = runner.watch();
      // In one commit with it, and before it: what was done just now holds nothing up.
      runner.flush();
      const stored = await store.add(
        {
          key: submission.key,
          kind: intent.kind,
          payload: JSON.stringify(intent.payload.parse(submission.payload)),
          people: JSON.stringify(submission.people),
          team_id: submission.teamId,
          user_id: submission.userId,
          channel_id: submission.channelId,
          thread_ts: submission.threadTs,
          incident_id: submission.incidentID,
          lane: submission.lane ?? submission.incidentID,
          asked: submission.asked?.place ?? 0,
        },
        submission.renew,
        submission.asked?.place ? submission.asked.delivery : '',
      );
      return (await answering.answer(stored, watch, submission)) as Outcome<R>;
    },
    retry: async (id, by) => {
      const row = await ofOwner(id, by);
      if (!row) return undefined;
      await runner.storedSoon(id);
      using watch = runner.watch();
      const stored = await store.again(id);
      void runner.look();
      return stored && (await answering.answer(stored, watch, by));
    },
    discard: async (id, by) => {
      if (!(await ofOwner(id, by))) return undefined;
      await runner.storedSoon(id);
      const row = await store.discard(id);
      void runner.look();
      return row !== undefined;
    },
    find: async (id, by) => {
      const row = await ofOwner(id, by);
      return row && toKept(row);
    },
    close: async ids => {
      if (ids.length > 0) await runner.close(ids);
    },
    leave: async ids => {
      if (ids.length === 0) return;
      await runner.stored(ids);
      for (const id of ids) runner.abandon(id);
      await store.leave(ids);
    },
    typed: store.typed,
    isRegistered: (intent, incidentID) => store.isRegistered(intent.kind, incidentID),
    waiting: async incidentID =>
      (await store.unfinished(incidentID)).flatMap(row => {
        const kept = toKept(row);
        if (!kept) return [];
        const why = fromStoredError(row.outcome);
        const { id, state, attempts } = row;
        return [{ id, aim: kept.intent.aim(kept.payload), state, since: row.created_at, attempts, why }];
      }),
    census: store.census,
    tidy,
    hurry: async () => {
      await store.hurry();
      await runner.look();
    },
    onEnd: telling.onEnd,
    onLook: listener => {
      chore = listener;
    },
    onDone: listener => {
      changed = listener;
    },
    idle: runner.idle,
    stop: async patience => {
      clearInterval(tidying);
      await runner.stop(patience);
    },
  };
}
