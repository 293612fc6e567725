import { waitsForEarlier } from './ahead.ts';
import type { Books } from './books.ts';
import { uncover } from './covers.ts';
import { isProvisional, provisionalID, provisionalIn } from './lanes.ts';
import type { Leases } from './leases.ts';
import { registered } from './registered.ts';
import { type Db, findByKey, findEnds, findLater, type IntentRow, insertRow, updateRow } from './rows.ts';
import { free, isPutOff } from './table.ts';
import { toTimedID } from './timed-id.ts';

/** The parts of a new intent that whoever submits it knows; `lane` is `""` for one of its own. */
export type NewIntent = Pick<
  IntentRow,
  'key' | 'kind' | 'payload' | 'people' | 'team_id' | 'user_id' | 'channel_id' | 'thread_ts' | 'incident_id' | 'lane'
> &
  Partial<Pick<IntentRow, 'created_at' | 'seq' | 'late' | 'asked'>>;

/** What is told of a stored submission: the intent of that key, whether it is this one, and whether it may be tried at once. */
export interface Stored {
  readonly row: IntentRow;
  readonly isNew: boolean;
  /** It is leased to this process, and to be tried now. */
  readonly isNext: boolean;
  /** What is before it in its lane is not being tried now. */
  readonly isHeldUp: boolean;
  /** Something that was asked for earlier may still come to stand before it. */
  readonly isEarly: boolean;
}

/** Puts intents into their lanes. */
export interface Places {
  /** Stores a new intent; undefined when there is one of that key. `isTried`: whoever stores it tries it at once, if it may start. */
  insert(trx: Db, wanted: NewIntent, isTried: boolean): Promise<Stored | undefined>;
  /** Puts a finished intent at the end of its lane again. */
  renew(trx: Db, row: IntentRow, news: Partial<IntentRow>, isTried: boolean): Promise<Stored>;
}

/** Opens the places for one process. */
export function openPlaces({ clock }: Books, leases: Leases): Places {
  /**
   * Where an intent stands in its lane: a declaration before all that waits for its incident; everything else at the end, but
   * before what was asked for later and never tried.
   */
  async function placeOf(
    trx: Db,
    id: string,
    wanted: Pick<NewIntent, 'incident_id' | 'lane' | 'channel_id' | 'asked'>,
  ) {
    const { incident_id: incident, lane, channel_id, asked = 0 } = wanted;
    const incidentID = (await registered(trx, incident)) || provisionalID(id);
    const place = { incident_id: incidentID, lane: lane === incident ? incidentID : lane, asked, next_at: 0 };
    if (place.lane === provisionalID(id))
      return { place: { ...place, asked: 0, seq: 0 }, mayStart: true, isHeldUp: false, isEarly: false };
    const { head, seq, isFirst } = await seqOf(trx, place.lane, asked);
    const isBehind = isProvisional(place.lane);
    const isHeldUp = head !== undefined && isHoldingUp(head, clock());
    const isEarly = await waitsForEarlier(trx, { asked, channel_id });
    return {
      place: { ...place, seq },
      mayStart: isFirst && !isHeldUp && !isBehind && !isEarly,
      isHeldUp: isHeldUp || (!head && isBehind),
      isEarly,
    };
  }

  async function seqOf(trx: Db, lane: string, asked: number) {
    const ends = await findEnds(trx, lane);
    if (!ends) return { seq: 1, head: undefined, isFirst: true };
    const { head, last } = ends;
    const isLast = asked === 0 || (last.asked > 0 && last.asked <= asked);
    const later = isLast ? undefined : await findLater(trx, head, asked);
    if (!later) return { seq: Math.floor(last.seq) + 1, head, isFirst: false };
    return { seq: ((later.before ?? 0) + later.seq) / 2, head, isFirst: later.before === undefined };
  }

  return {
    insert: async (trx, wanted, isTried) => {
      const now = clock();
      const at = now.toISOString();
      const id = toTimedID(now);
      const { place, mayStart, isHeldUp, isEarly } = await placeOf(trx, id, wanted);
      const isNext = isTried && mayStart;
      const { lease_owner, lease_until } = isNext ? leases.taken(now) : free;
      // One by one: to spread the columns takes as long as storing them.
      const row: IntentRow = {
        id,
        key: await toKeyNow(trx, wanted.key),
        kind: wanted.kind,
        payload: wanted.payload,
        people: wanted.people,
        team_id: wanted.team_id,
        user_id: wanted.user_id,
        channel_id: wanted.channel_id,
        thread_ts: wanted.thread_ts,
        incident_id: place.incident_id,
        lane: place.lane,
        seq: wanted.seq ?? place.seq,
        asked: place.asked,
        draft_id: '',
        state: isNext ? 'trying' : 'waiting',
        attempts: 0,
        next_at: 0,
        doubt: 0,
        late: wanted.late ?? 0,
        aftermath: 0,
        covers: '',
        claimed_to: 0,
        lease_owner,
        lease_until,
        outcome: '',
        created_at: wanted.created_at ?? at,
        changed_at: at,
      };
      return (await insertRow(trx, row)) ? { row, isNew: true, isNext, isHeldUp, isEarly } : undefined;
    },
    renew: async (trx, row, news, isTried) => {
      const now = clock();
      await uncover(trx, [row]);
      const { place, mayStart, ...why } = await placeOf(trx, row.id, { ...row, asked: 0, ...news });
      const isNext = isTried && mayStart;
      const turn = isNext ? { state: 'trying' as const, ...leases.taken(now) } : { state: 'waiting' as const, ...free };
      const renewed = await updateRow(
        trx,
        row,
        { ...news, ...place, late: isTried ? 0 : 1, aftermath: 0, ...turn },
        now,
      );
      return { row: renewed, isNew: true, isNext, ...why };
    },
  };
}

/** Whether the first of a lane waits for another attempt, or for its incident. */
export function isHoldingUp({ state, attempts, next_at, lane }: IntentRow, now: Date): boolean {
  return state === 'waiting' && (attempts > 0 || next_at > now.getTime() || isProvisional(lane));
}

/** A key with the incident's own id where it was made from one it had before it was registered. */
export async function toKeyNow(trx: Db, key: string): Promise<string> {
  const before = provisionalIn(key);
  return before === '' ? key : key.replaceAll(before, await registered(trx, before));
}

/** Lets nothing wait for its time: in a lane, or anywhere when none is named. */
export async function makeDue(trx: Db, lane?: string): Promise<void> {
  const all = trx.updateTable('bot_intent').set({ next_at: 0 }).where(isPutOff);
  await (lane === undefined ? all : all.where('lane', '=', lane)).execute();
}

/** Gives a declared incident its id: everything behind the declaration belongs to it, and so does its room. */
export async function register(trx: Db, declaration: IntentRow, incidentID: string): Promise<void> {
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
