import { sql } from 'kysely';
import { RpcError } from '../../contract/errors.ts';
import type { Database } from '../../db/database.ts';
import { createLeaseWatch } from '../lease-watch.ts';
import type { MemoryTables } from '../memory/tables.ts';
import { isProvisional, provisional, provisionalID, provisionalIn } from './lanes.ts';
import { longestPause } from './lasting.ts';
import { registered } from './registered.ts';
import {
  countChange,
  type Db,
  endRow,
  findByID,
  findByKey,
  findEnd,
  findHead,
  type IntentRow,
  insertRow,
  unfinished,
  updateRow,
} from './rows.ts';
import { toStoredError } from './stored-error.ts';
import { hasAftermath, type IntentState, isTrying, isUnfinished, isWaiting } from './table.ts';
import { toTimedID } from './timed-id.ts';

/** The parts of a new intent that whoever submits it knows; `lane` is `""` for one of its own. */
export type NewIntent = Pick<
  IntentRow,
  'key' | 'kind' | 'payload' | 'people' | 'team_id' | 'user_id' | 'channel_id' | 'thread_ts' | 'incident_id' | 'lane'
> &
  Partial<Pick<IntentRow, 'created_at' | 'seq' | 'late'>>;

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

/** What is told of a stored submission: the intent of that key, whether it is this one, and whether it may be tried at once. */
export interface Stored {
  readonly row: IntentRow;
  readonly isNew: boolean;
  /** It is leased to this process, and to be tried now. */
  readonly isNext: boolean;
  /** What is before it in its lane is not being tried now. */
  readonly isHeldUp: boolean;
}

/** How long a lease lasts that is not renewed, in milliseconds. */
export const leaseTime = 20_000;

const abandoned = toStoredError(
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
  steady,
}: {
  database: Database;
  clock: () => Date;
  owner: string;
  /** Milliseconds of a clock that never steps. */
  steady?: () => number;
}) {
  const db: Db = database.as<MemoryTables>();
  const inTurn = <T>(work: (trx: Db) => Promise<T>) => database.inTurn<MemoryTables, T>('journal', work);
  const leased = (now: Date) => ({ lease_owner: owner, lease_until: now.getTime() + leaseTime });
  const free = { lease_owner: '', lease_until: 0 };
  const watch = createLeaseWatch(leaseTime, steady);
  /** Leases whose holders have died, by the key of their intent. */
  let left = new Map<string, string>();

  /** Where an intent stands in its lane: a declaration before all that waits for its incident, everything else at the end. */
  async function placeOf(trx: Db, id: string, incident: string, lane: string) {
    const incidentID = (await registered(trx, incident)) || provisionalID(id);
    const place = { incident_id: incidentID, lane: lane === incident ? incidentID : lane };
    if (place.lane === provisionalID(id))
      return { place: { ...place, seq: 0, next_at: 0 }, mayStart: true, isHeldUp: false };
    const { seq, head } = await findEnd(trx, place.lane);
    const isBehind = isProvisional(place.lane);
    const holdUp = head?.state === 'waiting' ? head : undefined;
    return {
      // What holds up the first of a lane holds up all of it.
      place: { ...place, seq, next_at: holdUp?.next_at ?? 0 },
      mayStart: !head && !isBehind,
      isHeldUp: holdUp !== undefined || (!head && isBehind),
    };
  }

  /** Undefined when there is one of that key. `isTried`: whoever stores it tries it at once, if it may start. */
  async function insert(trx: Db, wanted: NewIntent, isTried: boolean): Promise<Stored | undefined> {
    const now = clock();
    const id = toTimedID(now);
    const { place, mayStart, isHeldUp } = await placeOf(trx, id, wanted.incident_id, wanted.lane);
    const isNext = isTried && mayStart;
    const row: IntentRow = {
      created_at: now.toISOString(),
      late: 0,
      ...wanted,
      key: await toKeyNow(trx, wanted.key),
      id,
      ...place,
      seq: wanted.seq ?? place.seq,
      draft_id: '',
      state: isNext ? 'trying' : 'waiting',
      attempts: 0,
      doubt: 0,
      ...(isNext ? leased(now) : free),
      outcome: '',
      aftermath: 0,
      changed_at: now.toISOString(),
    };
    return (await insertRow(trx, row)) ? { row, isNew: true, isNext, isHeldUp } : undefined;
  }

  /** Puts a finished intent at the end of its lane again. */
  async function renew(trx: Db, row: IntentRow, news: Partial<IntentRow>, isTried: boolean): Promise<Stored> {
    const now = clock();
    const { place, mayStart, isHeldUp } = await placeOf(trx, row.id, row.incident_id, row.lane);
    const isNext = isTried && mayStart;
    const turn = isNext ? { state: 'trying' as const, ...leased(now) } : { state: 'waiting' as const, ...free };
    const late = isTried ? 0 : 1;
    const renewed = { ...news, ...place, late, aftermath: 0, ...turn, changed_at: now.toISOString() };
    await trx.updateTable('bot_intent').set(renewed).where('key', '=', row.key).execute();
    return { row: { ...row, ...renewed }, isNew: true, isNext, isHeldUp };
  }

  /** Whether the holder of a lease has died, as far as this process has seen. */
  function isLeft(row: Pick<IntentRow, 'key' | 'lease_owner' | 'lease_until'>): boolean {
    return row.lease_owner === '' || left.get(row.key) === toMark(row);
  }

  /** Takes note of the leases there are; yields the lanes in which somebody died who was trying something. */
  async function lookAtLeases(): Promise<readonly string[]> {
    const columns = ['key', 'lane', 'state', 'lease_owner', 'lease_until'] as const;
    const held = db.selectFrom('bot_intent').select(columns).where('lease_owner', '!=', '');
    const rows = [...(await held.where(isTrying).execute()), ...(await held.where(hasAftermath).execute())];
    const abandoned = watch.look(rows.map(row => ({ key: row.key, owner: row.lease_owner, mark: row.lease_until })));
    left = new Map(abandoned.map(each => [each.key, `${each.owner} ${each.mark}`]));
    return rows.filter(row => row.state === 'trying' && isLeft(row)).map(row => row.lane);
  }

  /** Leases the first of a lane, if it is due, or `isMoving`: what held it up is over. One whose lease ran out may have taken effect. */
  async function claim(trx: Db, lane: string, isMoving = false): Promise<IntentRow | undefined> {
    const head = await findHead(trx, lane);
    if (!head || (isProvisional(lane) && lane !== provisionalID(head.id))) return undefined;
    const now = clock();
    const isReady = head.state === 'waiting' ? isMoving || isDue(head.next_at, now, longestPause) : isLeft(head);
    if (!isReady) return undefined;
    if (head.state === 'waiting') return updateRow(trx, head, { state: 'trying', ...leased(now) }, now);
    // Whoever waited for it waits no more, and it may have taken effect.
    return updateRow(trx, head, { doubt: 1, late: head.late || 1, ...leased(now) }, now);
  }

  /** Tries an intent again at once, which took for its own what is another one's. */
  async function lookAgain(trx: Db, row: IntentRow): Promise<IntentRow> {
    const now = clock();
    return updateRow(trx, row, { state: 'trying', doubt: 1, aftermath: 0, outcome: '', ...leased(now) }, now);
  }

  /** An intent that is still this process's to settle: no other one has taken it over. */
  async function ours(trx: Db, row: IntentRow): Promise<IntentRow | undefined> {
    const now = await findByKey(trx, row.key);
    return now?.state === 'trying' && now.lease_owner === owner ? now : undefined;
  }

  return {
    /** Stores an intent under its key; `renews`: one that was refused or discarded under it is replaced by this one. */
    add: (wanted: NewIntent, renews: boolean): Promise<Stored> =>
      inTurn(async trx => {
        const stored = await insert(trx, wanted, true);
        if (stored) return stored;
        const known = await findByKey(trx, await toKeyNow(trx, wanted.key));
        if (!known) throw new Error('An intent is neither new nor known');
        if (renews && (known.state === 'refused' || known.state === 'discarded')) {
          const { payload, people, team_id, user_id, channel_id, thread_ts } = wanted;
          return renew(trx, known, { payload, people, team_id, user_id, channel_id, thread_ts }, true);
        }
        const head = await findHead(trx, known.lane);
        const claimed = head?.key === known.key ? await claim(trx, known.lane) : undefined;
        if (claimed) return { row: claimed, isNew: false, isNext: true, isHeldUp: false };
        return { row: known, isNew: false, isNext: false, isHeldUp: head?.state === 'waiting' };
      }),
    /** Tries a refused or discarded intent again, at the end of its lane; one that waits is due at once. */
    again: (id: string): Promise<Stored | undefined> =>
      inTurn(async trx => {
        const known = await findByID(trx, id);
        if (!known) return undefined;
        if (known.state === 'refused' || known.state === 'discarded') return renew(trx, known, {}, true);
        if (known.state !== 'waiting') return { row: known, isNew: false, isNext: false, isHeldUp: false };
        await makeDue(trx, known.lane);
        // Somebody waits for its end again.
        const row = await updateRow(trx, known, { late: known.late === 1 ? 0 : known.late }, clock());
        const claimed = (await findHead(trx, known.lane))?.id === id ? await claim(trx, known.lane, true) : undefined;
        return { row: claimed ?? row, isNew: true, isNext: claimed !== undefined, isHeldUp: false };
      }),
    /** The same for whoever runs the lanes: this process tries nothing. Yields the intent, unless it is done or being tried. */
    requeue: (id: string): Promise<IntentRow | undefined> =>
      inTurn(async trx => {
        const known = await findByID(trx, id);
        if (known?.state === 'refused' || known?.state === 'discarded') return (await renew(trx, known, {}, false)).row;
        if (known?.state !== 'waiting') return undefined;
        await makeDue(trx, known.lane);
        return known;
      }),
    /** Gives up an intent that is not being tried; undefined when there is none, or it is. What waits for its incident goes with it. */
    discard: (id: string): Promise<IntentRow | undefined> =>
      inTurn(async trx => {
        const known = await findByID(trx, id);
        if (known?.state !== 'waiting' && known?.state !== 'refused') return undefined;
        await trx
          .updateTable('bot_intent')
          .set({ ...discarded, changed_at: clock().toISOString() })
          .where('incident_id', '=', provisionalID(id))
          .where('state', 'in', ['waiting', 'refused'])
          .execute();
        return updateRow(trx, known, discarded, clock());
      }),
    /** Stores what became of an attempt, and leases the next of the lane. Undefined when the lease was lost: another process has it. */
    settle: (row: IntentRow, to: Settlement): Promise<{ row: IntentRow; next: IntentRow | undefined } | undefined> =>
      inTurn(async trx => {
        const now = clock();
        const ended = await endRow(trx, {
          key: row.key,
          lease_owner: owner,
          leaseUntil: now.getTime() + leaseTime,
          state: to.state,
          outcome: to.outcome,
          attempts: row.attempts + 1,
          doubt: to.doubt ? 1 : 0,
          changed_at: now.toISOString(),
        });
        if (!ended) return undefined;
        if (to.registers && (await isTaken(trx, ended, to.registers)))
          return { row: ended, next: await lookAgain(trx, ended) };
        const settled = to.registers ? { ...ended, incident_id: to.registers } : ended;
        if (to.registers) await register(trx, row, to.registers);
        if (to.state === 'done') await countChange(trx, settled.incident_id);
        for (const each of to.consequences) await insert(trx, each, false);
        return { row: settled, next: await claim(trx, to.registers || row.lane, true) };
      }),
    /** Keeps an intent for another attempt, and lets others have it then. */
    keep: (row: IntentRow, news: { outcome: string; doubt: boolean; nextAt: number }): Promise<void> =>
      inTurn(async trx => {
        const now = await ours(trx, row);
        if (!now) return;
        const { outcome, doubt, nextAt } = news;
        const attempts = row.attempts + 1;
        const progress = { attempts, outcome, doubt: doubt ? 1 : 0, next_at: nextAt };
        await updateRow(trx, now, { state: 'waiting', ...progress, ...free }, clock());
        await trx
          .updateTable('bot_intent')
          .set({ next_at: nextAt })
          .where('lane', '=', now.lane)
          .where(isWaiting)
          .execute();
      }),
    /** Marks an unfinished intent as one whose end is told later; false when it is finished already. */
    promise: (id: string): Promise<boolean> =>
      inTurn(async trx => {
        const row = await findByID(trx, id);
        if (!row || !unfinished.some(each => each === row.state)) return false;
        if (row.late === 0) await trx.updateTable('bot_intent').set({ late: 1 }).where('id', '=', id).execute();
        return true;
      }),
    /** Remembers where what was typed for an intent is kept. */
    typed: (id: string, draftId: string): Promise<void> =>
      inTurn(async trx => {
        await trx.updateTable('bot_intent').set({ draft_id: draftId }).where('id', '=', id).execute();
      }),
    /** Leases the next of a lane. */
    claim: (lane: string) => inTurn(trx => claim(trx, lane)),
    /** Some lanes in which something may be due, but for those that are named; takes note of the leases there are. */
    async dueLanes(known: readonly string[], most: number): Promise<readonly string[]> {
      const now = clock().getTime();
      const abandoned = await lookAtLeases();
      const all = db.selectFrom('bot_intent').select('lane').distinct().limit(most);
      // Of a lane that waits for a registration only the declaration itself can be due.
      const ready = all.where(({ or, eb }) => or([eb('lane', 'not like', `${provisional}%`), eb('seq', '=', 0)]));
      const others = known.length === 0 ? ready : ready.where('lane', 'not in', known);
      const waiting = await others
        .where(isWaiting)
        .where(({ or, eb }) => or([eb('next_at', '<=', now), eb('next_at', '>', now + longestPause)]))
        .execute();
      return [...new Set([...abandoned.filter(lane => !known.includes(lane)), ...waiting.map(each => each.lane)])];
    },
    /** Gives up what waits behind declarations that nobody took up again, asked for before then. */
    giveUp: (before: Date): Promise<void> =>
      inTurn(async trx => {
        await trx
          .updateTable('bot_intent')
          .set({ state: 'refused', outcome: abandoned, aftermath: 1, late: 1, changed_at: clock().toISOString() })
          .where(isWaiting)
          .where('lane', 'like', `${provisional}%`)
          .where('seq', '>', 0)
          .where('created_at', '<', before.toISOString())
          .execute();
      }),
    /** What is in one of these states, of one incident or of all, newest first. */
    list: (wanted: {
      states: readonly IntentState[];
      incidentID: string;
      most: number;
    }): Promise<readonly IntentRow[]> => {
      const all = db.selectFrom('bot_intent').selectAll().where('state', 'in', wanted.states);
      const some = wanted.incidentID === '' ? all : all.where('incident_id', '=', wanted.incidentID);
      return some.orderBy('created_at', 'desc').orderBy('seq', 'desc').limit(wanted.most).execute();
    },
    /** Results of what is done of a kind for an incident, as stored. */
    resultsOf: async (kind: string, incidentID: string): Promise<readonly string[]> => {
      const rows = await db
        .selectFrom('bot_intent')
        .select('outcome')
        .where('kind', '=', kind)
        .where('incident_id', '=', incidentID)
        .where('state', '=', 'done')
        .execute();
      return rows.map(row => row.outcome);
    },
    /** Makes everything that waits due at once. */
    hurry: (): Promise<void> =>
      inTurn(async trx => {
        await trx.updateTable('bot_intent').set({ next_at: 0 }).where(isWaiting).where('next_at', '>', 0).execute();
      }),
    /** Leases some of what is finished, but for what must follow, in lanes where nothing more is about to end; oldest first. */
    claimAftermath: (most: number, busy: readonly string[]): Promise<readonly IntentRow[]> =>
      inTurn(async trx => {
        const now = clock();
        const rows = await trx
          .selectFrom('bot_intent')
          .selectAll()
          .where(hasAftermath)
          .where('lane', 'not in', ['', ...busy])
          .where(({ or, eb }) => or([eb('lease_owner', '=', ''), eb('key', 'in', ['', ...left.keys()])]))
          .orderBy('changed_at')
          .orderBy('lane')
          .orderBy('seq')
          .limit(most)
          .execute();
        if (rows.length === 0) return rows;
        const ours = rows.filter(isLeft);
        const ids = ours.map(each => each.id);
        if (ids.length > 0) await trx.updateTable('bot_intent').set(leased(now)).where('id', 'in', ids).execute();
        return ours;
      }),
    /** Nothing more is due for these. */
    close: (ids: readonly string[]): Promise<void> =>
      inTurn(async trx => {
        await trx
          .updateTable('bot_intent')
          .set({ aftermath: 0, ...free })
          .where('id', 'in', ids)
          .where('state', 'in', ['done', 'refused'])
          .execute();
      }),
    /** Nobody was answered about these: it is told later. */
    leave: (ids: readonly string[]): Promise<void> =>
      inTurn(async trx => {
        await trx
          .updateTable('bot_intent')
          .set({ late: 1, ...free })
          .where('id', 'in', ids)
          .where('state', 'in', ['done', 'refused'])
          .where(hasAftermath)
          .execute();
      }),
    /** Lets others have these, as they are. */
    release: (ids: readonly string[]): Promise<void> =>
      inTurn(async trx => {
        const ours = trx.updateTable('bot_intent').set(free).where('id', 'in', ids);
        await ours.where('lease_owner', '=', owner).execute();
      }),
    /** Goes on holding these. */
    renewLeases: (ids: readonly string[]): Promise<void> =>
      inTurn(async trx => {
        const until = clock().getTime() + leaseTime;
        await trx
          .updateTable('bot_intent')
          // It changes also while the clock stands still or steps back: that is how others see that this process is alive.
          .set(({ eb, ref }) => ({
            lease_until: sql<number>`case when ${ref('lease_until')} < ${sql.lit(until)} then ${sql.lit(until)} else ${eb('lease_until', '+', 1)} end`,
          }))
          .where('id', 'in', ids)
          .where('lease_owner', '=', owner)
          .execute();
      }),
    /** Hands back what this process holds: at once, and what it was trying as something that may have taken effect. */
    handBack: (): Promise<void> =>
      inTurn(async trx => {
        await trx
          .updateTable('bot_intent')
          .set({ state: 'waiting', doubt: 1, next_at: 0, ...free })
          .where('lease_owner', '=', owner)
          .where(isTrying)
          .execute();
        await trx.updateTable('bot_intent').set(free).where('lease_owner', '=', owner).execute();
      }),
    /** Whether an incident came of a declaration that is done. */
    isRegistered: async (kind: string, incidentID: string): Promise<boolean> => {
      const found = await db
        .selectFrom('bot_intent')
        .select('id')
        .where('kind', '=', kind)
        .where('incident_id', '=', incidentID)
        .where('state', '=', 'done')
        .executeTakeFirst();
      return found !== undefined;
    },
    ofKey: (key: string) => findByKey(db, key),
    ofId: (id: string) => findByID(db, id),
    /** What of an incident, or of all, is unfinished, in order. */
    unfinished: (incidentID?: string): Promise<readonly IntentRow[]> => {
      const all = db.selectFrom('bot_intent').selectAll().where(isUnfinished);
      const some = incidentID === undefined ? all : all.where('incident_id', '=', incidentID);
      return some.orderBy('lane').orderBy('seq').orderBy('id').limit(500).execute();
    },
    /** How many are in each state, and since when the oldest one is there. */
    census: async () => {
      const rows = await db
        .selectFrom('bot_intent')
        .select(({ fn }) => ['state', fn.countAll().as('count'), fn.min('changed_at').as('since')])
        .groupBy('state')
        .execute();
      return rows.map(row => ({ state: row.state, count: Number(row.count), since: row.since }));
    },
    /** Forgets what was finished before then; says how many. */
    purge: (before: Date, most: number): Promise<number> =>
      inTurn(async trx => {
        const old = await trx
          .selectFrom('bot_intent')
          .select('key')
          .where('state', 'in', ['done', 'refused', 'discarded'])
          .where('aftermath', '=', 0)
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

/** A key with the incident's own id where it was made from one it had before it was registered. */
async function toKeyNow(trx: Db, key: string): Promise<string> {
  const before = provisionalIn(key);
  return before === '' ? key : key.replaceAll(before, await registered(trx, before));
}

/** Whether another declaration has found that incident to be its own already. */
async function isTaken(trx: Db, declaration: IntentRow, incidentID: string): Promise<boolean> {
  const other = await trx
    .selectFrom('bot_intent')
    .select('id')
    .where('kind', '=', declaration.kind)
    .where('incident_id', '=', incidentID)
    .where('state', '=', 'done')
    .where('id', '!=', declaration.id)
    .executeTakeFirst();
  return other !== undefined;
}

/** Lets nothing in a lane wait for its time. */
async function makeDue(trx: Db, lane: string): Promise<void> {
  await trx.updateTable('bot_intent').set({ next_at: 0 }).where('lane', '=', lane).where(isWaiting).execute();
}

/** Gives a declared incident its id: everything behind the declaration belongs to it, and so does its room. */
async function register(trx: Db, declaration: IntentRow, incidentID: string): Promise<void> {
  const before = provisionalID(declaration.id);
  await trx.updateTable('bot_intent').set({ lane: incidentID }).where('lane', '=', before).execute();
  const named = await trx
    .selectFrom('bot_intent')
    .select('key')
    .where('incident_id', '=', before)
    .where('key', 'like', `%${before}%`)
    .execute();
  for (const { key } of named) {
    const news = key.replaceAll(before, incidentID);
    if (await findByKey(trx, news)) continue;
    await trx.updateTable('bot_intent').set({ key: news }).where('key', '=', key).execute();
  }
  await trx.updateTable('bot_intent').set({ incident_id: incidentID }).where('incident_id', '=', before).execute();
  await trx.updateTable('bot_room').set({ incident_id: incidentID }).where('incident_id', '=', before).execute();
}

function toMark(row: Pick<IntentRow, 'lease_owner' | 'lease_until'>): string {
  return `${row.lease_owner} ${row.lease_until}`;
}

/** Whether a moment has come. One that lies further ahead than it can have been set was set before the clock stepped back. */
function isDue(moment: number, now: Date, furthest: number): boolean {
  return moment <= now.getTime() || moment > now.getTime() + furthest;
}
