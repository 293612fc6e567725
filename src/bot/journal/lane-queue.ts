import type { Leases } from './leases.ts';
import { isProvisional, provisionalID } from './provisional-id.ts';
import {
  currentKey,
  currentSubject,
  type Db,
  findHead,
  type IntentRow,
  isFinal,
  nextSeq,
  type Rows,
  toTime,
  unleased,
  updateRow,
  uuidv7,
} from './rows.ts';

/** An intent to be stored. `subject` is `""` for one that brings its subject into being; `lane` is absent for the subject's own. */
export interface NewIntent {
  readonly key: string;
  readonly kind: string;
  readonly payload: string;
  readonly subject: string;
  readonly lane?: string | undefined;
  readonly owner: string;
  readonly origin: string;
  readonly caller: string;
  /** An intent of this key that failed or was discarded is replaced by this one. */
  readonly renews: boolean;
}

/** A stored intent: whether this submission stored it, and whether this process is to run it now. */
export interface Added {
  readonly row: IntentRow;
  readonly isNew: boolean;
  /** `running`: leased to this process. `blocked`: the head of its lane waits for a later attempt. `waiting`: others run first. */
  readonly status: 'running' | 'waiting' | 'blocked' | 'final';
}

/** Puts intents into their lanes, within the transactions of the store. */
export class LaneQueue {
  readonly #rows: Rows;
  readonly #leases: Leases;

  constructor(rows: Rows, leases: Leases) {
    this.#rows = rows;
    this.#leases = leases;
  }

  /** Where an intent goes in its lane: a registration to the front, everything else to the end. */
  async #placeOf(trx: Db, id: string, wanted: Pick<NewIntent, 'subject' | 'lane'>) {
    const own = provisionalID(id);
    const subject = (await currentSubject(trx, wanted.subject)) || own;
    const lane = wanted.lane ?? subject;
    if (lane === own) return { place: { subject, lane, seq: 0 }, head: undefined, mayRun: true };
    const head = await findHead(trx, lane);
    const mayRun = !head && !isProvisional(lane);
    return { place: { subject, lane, seq: head ? await nextSeq(trx, lane) : 1 }, head, mayRun };
  }

  #lease(mayRun: boolean): Pick<IntentRow, 'state' | 'lease_owner'> {
    return mayRun ? { state: 'running', lease_owner: this.#rows.owner } : { state: 'pending', ...unleased };
  }

  /** Stores a new intent; `isRunHere`: this process runs it at once if it is the first of its lane. */
  async insert(
    trx: Db,
    wanted: NewIntent,
    { isRunHere, ...given }: Partial<IntentRow> & { readonly isRunHere: boolean },
  ): Promise<Added> {
    const id = uuidv7(this.#rows.now());
    const { place, head, mayRun } = await this.#placeOf(trx, id, wanted);
    const at = toTime(this.#rows.now());
    const { kind, payload, owner, origin, caller } = wanted;
    const row: IntentRow = {
      ...{ id, key: await currentKey(trx, wanted.key), kind, payload, owner, origin, caller, attachment: '' },
      ...{ attempts: 0, ambiguous: 0, next_at: 0, heartbeat: 0, outcome: '', created_at: at, changed_at: at },
      tell: caller === '' ? 'failure' : 'caller',
      ...place,
      ...this.#lease(mayRun && isRunHere),
      ...given,
    };
    await trx.insertInto('bot_intent').values(row).execute();
    return { row, isNew: true, status: this.#statusOf(row, head) };
  }

  /** Puts a failed intent at the end of its lane once more. */
  async enqueueAgain(trx: Db, row: IntentRow, change: Partial<IntentRow>, isRunHere: boolean): Promise<Added> {
    const lane = row.lane === row.subject ? undefined : row.lane;
    const { head, mayRun, place } = await this.#placeOf(trx, row.id, { subject: row.subject, lane });
    const news = { next_at: 0, ...change, ...place, ...this.#lease(mayRun && isRunHere) };
    const again = await updateRow(trx, row, news, this.#rows.now());
    return { row: again, isNew: true, status: this.#statusOf(again, head) };
  }

  /** A submission whose key is known: the same caller asks again, or somebody asks for the same thing. */
  async recognise(trx: Db, known: IntentRow, caller: string): Promise<Added> {
    if (isFinal(known)) {
      if (known.tell !== 'caller' || known.caller !== caller) return { row: known, isNew: false, status: 'final' };
      const ours = await updateRow(trx, known, { lease_owner: this.#rows.owner }, Date.parse(known.changed_at));
      return { row: ours, isNew: false, status: 'final' };
    }
    const head = await findHead(trx, known.lane);
    const claimed = head?.id === known.id ? await this.#leases.claimHead(trx, known.lane) : undefined;
    if (claimed) return { row: claimed, isNew: false, status: 'running' };
    const status = this.#statusOf(known, head);
    // An attempt that this process makes already is not begun once more.
    return { row: known, isNew: false, status: status === 'running' ? 'waiting' : status };
  }

  #statusOf(row: IntentRow, head: IntentRow | undefined): Added['status'] {
    if (isFinal(row)) return 'final';
    if (row.state === 'running') return row.lease_owner === this.#rows.owner ? 'running' : 'waiting';
    const first = head ?? row;
    if (first.state !== 'pending') return 'waiting';
    const isPostponed = first.attempts > 0 || first.next_at > this.#rows.now();
    return isPostponed || isProvisional(row.lane) ? 'blocked' : 'waiting';
  }
}
