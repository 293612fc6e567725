import { RpcError } from '../../contract/errors.ts';
import type { Database } from '../../db/database.ts';
import type { MemoryTables } from '../schema/tables.ts';
import { letPass, waitsForEarlier } from './ahead.ts';
import type { Books } from './books.ts';
import { uncover } from './covers.ts';
import { openEnds } from './ends.ts';
import { provisional, provisionalID } from './lanes.ts';
import { leaseTime, openLeases } from './leases.ts';
import { openListing } from './listing.ts';
import { isHoldingUp, makeDue, type NewIntent, openPlaces, register, type Stored, toKeyNow } from './places.ts';
import {
  beginRow,
  countChanges,
  type Db,
  endRow,
  findByID,
  findByKey,
  findHead,
  findRegistration,
  type IntentRow,
  isOneUnfinished,
  reachOf,
  updateRow,
} from './rows.ts';
import { toStoredError } from './stored-error.ts';
import { free, type IntentState, isWaiting } from './table.ts';

/** What becomes of an attempt. */
export interface Settlement {
  readonly state: 'done' | 'refused';
  readonly outcome: string;
  /** It may have taken effect all the same. */
  readonly doubt: boolean;
  /** What is stored with it: what comes of it, and the id of the incident that it brought into being. */
  readonly consequences: readonly NewIntent[];
  readonly registers: string;
}

/** An outcome to be stored. */
export interface ToSettle {
  readonly row: IntentRow;
  readonly to: Settlement;
  /** The first of what was claimed with it, which bears the lease; and so is stored after the others. */
  readonly head: Pick<IntentRow, 'id' | 'covers'>;
  /** Up to this place, what was claimed with it must have been stored before. */
  readonly after: number;
  /** What is next in its lane is leased with it: what there is, or the intent of this id, which is being tried already. */
  readonly next: 'none' | 'any' | { readonly id: string };
  /** Whether whoever waited for that one has their answer by now: nothing more is due. */
  readonly isAnswered: (id: string) => boolean;
}

/** What was stored of an end: the columns that changed, and what of its lane is to be tried next. */
export interface Settled {
  readonly changes: Partial<IntentRow> & Pick<IntentRow, 'late' | 'incident_id'>;
  readonly next: readonly IntentRow[];
}

/** Outcomes stored in one go: what the API has answered meanwhile is taken up in between. */
const mostAtOnce = 16;

const isGivenUp = (row: IntentRow) => row.state === 'refused' || row.state === 'discarded';
const neverRegistered = toStoredError(
  new RpcError('failed_precondition', 'the incident was never registered, and this waited for a week'),
);
const discarded = {
  state: 'discarded',
  aftermath: 0,
  outcome: toStoredError(new RpcError('failed_precondition', 'it was discarded')),
} as const;

/** The journal's rows. Everything that decides who does what runs in the journal's turn, so that no two replicas differ. */
export type JournalStore = ReturnType<typeof openStore>;

/** Opens the rows for one process, whose leases bear the name `owner`. */
export function openStore({
  database,
  clock,
  owner,
  runs = () => false,
  isInHand = () => false,
  steady,
}: {
  database: Database;
  clock: () => Date;
  owner: string;
  /** Whether an intent of that kind may be claimed together with others of its lane. */
  runs?: (kind: string) => boolean;
  /** Whether this process is at an intent: it tries it, or has yet to answer for it. */
  isInHand?: (id: string) => boolean;
  /** Milliseconds of a clock that never steps. */
  steady?: () => number;
}) {
  const db: Db = database.as<MemoryTables>();
  const withLock = <T>(work: (trx: Db) => Promise<T>) => database.withLock<MemoryTables, T>('journal', work);
  const books: Books = { db, withLock, clock, owner };
  const leases = openLeases(books, { runs, isInHand }, steady);
  const places = openPlaces(books, leases);
  const listing = openListing(books);
  const ends = openEnds(books, leases);

  /** Tries an intent again at once, which took for its own what is another one's. */
  async function lookAgain(trx: Db, row: IntentRow): Promise<IntentRow> {
    const now = clock();
    const again = { state: 'trying', doubt: 1, aftermath: 0, outcome: '', ...leases.taken(now) } as const;
    return updateRow(trx, row, again, now);
  }

  /** Whether something that waits was claimed together with the first of its lane. */
  async function isClaimed(trx: Db, { lane, seq }: IntentRow): Promise<boolean> {
    const head = await findHead(trx, lane);
    return head !== undefined && seq <= reachOf(head);
  }

  async function settleOne(
    trx: Db,
    { row, to, head, after, next, isAnswered }: ToSettle,
  ): Promise<Settled | undefined> {
    if (after > row.seq && (await isOneUnfinished(trx, row, after))) return undefined;
    const now = clock();
    const changed_at = now.toISOString();
    const attempts = row.attempts + 1;
    const doubt = to.doubt ? 1 : 0;
    const isCovered = row.id !== head.id && head.covers !== '' && row.late !== 0;
    const successor = isAnswered(row.id) && row.late === 0 ? 'nobody' : isCovered ? 'head' : 'owner';
    const { state, outcome, registers } = to;
    const news = { state, outcome, attempts, doubt, claimed_to: 0, changed_at };
    // Whoever waits is answered by this process, and so is whoever was promised a message.
    const until = now.getTime() + leaseTime;
    const end = await endRow(trx, { ...news, id: row.id, head: head.id, owner }, row, { until, successor });
    if (!end) return undefined;
    const changes = { ...news, ...end, ...(registers && { incident_id: registers, lane: registers }) };
    if (registers && (await findRegistration(trx, row.kind, registers, row.id)))
      return { changes, next: [await lookAgain(trx, { ...row, ...news, ...end })] };
    if (registers) await register(trx, row, registers);
    for (const each of to.consequences) await places.insert(trx, each, false);
    if (typeof next === 'object') await beginRow(trx, { id: next.id, ...leases.taken(now), changed_at });
    return { changes, next: next === 'any' ? await leases.claimRun(trx, registers || row.lane, true) : [] };
  }

  return {
    ...ends,
    ...listing,
    renewLeases: leases.renew,
    release: leases.release,
    putBack: leases.putBack,
    handBack: leases.handBack,
    /**
     * Stores an intent under its key; `renews`: one that was refused or discarded under it is replaced by this one. From then
     * on the `delivery` that asked for it holds up nothing.
     */
    add: (wanted: NewIntent, renews: boolean, delivery = ''): Promise<Stored> =>
      withLock(async trx => {
        if (delivery !== '') await letPass(trx, delivery);
        const stored = await places.insert(trx, wanted, true);
        if (stored) return stored;
        const known = await findByKey(trx, await toKeyNow(trx, wanted.key));
        if (!known) throw new Error('An intent is neither new nor known');
        if (renews && isGivenUp(known)) {
          const { payload, people, team_id, user_id, channel_id, thread_ts, asked = 0 } = wanted;
          return places.renew(trx, known, { payload, people, team_id, user_id, channel_id, thread_ts, asked }, true);
        }
        const head = await findHead(trx, known.lane);
        const claimed = head?.key === known.key ? await leases.claimHead(trx, head, false) : undefined;
        if (claimed) return { row: claimed, isNew: false, isNext: true, isHeldUp: false, isEarly: false };
        const isHeldUp = head !== undefined && isHoldingUp(head, clock());
        return { row: known, isNew: false, isNext: false, isHeldUp, isEarly: await waitsForEarlier(trx, known) };
      }),
    /** Tries a refused or discarded intent again, at the end of its lane; one that waits is due at once. */
    again: (id: string): Promise<Stored | undefined> =>
      withLock(async trx => {
        const known = await findByID(trx, id);
        if (!known) return undefined;
        if (isGivenUp(known)) return places.renew(trx, known, {}, true);
        if (known.state !== 'waiting')
          return { row: known, isNew: false, isNext: false, isHeldUp: false, isEarly: false };
        await makeDue(trx, known.lane);
        // Somebody waits for its end again.
        const row = await updateRow(trx, known, { late: known.late === 1 ? 0 : known.late }, clock());
        const head = await findHead(trx, known.lane);
        const claimed = head?.id === id ? await leases.claimHead(trx, head, true) : undefined;
        const isEarly = await waitsForEarlier(trx, row);
        return { row: claimed ?? row, isNew: true, isNext: claimed !== undefined, isHeldUp: false, isEarly };
      }),
    /** The same for whoever runs the lanes: this process tries nothing. Yields the intent, unless it is done or being tried. */
    requeue: (id: string): Promise<IntentRow | undefined> =>
      withLock(async trx => {
        const known = await findByID(trx, id);
        if (known && isGivenUp(known)) return (await places.renew(trx, known, {}, false)).row;
        if (known?.state !== 'waiting') return undefined;
        await makeDue(trx, known.lane);
        return known;
      }),
    /** Gives up an intent that is not being tried; undefined when there is none, or it is. What waits for its incident goes with it. */
    discard: (id: string): Promise<IntentRow | undefined> =>
      withLock(async trx => {
        const known = await findByID(trx, id);
        if (known?.state !== 'waiting' && known?.state !== 'refused') return undefined;
        if (known.state === 'waiting' && (await isClaimed(trx, known))) return undefined;
        await uncover(trx, [known]);
        await trx
          .updateTable('bot_intent')
          .set({ ...discarded, changed_at: clock().toISOString() })
          .where('incident_id', '=', provisionalID(id))
          .where('state', 'in', ['waiting', 'refused'])
          .execute();
        return updateRow(trx, known, discarded, clock());
      }),
    /** Stores what became of some attempts. Undefined for those whose lease was lost: another process has them. */
    settle: (endings: readonly ToSettle[]): Promise<readonly (Settled | undefined)[]> =>
      withLock(async trx => {
        const settled: (Settled | undefined)[] = [];
        const changed = new Set<string>();
        for (const [index, each] of endings.entries()) {
          if (index > 0 && index % mostAtOnce === 0) await new Promise(setImmediate);
          const one = await settleOne(trx, each);
          settled.push(one);
          if (one?.changes.state === 'done') changed.add(one.changes.incident_id);
        }
        await countChanges(trx, [...changed]);
        return settled;
      }),
    /** Keeps an intent for another attempt; what is behind it in its lane waits for it. Lets others have it then. */
    keep: (row: IntentRow, news: { outcome: string; doubt: boolean; nextAt: number }): Promise<void> =>
      withLock(async trx => {
        const now = await findByID(trx, row.id);
        if (now?.state !== 'trying' || now.lease_owner !== owner) return;
        const { outcome, doubt, nextAt } = news;
        const attempts = row.attempts + 1;
        const kept = {
          state: 'waiting',
          attempts,
          outcome,
          doubt: doubt ? 1 : 0,
          next_at: nextAt,
          covers: '',
          ...free,
        } as const;
        await updateRow(trx, now, kept, clock());
      }),
    /** Remembers where what was typed for an intent is kept. */
    typed: (id: string, draftId: string): Promise<void> =>
      withLock(async trx => {
        await trx.updateTable('bot_intent').set({ draft_id: draftId }).where('id', '=', id).execute();
      }),
    /** Leases what is next in a lane, if it is due. */
    claim: (lane: string) => withLock(trx => leases.claimRun(trx, lane, false)),
    /** Some lanes in which something may be due, but for those that are named; takes note of the leases there are. */
    lookForLanes: async (known: readonly string[], most: number): Promise<readonly string[]> => {
      const left = (await leases.look()).filter(lane => !known.includes(lane));
      return [...new Set([...left, ...(await listing.dueLanes(known, most))])];
    },
    /** Gives up what waits behind declarations that nobody took up again, asked for before then. */
    giveUp: (before: Date): Promise<void> =>
      withLock(async trx => {
        await trx
          .updateTable('bot_intent')
          .set({ state: 'refused', outcome: neverRegistered, aftermath: 1, late: 1, changed_at: clock().toISOString() })
          .where(isWaiting)
          .where('lane', 'like', `${provisional}%`)
          .where('seq', '>', 0)
          .where('created_at', '<', before.toISOString())
          .execute();
      }),
    /** Makes everything that waits due at once. */
    hurry: (): Promise<void> => withLock(trx => makeDue(trx)),
    /** Whether an incident came of a declaration that is done. */
    isRegistered: async (kind: string, incidentID: string): Promise<boolean> =>
      (await findRegistration(db, kind, incidentID)) !== undefined,
    /** Whether something that was asked for earlier may still come to stand before it. */
    isEarly: (row: IntentRow): Promise<boolean> => waitsForEarlier(db, row),
    ofKey: (key: string) => findByKey(db, key),
    ofId: (id: string) => findByID(db, id),
    /** Forgets what was finished before then; says how many. */
    purge: (before: Date, most: number): Promise<number> =>
      withLock(async trx => {
        const finished: readonly IntentState[] = ['done', 'refused', 'discarded'];
        const old = await trx
          .selectFrom('bot_intent')
          .select('key')
          .where('state', 'in', finished)
          .where('aftermath', '!=', 1)
          .where('changed_at', '<', before.toISOString())
          .limit(most)
          .execute();
        if (old.length === 0) return 0;
        const keys = old.map(each => each.key);
        await trx.deleteFrom('bot_intent').where('key', 'in', keys).execute();
        return old.length;
      }),
  };
}
