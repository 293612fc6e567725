import type { Logger } from 'pino';
import type { Api } from '../../contract/contract.ts';
import type { CallOptions, People } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { Deps } from '../dispatch/deps.ts';
import { type Consequence, type Effects, type IntentKind, TryLater } from './intent.ts';
import { isProvisional } from './lanes.ts';
import { longestKept, nextPause, passes } from './lasting.ts';
import type { NewIntent } from './places.ts';
import type { IntentRow } from './rows.ts';
import type { Settlement } from './store.ts';
import { toRefusal, toStoredError } from './stored-error.ts';
import { quiet } from './table.ts';

/** What came of trying an intent once. */
export type Attempted =
  | { readonly state: 'done'; readonly result: unknown; readonly payload: unknown; readonly settlement: Settlement }
  | { readonly state: 'refused'; readonly error: RpcError; readonly settlement: Settlement }
  | {
      readonly state: 'kept';
      readonly error: RpcError;
      readonly outcome: string;
      readonly doubt: boolean;
      readonly nextAt: number;
    };

/** What an attempt needs. */
export interface AttemptDeps {
  readonly kinds: ReadonlyMap<string, IntentKind>;
  readonly api: Api;
  readonly deps: () => Deps;
  /** Results of what is done of a kind for an incident, as stored. */
  readonly resultsOf: (kind: string, incidentID: string) => Promise<readonly string[]>;
  /** Milliseconds that the calls of one attempt may take together. */
  readonly budget: number;
  readonly clock: () => Date;
  readonly random: () => number;
  readonly log: Logger;
}

/** How long each call of an intent may take however late it comes, in milliseconds. */
const leastBudget = 1000;

/** An intent that is read, and can be tried. Never throws: a fault of ours is a refusal that may have taken effect. */
export type Attempt = (signal: AbortSignal) => Promise<Attempted>;

/**
 * Reads an intent, to try it once: that looks for the effect of an earlier attempt if there may be one, else makes it happen.
 * Reading it takes as long as sending its call, and can be done while the API works on another one.
 */
export function prepare(row: IntentRow, deps: AttemptDeps): Attempt {
  try {
    const intent = deps.kinds.get(row.kind);
    if (!intent) throw new RpcError('failed_precondition', `this version of Muster does not know “${row.kind}”`);
    const ready = { row, intent, payload: readPayload(intent, row), people: JSON.parse(row.people) };
    return signal => attempt(ready, deps, signal);
  } catch (thrown) {
    return async () => toFailure(row, thrown, deps);
  }
}

/** An intent with what is stored of it, read. */
interface Ready {
  readonly row: IntentRow;
  readonly intent: IntentKind;
  readonly payload: unknown;
  readonly people: People;
}

/** What an attempt takes effect with. A class, since what is seldom looked at would cost a literal as much as all the rest. */
class Means implements Effects {
  readonly api: Api;
  readonly call: CallOptions;
  readonly id: string;
  readonly deps: Deps;
  readonly inDoubt: boolean;
  readonly isRepeated: boolean;
  readonly #row: IntentRow;
  readonly #intent: IntentKind;
  readonly #deps: AttemptDeps;

  constructor(row: IntentRow, intent: IntentKind, call: CallOptions, deps: AttemptDeps) {
    this.api = deps.api;
    this.call = call;
    this.id = row.id;
    this.deps = deps.deps();
    this.inDoubt = row.doubt === 1;
    this.isRepeated = row.attempts > 0 || row.doubt === 1;
    this.#row = row;
    this.#intent = intent;
    this.#deps = deps;
  }

  get log(): Logger {
    return this.#deps.log.child(toWhat(this.#row));
  }

  get askedAt(): Date {
    return new Date(this.#row.created_at);
  }

  readonly others = async (): Promise<readonly unknown[]> => {
    const outcomes = await this.#deps.resultsOf(this.#row.kind, this.#row.incident_id);
    return outcomes.map(each => this.#intent.result.parse(JSON.parse(each)));
  };
}

async function attempt(
  { row, intent, payload, people }: Ready,
  deps: AttemptDeps,
  signal: AbortSignal,
): Promise<Attempted> {
  try {
    const effects = new Means(row, intent, new Call(people, deps.budget, signal), deps);
    const found = effects.inDoubt ? await intent.reconcile?.(effects, payload) : undefined;
    const result = found ?? (await intent.run(effects, payload));
    deps.log.info({ ...toWhat(row), attempts: row.attempts + 1 }, 'intent done');
    const registers = intent.registers?.(result) ?? '';
    const settlement: Settlement = {
      state: 'done',
      outcome: JSON.stringify(result),
      doubt: false,
      registers,
      consequences: (intent.brings?.(result, payload) ?? []).map((each, index) =>
        toConsequence(row, registers, each, index),
      ),
    };
    return { state: 'done', result, payload, settlement };
  } catch (thrown) {
    return toFailure(row, thrown, deps);
  }
}

function toWhat(row: IntentRow) {
  return { intent: row.id, kind: row.kind, incident: row.incident_id };
}

function toFailure(row: IntentRow, thrown: unknown, deps: AttemptDeps): Attempted {
  // Where what it does is to be remembered is away: it passes too, and nobody knows how far it got.
  const error = isUnavailable(thrown) ? databaseAway : thrown;
  if (passes(error) && isFresh(row, deps.clock())) return keep(row, error, deps);
  const refusal = toRefused(error);
  const what = toWhat(row);
  if (error instanceof RpcError) deps.log.warn({ ...what, err: error }, 'intent refused');
  else deps.log.error({ ...what, err: error }, 'an intent failed through a fault of ours');
  const settlement = {
    state: 'refused',
    outcome: toStoredError(refusal),
    doubt: refusal.maybeApplied,
    registers: '',
    consequences: [],
  } as const;
  return { state: 'refused', error: refusal, settlement };
}

/** The payload as it was submitted, of the incident as it is known now. Throws what does not fit any more. */
export function readPayload(intent: IntentKind, row: IntentRow): unknown {
  const stored: unknown = JSON.parse(row.payload);
  const isOfDeclared =
    typeof stored === 'object' && stored !== null && 'incidentID' in stored && isProvisional(String(stored.incidentID));
  return intent.payload.parse(isOfDeclared ? { ...stored, incidentID: row.incident_id } : stored);
}

function keep(row: IntentRow, error: RpcError | TryLater, deps: AttemptDeps): Attempted {
  const refusal = error instanceof RpcError ? error : toRefusal(error);
  deps.log.warn({ err: error, intent: row.id, kind: row.kind, attempts: row.attempts + 1 }, 'intent kept');
  return {
    state: 'kept',
    error: refusal,
    outcome: toStoredError(error),
    doubt: row.doubt === 1 || refusal.maybeApplied,
    nextAt: deps.clock().getTime() + nextPause(row.attempts + 1, error, deps.random()),
  };
}

const databaseAway = new RpcError('unavailable', 'Muster’s own database cannot be reached.', { maybeApplied: true });

function isFresh(row: IntentRow, now: Date): boolean {
  return now.getTime() - Date.parse(row.created_at) < longestKept;
}

function toRefused(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof TryLater) return toRefusal(error);
  return new RpcError('internal', 'Muster itself failed', { maybeApplied: true, retryable: true });
}

function toConsequence(
  row: IntentRow,
  registers: string,
  { intent, payload, name, lane }: Consequence,
  index: number,
): NewIntent {
  const incidentID = registers || row.incident_id;
  return {
    key: `${row.id}/${name}`,
    kind: intent.kind,
    payload: JSON.stringify(intent.payload.parse(payload)),
    people: row.people,
    team_id: row.team_id,
    user_id: row.user_id,
    channel_id: row.channel_id,
    thread_ts: row.thread_ts,
    incident_id: incidentID,
    lane: lane ?? incidentID,
    // Before everything else that waits in the lane: it belongs to what was done first.
    ...(lane === undefined ? { seq: row.seq + (index + 1) / 1000 } : {}),
    created_at: row.created_at,
    late: quiet,
  };
}

/** How an intent's calls are made: whoever waits is answered in bounded time, whatever the API does. */
class Call implements CallOptions {
  readonly people: People;
  readonly signal: AbortSignal;
  readonly #deadline: number;

  constructor(people: People, budget: number, signal: AbortSignal) {
    this.people = people;
    this.signal = signal;
    this.#deadline = performance.now() + budget;
  }

  get budget(): number {
    return Math.max(leastBudget, this.#deadline - performance.now());
  }
}
