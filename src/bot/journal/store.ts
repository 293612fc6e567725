import { type Kysely, sql } from 'kysely';
import { RpcError } from '../../contract/errors.ts';
import type { NoTables } from '../../db/engine.ts';
import type { IntentTable } from '../schema/intents.ts';
import type { Alongside } from './intent.ts';
import { type Added, LaneQueue, type Leases, makeDue, type NewIntent } from './lanes.ts';
import { isProvisional, provisionalID } from './provisional-id.ts';
import {
  currentName,
  type Db,
  encodeError,
  endRunning,
  findByID,
  findByKey,
  findHead,
  findRegistration,
  type Hold,
  isFinal,
  nextSeq,
  type Rows,
  toTime,
  unleased,
  updateRow,
  updateRunning,
} from './rows.ts';

/** A consequence to be stored with the outcome of its cause. */
interface ConsequenceRow {
  readonly kind: string;
  readonly payload: string;
  readonly name: string;
  readonly key?: string | undefined;
  readonly lane: string | undefined;
}

/** A final outcome, and everything that is stored with it. */
export interface Settlement {
  readonly state: 'done' | 'failed';
  readonly outcome: string;
  /** It may have taken effect although it failed; or it is done, and an earlier attempt may have done it. */
  readonly ambiguous: boolean;
  /** The subject that it brought into being; `""` for none. */
  readonly registers: string;
  readonly consequences: readonly ConsequenceRow[];
  /** Its owner hears of it even when it is a consequence that is done. */
  readonly isTold: boolean;
  /** An earlier attempt made the change, and this one found it. */
  readonly isFound: boolean;
  /** What both made, in mrkdwn; `""` for nothing. */
  readonly twin: string;
}

/** A pause before the next attempt of an intent. */
export interface Postponement {
  /** Why, as it is stored. */
  readonly outcome: string;
  readonly ambiguous: boolean;
  /** Milliseconds since the epoch. */
  readonly nextAt: number;
}

/** The key of a consequence. */
export function consequenceKey(causeID: string, name: string): string {
  return `${causeID}/${name}`;
}

const discardedOutcome = encodeError(new RpcError('failed_precondition', 'it was discarded'));
/** A stored outcome, and the next intent of the lane, which is leased to this process. */
interface Settled {
  readonly row: IntentTable;
  readonly again: boolean;
  readonly next: IntentTable | undefined;
}

/** The transactions that change intents. Each is atomic across all processes. */
export class Store {
  readonly #rows: Rows;
  readonly #leases: Leases;
  readonly #alongside: Alongside;
  readonly #queue: LaneQueue;

  constructor(rows: Rows, leases: Leases, alongside: Alongside) {
    this.#rows = rows;
    this.#leases = leases;
    this.#alongside = alongside;
    this.#queue = new LaneQueue(rows, leases);
  }

  /** Stores an intent under its key, or finds the one that has it. `also` is written in the same transaction. */
  add(wanted: NewIntent, also?: (trx: Kysely<NoTables>) => Promise<void>): Promise<Added> {
    return this.#rows.locked([wanted.lane, wanted.subject], async (trx, plain, hold) => {
      for (;;) {
        // Neither needs the other one.
        const [added] = await Promise.all([this.#queue.insert(trx, hold, wanted, { isRunHere: true }), also?.(plain)]);
        if (added) await this.#alongside.stored(plain, added.row);
        if (added) return added;
        const known = await findByKey(trx, await currentName(trx, wanted.key));
        if (known) return await this.#addAgain(trx, hold, known, wanted);
      }
    });
  }

  async #addAgain(trx: Db, hold: Hold, known: IntentTable, wanted: NewIntent): Promise<Added> {
    const isGivenUp = known.state === 'failed' || known.state === 'discarded';
    if (!wanted.renews || !isGivenUp || known.caller === wanted.caller)
      return this.#queue.recognise(trx, hold, known, wanted.caller);
    const { payload, owner, origin, caller } = wanted;
    const news = { payload, owner, origin, caller, tell: 'caller' } as const;
    return this.#queue.enqueueAgain(trx, hold, known, { ...news, isRunHere: true });
  }

  /** Tries a failed intent again, at the end of its lane; a pending one becomes due. A done or discarded one stays as it is. */
  retry(id: string, caller: string): Promise<Added | undefined> {
    return this.#rows.locked([], async (trx, _plain, hold) => {
      const known = await findByID(trx, id);
      if (!known) return undefined;
      hold(known.lane, known.subject);
      if (known.caller === caller) return this.#queue.recognise(trx, hold, known, caller);
      if (known.state === 'failed')
        return this.#queue.enqueueAgain(trx, hold, known, { caller, tell: 'caller', isRunHere: true });
      if (isFinal(known)) return { row: known, isNew: false, status: 'final' };
      await makeDue(trx, known.lane);
      const asked = await updateRow(trx, known, { caller, tell: 'caller' }, this.#rows.now());
      const { row, status } = await this.#queue.recognise(trx, hold, { ...asked, next_at: 0 }, caller);
      // The head of its lane is due now, so the caller waits for it, unless only a registration that failed could be that head.
      const mayRun = !isProvisional(row.lane) || (await findHead(trx, row.lane))?.seq === 0;
      return { row, isNew: true, status: status === 'blocked' && mayRun ? 'waiting' : status };
    });
  }

  /** Retries an intent on behalf of an operator: the running processes try it. False when it is done, running or discarded. */
  requeue(id: string): Promise<boolean> {
    return this.#rows.locked([], async (trx, _plain, hold) => {
      const known = await findByID(trx, id);
      if (known) hold(known.lane, known.subject);
      if (known?.state === 'failed')
        await this.#queue.enqueueAgain(trx, hold, known, { tell: 'message', isRunHere: false });
      else if (known?.state === 'pending') await makeDue(trx, known.lane);
      return known?.state === 'failed' || known?.state === 'pending';
    });
  }

  /**
   * Gives an intent up with everything that waits for its subject. Undefined when it is running, done or discarded; with `onlyUntried`,
   * also when an earlier attempt may have taken effect.
   */
  discard(id: string, { onlyUntried } = { onlyUntried: false }): Promise<IntentTable | undefined> {
    return this.#rows.locked([], async (trx, _plain, hold) => {
      const known = await findByID(trx, id);
      if (known?.state !== 'pending' && known?.state !== 'failed') return undefined;
      hold(known.lane, known.subject, provisionalID(id));
      if (onlyUntried && known.ambiguous === 1) return undefined;
      const news = { state: 'discarded', tell: 'nobody', outcome: discardedOutcome, ...unleased } as const;
      await trx
        .updateTable('bot_intent')
        .set({ ...news, changed_at: toTime(this.#rows.now()) })
        .where('subject', '=', provisionalID(id))
        .where('state', 'in', ['pending', 'failed'])
        .execute();
      return updateRow(trx, known, news, this.#rows.now());
    });
  }

  /**
   * Stores an outcome with everything that follows from it, and claims the next intent of the lane. Undefined when another
   * process has taken the intent over. `again`: it matched another intent's effect: it is tried once more.
   */
  settle(row: IntentTable, to: Settlement): Promise<Settled | undefined> {
    const { id, kind, lane, subject } = row;
    const lanes = [lane, subject, to.registers, ...to.consequences.map(each => each.lane)];
    return this.#rows.locked(lanes, async (trx, plain, hold) => {
      const now = this.#rows.now();
      if (to.registers && (await findRegistration(trx, kind, to.registers, id))) {
        const next = await updateRunning(trx, row, { attempts: row.attempts + 1, ambiguous: 1 }, now);
        return next && { row: next, again: true, next };
      }
      const { state, outcome } = to;
      const place = to.registers ? { subject: to.registers, lane: to.registers } : {};
      const ended = { state, outcome, ambiguous: to.ambiguous ? 1 : 0, ...place };
      const settled = await endRunning(trx, row, ended, state === 'done' && !to.isTold, now);
      if (!settled) return undefined;
      hold(settled.lane, settled.subject);
      if (to.registers) await this.#register(trx, hold, row, to.registers);
      if (to.registers) await this.#alongside.registered(plain, provisionalID(id), to.registers);
      for (const [index, each] of to.consequences.entries()) {
        const added = await this.#addConsequence(trx, hold, settled, each, index);
        if (added) await this.#alongside.stored(plain, added.row);
      }
      const isUnsure = row.ambiguous === 1;
      const [next] = await Promise.all([
        this.#leases.claimHead(trx, settled.lane),
        state === 'done' && settled.subject !== ''
          ? this.#alongside.done(plain, { ...settled, isUnsure, isFound: to.isFound, twin: to.twin })
          : undefined,
      ]);
      return { row: settled, again: false, next };
    });
  }

  /** Puts an intent off; its lane waits for it. Undefined when another process has taken it over. */
  postpone(id: string, { outcome, ambiguous, nextAt }: Postponement): Promise<IntentTable | undefined> {
    const change = {
      state: 'pending',
      outcome,
      ambiguous: ambiguous ? 1 : 0,
      next_at: nextAt,
      hangs: 0,
      ...unleased,
    } as const;
    return this.#rows.single(some =>
      this.#running(some, id)
        .set({ ...change, attempts: sql<number>`attempts + 1`, changed_at: toTime(this.#rows.now()) })
        .returningAll()
        .executeTakeFirst(),
    );
  }

  /** Remembers something with an intent. */
  async attach(id: string, attachment: string): Promise<void> {
    await this.#rows.single(some => some.updateTable('bot_intent').set({ attachment }).where('id', '=', id).execute());
  }

  /** Lets every postponed intent run at once. */
  makeAllDue(): Promise<void> {
    return this.#rows.single(some => makeDue(some));
  }

  #running(some: Db, id: string) {
    const mine = some.updateTable('bot_intent').where('id', '=', id).where('state', '=', 'running');
    return mine.where('lease_owner', '=', this.#rows.owner);
  }

  /** Gives a provisional subject its own id, in everything that names it: its lane, other lanes, keys. */
  async #register(trx: Db, hold: Hold, registration: IntentTable, subject: string): Promise<void> {
    const before = provisionalID(registration.id);
    const named = trx.selectFrom('bot_intent').select('lane').distinct().where('subject', '=', before);
    const lanes = (await named.where('lane', 'like', `%${before}%`).execute()).map(each => each.lane);
    const renamedLanes = lanes.map(lane => [lane, lane.replaceAll(before, subject)] as const);
    hold(...renamedLanes.flat());
    for (const [lane, renamed] of renamedLanes) {
      // Behind everything that waits there: the first of a lane stays the first.
      const behind = (await nextSeq(trx, renamed)) - 1;
      const moved = trx.updateTable('bot_intent').set({ lane: renamed, seq: sql<number>`seq + ${behind}` });
      await moved.where('lane', '=', lane).execute();
    }
    const about = trx.selectFrom('bot_intent').select('key').where('subject', '=', before);
    for (const { key } of await about.where('key', 'like', `%${before}%`).execute()) {
      const renamed = key.replaceAll(before, subject);
      if (await findByKey(trx, renamed)) continue;
      await trx.updateTable('bot_intent').set({ key: renamed }).where('key', '=', key).execute();
    }
    await trx.updateTable('bot_intent').set({ subject }).where('subject', '=', before).execute();
  }

  async #addConsequence(
    trx: Db,
    hold: Hold,
    cause: IntentTable,
    consequence: ConsequenceRow,
    index: number,
  ): Promise<Added | undefined> {
    const key = consequence.key ?? consequenceKey(cause.id, consequence.name);
    if (await findByKey(trx, key)) return undefined;
    const { subject, owner, origin, created_at } = cause;
    // It belongs to its cause, so it runs before everything else that waits in that lane.
    const place = consequence.lane === undefined ? { lane: cause.lane, seq: cause.seq + (index + 1) / 1000 } : {};
    const wanted = { ...consequence, key, subject, owner, origin, caller: '', renews: false };
    return this.#queue.insert(trx, hold, wanted, { ...place, created_at, isRunHere: false });
  }
}
