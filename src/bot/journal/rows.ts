import { randomUUID } from 'node:crypto';
import { type Expression, type Kysely, sql, type UpdateObject } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type ErrorCode, errorCodes, RpcError } from '../../contract/errors.ts';
import type { Database } from '../../db/database.ts';
import type { Lock, NoTables } from '../../db/engine.ts';
import { definePrepared, definePreparedChange } from '../../db/prepared.ts';
import { type IntentState, type IntentTable, isUnfinished } from '../schema/intents.ts';
import type { Final, JobKind, RetryLater } from './intent.ts';
import { isProvisional, provisionalIDsIn, provisionalMark, registrationOf } from './provisional-id.ts';

/** The one table of the journal. */
export type JournalTables = { bot_intent: IntentTable };

/** The journal's table, plain or in a transaction. */
export type Db = Kysely<JournalTables>;

/** The columns of a lease that nobody holds. */
export const unleased = { lease_owner: '' } as const;

/** The database as every part of one process's journal uses it. */
export interface Rows {
  readonly db: Db;
  /**
   * Runs work in a transaction, one at a time for each of these lanes across all processes, so that no two decide differently who
   * does what. `plain` is the same transaction for the embedding program, which sees its own tables in it. Work that finds that it
   * is about other lanes too says so by `hold`: all that it did is undone, and it runs again, with these. Its first statements are sent
   * together with the locks.
   */
  locked<T>(
    lanes: readonly (string | undefined)[],
    work: (trx: Db, plain: Kysely<NoTables>, hold: Hold) => Promise<T>,
  ): Promise<T>;
  /** Runs one statement that is right whatever others do meanwhile. */
  single<T>(statement: (db: Db) => Promise<T>): Promise<T>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The name that this process's leases bear. */
  readonly owner: string;
}

/**
 * The lock under which the intents of these lanes change, with all that is stored together with them. Rows about an incident change
 * under the lock of its own lane.
 */
export function laneLock(lanes: readonly string[]): Lock {
  return { of: 'journal', parts: lanes };
}

/** Makes sure that the work holds these lanes. */
export type Hold = (...lanes: readonly string[]) => void;

/** Work is about lanes that it does not hold. */
class OtherLanes extends Error {
  readonly lanes: readonly string[];

  constructor(lanes: readonly string[]) {
    super('The work is about other lanes.');
    this.lanes = lanes;
  }
}

/** Opens the rows for one process. `owner`: the name of its leases; absent: another one than any other has. */
export function openRows(database: Database, clock: () => Date, owner: string = randomUUID()): Rows {
  async function locked<T>(
    lanes: readonly (string | undefined)[],
    work: (trx: Db, plain: Kysely<NoTables>, hold: Hold) => Promise<T>,
  ): Promise<T> {
    const held = new Set(lanes.filter(lane => lane !== undefined && lane !== ''));
    const hold: Hold = (...wanted) => {
      const others = wanted.filter(lane => lane !== '' && !held.has(lane));
      if (others.length > 0) throw new OtherLanes(others);
    };
    for (;;) {
      try {
        return await database.withLock<NoTables, T>(
          laneLock([...held] as string[]),
          plain => work(plain.withTables<JournalTables>(), plain, hold),
          { sendsAhead: true },
        );
      } catch (error) {
        if (!(error instanceof OtherLanes)) throw error;
        for (const lane of error.lanes) held.add(lane);
      }
    }
  }

  return {
    db: database.as<JournalTables>(),
    locked,
    single: <T>(statement: (db: Db) => Promise<T>) => database.single<JournalTables, T>(statement),
    now: () => clock().getTime(),
    owner,
  };
}

// These run several times for each intent, and putting a statement together takes longer than running it.
const byKey = definePrepared<JournalTables, { key: string }, IntentTable>((db, { key }) =>
  db.selectFrom('bot_intent').selectAll().where('key', '=', key),
);
const byID = definePrepared<JournalTables, { id: string }, IntentTable>((db, { id }) =>
  db.selectFrom('bot_intent').selectAll().where('id', '=', id),
);
const firstOf = definePrepared<JournalTables, { lane: string }, IntentTable>((db, { lane }) =>
  unfinished(db).where('lane', '=', lane).orderBy('seq').orderBy('id').limit(sql.lit(1)),
);
/** New columns of an intent; with a `runner`, only while that process runs it. */
type Change = Partial<IntentTable> & Pick<IntentTable, 'id'> & { readonly runner?: string };

/** Changes an intent: a statement for each set of columns that are changed together. */
const changes = new Map<string, ReturnType<typeof prepareChange>>();

function prepareChange() {
  return definePreparedChange<JournalTables, Change>((db, { id, runner, ...columns }) => {
    const changed = db
      .updateTable('bot_intent')
      .set(columns as UpdateObject<JournalTables, 'bot_intent'>)
      .where('id', '=', id);
    if (runner === undefined) return changed;
    return changed.where('state', '=', 'running').where('lease_owner', '=', runner as Expression<string>);
  });
}

/** A final outcome. With `lane` and `subject` it brings its subject into being. */
type Ended = {
  readonly state: 'done' | 'failed';
  readonly outcome: string;
  readonly ambiguous: number;
  readonly lane?: string;
  readonly subject?: string;
};

function prepareEnd() {
  return definePrepared<
    JournalTables,
    Ended & { readonly id: string; readonly runner: string; readonly at: string; readonly isQuiet: 0 | 1 },
    IntentTable
  >((db, { id, runner, at, isQuiet, ...columns }) => {
    const isHeard = sql<boolean>`(tell = 'nobody' or (tell = 'failure' and ${isQuiet} = 1))`;
    return db
      .updateTable('bot_intent')
      .set({
        ...(columns as UpdateObject<JournalTables, 'bot_intent'>),
        attempts: sql<number>`attempts + 1`,
        changed_at: at,
        tell: sql<IntentTable['tell']>`case when ${isHeard} then 'nobody' else tell end`,
        lease_owner: sql<string>`case when ${isHeard} then '' else lease_owner end`,
      })
      .where('id', '=', id)
      .where('state', '=', sql.lit('running'))
      .where('lease_owner', '=', runner)
      .returningAll();
  });
}

const [end, endRegistration] = [prepareEnd(), prepareEnd()];

/** The intent of a key. */
export async function findByKey(db: Db, key: string): Promise<IntentTable | undefined> {
  return (await byKey(db, { key }))[0];
}

/** The intent of an id. */
export async function findByID(db: Db, id: string): Promise<IntentTable | undefined> {
  return (await byID(db, { id }))[0];
}

/** The first unfinished intent of a lane. */
export async function findHead(db: Db, lane: string): Promise<IntentTable | undefined> {
  return (await firstOf(db, { lane }))[0];
}

/** The position behind everything unfinished in a lane. */
export async function nextSeq(db: Db, lane: string): Promise<number> {
  const ofLane = unfinished(db).where('lane', '=', lane);
  const last = await ofLane.orderBy('seq', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return Math.floor(last?.seq ?? 0) + 1;
}

function unfinished(db: Db) {
  return db.selectFrom('bot_intent').selectAll().where(isUnfinished);
}

/** Changes an intent; returns the row as it is then. */
export async function updateRow(
  db: Db,
  row: IntentTable,
  change: Partial<IntentTable>,
  changedAt: number,
): Promise<IntentTable> {
  const all = { ...change, changed_at: toTime(changedAt) };
  await write(db, { ...all, id: row.id });
  return { ...row, ...all };
}

/** Changes an intent that this process runs; undefined when it does not run it any more. */
export async function updateRunning(
  db: Db,
  row: IntentTable,
  change: Partial<IntentTable>,
  changedAt: number,
): Promise<IntentTable | undefined> {
  const all = { ...change, changed_at: toTime(changedAt) };
  const changed = await write(db, { ...all, id: row.id, runner: row.lease_owner });
  return changed === 0 ? undefined : { ...row, ...all };
}

/**
 * Stores the outcome of an intent that `runner` runs; undefined when it does not run it any more. `isQuiet`: who hears of its failure alone
 * hears nothing.
 */
export async function endRunning(
  db: Db,
  { id, lease_owner: runner }: IntentTable,
  ended: Ended,
  isQuiet: boolean,
  changedAt: number,
): Promise<IntentTable | undefined> {
  const run = ended.lane === undefined ? end : endRegistration;
  return (await run(db, { ...ended, id, runner, at: toTime(changedAt), isQuiet: isQuiet ? 1 : 0 }))[0];
}

function write(db: Db, change: Change): Promise<number> {
  const columns = Object.keys(change).join();
  const prepared = changes.get(columns) ?? prepareChange();
  changes.set(columns, prepared);
  return prepared(db, change);
}

/** A moment as the journal stores it for people to read. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Whether no further attempt will be made unless a person asks for one. */
export function isFinal({ state }: IntentTable): boolean {
  return state === 'done' || state === 'failed' || state === 'discarded';
}

/** The id under which a subject is known now: a provisional one may have been registered. */
export async function currentSubject(db: Db, subject: string): Promise<string> {
  if (!isProvisional(subject)) return subject;
  const registration = await findByID(db, registrationOf(subject));
  return registration?.state === 'done' ? registration.subject : subject;
}

/** A key or a lane with the ids of today in place of the provisional ones it was made from. */
export async function currentName(db: Db, name: string): Promise<string> {
  let now = name;
  for (const id of provisionalIDsIn(name)) now = now.replaceAll(id, await currentSubject(db, id));
  return now;
}

/** A UUID of version 7 (RFC 9562): nobody guesses it, and rows made together lie together. */
export function uuidv7(now: number): string {
  const time = Math.max(0, now).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Subjects without an id that are read together. */
const mostUnregistered = 50;

/** The unfinished intents about a subject, in the order in which they will run. */
export function findUnfinished(db: Db, subject: string): Promise<readonly IntentTable[]> {
  const about = unfinished(db).where('subject', '=', subject);
  return about.orderBy('lane').orderBy('seq').orderBy('id').limit(500).execute();
}

/** The unfinished intents that bring their subject into being, newest first: each is in the lane that it names. */
export function findUnregistered(db: Db): Promise<readonly IntentTable[]> {
  const inOwnLane = unfinished(db).where('lane', '=', sql<string>`${sql.lit(provisionalMark)} || id`);
  return inOwnLane.orderBy('created_at', 'desc').limit(mostUnregistered).execute();
}

/** The waiting intents with a request that may have taken effect. */
export function findAmbiguous(db: Db): Promise<readonly IntentTable[]> {
  return unfinished(db).where('state', '=', 'pending').where('ambiguous', '=', 1).execute();
}

/** Which intents are listed. */
export interface WantedIntents {
  readonly states: readonly IntentState[];
  /** `""` for any. */
  readonly subject: string;
  readonly most: number;
  /** Which one is the first of the list; the newest when absent. */
  readonly first?: 'oldest' | 'newest';
}

/** Intents in one of these states. */
export function listIntents(db: Db, wanted: WantedIntents): Promise<readonly IntentTable[]> {
  const all = db.selectFrom('bot_intent').selectAll().where('state', 'in', wanted.states);
  const some = wanted.subject === '' ? all : all.where('subject', '=', wanted.subject);
  const order = wanted.first === 'oldest' ? 'asc' : 'desc';
  return some.orderBy('created_at', order).orderBy('seq', order).limit(wanted.most).execute();
}

/** The intents of these ids. There is at least one id. */
export function findAll(db: Db, ids: readonly string[]): Promise<readonly IntentTable[]> {
  return db.selectFrom('bot_intent').selectAll().where('id', 'in', ids).execute();
}

/** Results of the done intents of a kind about a subject, as stored. */
export async function findResults(db: Db, kind: string, subject: string): Promise<readonly string[]> {
  const done = db.selectFrom('bot_intent').select('outcome').where('state', '=', 'done').where('kind', '=', kind);
  return (await done.where('subject', '=', subject).execute()).map(row => row.outcome);
}

/** The done intent of a kind that brought a subject into being, other than `except`. */
export function findRegistration(
  db: Db,
  kind: string,
  subject: string,
  except = '',
): Promise<Pick<IntentTable, 'id'> | undefined> {
  const done = db.selectFrom('bot_intent').select('id').where('state', '=', 'done').where('kind', '=', kind);
  return done.where('subject', '=', subject).where('id', '!=', except).executeTakeFirst();
}

/** How many intents are in a state, and since when the oldest one is. */
export interface StateCount {
  readonly state: IntentState;
  readonly count: number;
  /** RFC 3339: when the oldest unfinished one was asked for, however often it was tried since, and when a finished one ended. */
  readonly since: string;
}

/** Counts the intents by state. */
export async function countByState(db: Db): Promise<readonly StateCount[]> {
  const counted = db
    .selectFrom('bot_intent')
    .select(({ fn }) => ['state', fn.countAll().as('count'), fn.min('changed_at').as('since')])
    .groupBy('state');
  const asked = db
    .selectFrom('bot_intent')
    .select(({ fn }) => ['state', fn.min('created_at').as('since')])
    .where(isUnfinished)
    .groupBy('state');
  const [rows, unfinished] = [await counted.execute(), await asked.execute()];
  const oldest = new Map(unfinished.map(row => [row.state, row.since]));
  return rows.map(row => ({ state: row.state, count: Number(row.count), since: oldest.get(row.state) ?? row.since }));
}

/** A stored intent, read. `O`: its outcome; that of one that ended is never undefined. */
export interface Intent<K, O extends Final | undefined = Final | undefined> {
  readonly id: string;
  /** Under which it was submitted, with the ids of today in it. */
  readonly key: string;
  readonly kind: K;
  readonly payload: unknown;
  readonly subject: string;
  readonly owner: string;
  /** As it was submitted. */
  readonly origin: unknown;
  /** What `Journal.attach` attached; `""` for nothing. */
  readonly attachment: string;
  readonly state: IntentState;
  readonly attempts: number;
  readonly askedAt: Date;
  readonly changedAt: Date;
  /** Its owner was told that it is queued, and not yet what its outcome is. */
  readonly isQueued: boolean;
  /** An attempt whose answer was lost may have taken effect. */
  readonly isAmbiguous: boolean;
  /** The last failure of an intent that is not done. */
  readonly error: RpcError;
  /** Undefined while another attempt may follow. */
  readonly outcome: O;
}

/** Reads rows as this version of the program understands them. */
export class IntentReader<C, K extends JobKind<C>> {
  readonly kinds: ReadonlyMap<string, K>;
  readonly #bindSubject: (payload: unknown, subject: string) => unknown;
  readonly #log: Logger;

  constructor(deps: {
    readonly kinds: readonly K[];
    /** The payload for the subject as it is known now: it may have been submitted under a provisional id. */
    bindSubject(payload: unknown, subject: string): unknown;
    readonly log: Logger;
  }) {
    this.kinds = new Map(deps.kinds.map(kind => [kind.kind, kind]));
    this.#bindSubject = deps.bindSubject;
    this.#log = deps.log;
  }

  /** The payload as it was submitted, about the subject as it is known now. Throws when this version cannot read it. */
  payload(kind: JobKind<C>, row: IntentTable): unknown {
    return kind.payload.parse(this.#bindSubject(JSON.parse(row.payload), row.subject));
  }

  /** The outcome of a final intent. */
  final(row: IntentTable, repeated: boolean): Final {
    if (row.state === 'done') {
      const result = this.kinds.get(row.kind)?.result.parse(JSON.parse(row.outcome));
      return { state: 'done', id: row.id, result, repeated, isUnsure: row.ambiguous === 1 };
    }
    return { state: 'failed', id: row.id, error: decodeError(row.outcome), repeated };
  }

  /** Undefined when this version does not know the kind. Throws when it cannot read the payload. */
  intent(row: IntentTable): Intent<K> | undefined {
    const kind = this.kinds.get(row.kind);
    if (!kind) return undefined;
    return {
      id: row.id,
      key: row.key,
      kind,
      payload: this.payload(kind, row),
      subject: row.subject,
      owner: row.owner,
      origin: JSON.parse(row.origin),
      attachment: row.attachment,
      state: row.state,
      attempts: row.attempts,
      askedAt: new Date(row.created_at),
      changedAt: new Date(row.changed_at),
      isQueued: row.tell === 'message',
      isAmbiguous: row.ambiguous === 1,
      error: decodeError(row.state === 'done' ? '' : row.outcome),
      outcome: isFinal(row) ? this.final(row, true) : undefined,
    };
  }

  /** An intent that ended while no caller waits. Nothing when this version cannot read it: the log says so, and nobody is told. */
  ended(row: IntentTable): readonly Intent<K, Final>[] {
    try {
      const intent = this.intent(row);
      return intent ? [{ ...intent, outcome: this.final(row, false) }] : [];
    } catch (err) {
      this.#log.error({ err, intent: row.id, kind: row.kind }, 'journal: an intent cannot be read, nobody is told');
      return [];
    }
  }
}

const StoredError = z.object({
  code: z.string(),
  message: z.string(),
  reason: z.string().optional(),
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
  retryAfter: z.number().optional(),
  maybeApplied: z.boolean(),
});

/** A request whose answer an ambiguous intent lacks. */
export interface LostRequest {
  /** When it went out, in epoch milliseconds; 0 where it was answered after all. */
  readonly sentAt: number;
  /**
   * A process had the intent in the lease with the number `lease` (the row's `heartbeat`), looked for the effect of the request and found none. The
   * lease `sender` is the last one in which the request may have gone out, and that was at least `ms` milliseconds before the look.
   */
  readonly looked?: { readonly lease: number; readonly sender: number; readonly ms: number } | undefined;
}

/** An error as it is stored with its intent. */
export function encodeError(
  { code, message, reason, hint, retryable, retryAfter, maybeApplied }: RpcError,
  request?: LostRequest,
): string {
  return JSON.stringify({ code, message, reason, hint, retryable, retryAfter, maybeApplied, ...request });
}

const StoredRequest = z.object({
  sentAt: z.number().optional(),
  looked: z.object({ lease: z.number(), sender: z.number(), ms: z.number() }).optional(),
});

/** The request whose answer an ambiguous intent lacks. */
export function requestOf({ outcome, changed_at }: IntentTable): LostRequest {
  const { sentAt, looked } = StoredRequest.parse(outcome === '' ? {} : JSON.parse(outcome));
  // Without a moment: its process died, or handed it back.
  return { sentAt: sentAt ?? Date.parse(changed_at), looked };
}

/** The last of these leases of an ambiguous intent that may have sent its request: the later ones only looked for its effect. */
export function senderOf(row: IntentTable, leases: number): number {
  const { looked } = requestOf(row);
  return looked?.lease === leases ? looked.sender : leases;
}

/** The error that was stored; {@link waitsForEarlier} when none was. */
export function decodeError(json: string): RpcError {
  if (json === '') return waitsForEarlier;
  const { code, message, ...details } = StoredError.parse(JSON.parse(json));
  const known = code in errorCodes ? (code as ErrorCode) : 'internal';
  const given = Object.entries(details).filter(([, value]) => value !== undefined);
  return new RpcError(known, message, Object.fromEntries(given));
}

/** The error of a kind that asked for a later attempt. */
export function toRpcError(error: RetryLater): RpcError {
  return new RpcError('unavailable', error.message, { maybeApplied: false });
}

/** Two processes hung with an act. Its words may be the cause, so its person reads this alone, and none of them. */
export const hung = new RpcError(
  'failed_precondition',
  'I set aside what you asked for: more than once I stopped while I worked on it, so it may or may not have happened. I do not try again: tell your administrator, and ask for it in other words.',
  { maybeApplied: true, reason: 'hung' },
);

/** Why an intent is queued that was never tried: an earlier one of its lane is not done yet. */
export const waitsForEarlier = new RpcError('unavailable', 'An earlier change is not done yet.', {
  maybeApplied: false,
});
