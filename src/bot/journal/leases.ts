import { sql } from 'kysely';
import { createLeaseWatch, leaseTime, nextHeartbeat, type SeenLease } from '../../db/leases.ts';
import { isLeased, isPostponed, isUnfinished } from '../schema/intents.ts';
import { isProvisional, provisionalMark } from './provisional-id.ts';
import { longestAskedPause } from './retry-policy.ts';
import { type Db, findHead, type IntentRow, type Rows, unleased, updateRow } from './rows.ts';

/**
 * Who runs an intent, or tells its outcome. A process keeps changing the heartbeat of its leases; the leases of a process that
 * stops doing so are freed by the others.
 */
export interface Leases {
  /** Leases the first intent of a lane to run it, if it is due; undefined otherwise. Within a transaction. */
  claimHead(trx: Db, lane: string): Promise<IntentRow | undefined>;
  /** Leases the first intents of some due lanes, the longest waiting first, other than those of the lanes named. */
  claimDue(except: readonly string[], most: number): Promise<readonly IntentRow[]>;
  /** Shows the others that this process lives. */
  beat(): Promise<void>;
  /** Frees the leases of processes that have died. */
  freeDead(): Promise<void>;
  /** Frees the leases of every other process, for a database that no other process uses. */
  freeOthers(): Promise<void>;
  /** Frees the leases under which this process runs intents: those of `ids`, or all. Attempts that were cut off become ambiguous. */
  handBack(ids?: readonly string[]): Promise<void>;
}

/** Opens the leases of one process. `steady`: milliseconds of a clock that never steps. */
export function openLeases({ db, locked, now, owner }: Rows, steady?: () => number): Leases {
  const watch = createLeaseWatch(leaseTime, steady);

  function isDue(head: IntentRow): boolean {
    if (head.state !== 'pending' || head.lease_owner !== '') return false;
    // A pause that ends later than any can was begun before the clock stepped back.
    if (head.next_at > now() && head.next_at <= now() + longestAskedPause) return false;
    return !isProvisional(head.lane) || head.seq === 0;
  }

  function run(trx: Db, row: IntentRow): Promise<IntentRow> {
    return updateRow(trx, row, { state: 'running', lease_owner: owner, heartbeat: row.heartbeat + 1 }, now());
  }

  function leased(trx: Db, whose: 'mine' | 'others', ids?: readonly string[]) {
    const all = trx.updateTable('bot_intent').where(isLeased);
    const some = all.where('lease_owner', whose === 'mine' ? '=' : '!=', owner);
    return ids === undefined ? some : some.where('id', 'in', ids);
  }

  /** Frees intents that run; each may or may not have taken effect. */
  async function freeRunning(trx: Db, whose: 'mine' | 'others', ids?: readonly string[]): Promise<void> {
    const cutOff = { state: 'pending', ambiguous: 1, next_at: 0, ...unleased } as const;
    await leased(trx, whose, ids).set(cutOff).where('state', '=', 'running').execute();
  }

  async function freeAll(trx: Db, ids?: readonly string[]): Promise<void> {
    await freeRunning(trx, 'others', ids);
    await leased(trx, 'others', ids).set(unleased).execute();
  }

  async function freeOne(trx: Db, { key: id, owner: holder, mark }: SeenLease): Promise<void> {
    const row = await trx
      .selectFrom('bot_intent')
      .selectAll()
      .where('id', '=', id)
      .where('lease_owner', '=', holder)
      .where('heartbeat', '=', mark)
      .executeTakeFirst();
    if (row) await freeAll(trx, [row.id]);
  }

  return {
    claimHead: async (trx, lane) => {
      const head = await findHead(trx, lane);
      return head && isDue(head) ? run(trx, head) : undefined;
    },
    claimDue: (except, most) =>
      locked(async trx => {
        const heads = await dueHeads(trx, now(), except, most);
        const claimed: IntentRow[] = [];
        for (const head of heads) claimed.push(await run(trx, head));
        return claimed;
      }),
    beat: () =>
      locked(async trx => {
        const mine = trx.updateTable('bot_intent').where(isLeased).where('lease_owner', '=', owner);
        await mine.set({ heartbeat: nextHeartbeat() }).execute();
      }),
    freeDead: async () => {
      const leases = await db
        .selectFrom('bot_intent')
        .select(['id', 'lease_owner', 'heartbeat'])
        .where(isLeased)
        .where('lease_owner', '!=', owner)
        .execute();
      const seen = leases.map(row => ({ key: row.id, owner: row.lease_owner, mark: row.heartbeat }));
      const dead = watch.look(seen);
      if (dead.length === 0) return;
      await locked(async trx => {
        for (const each of dead) await freeOne(trx, each);
      });
    },
    freeOthers: () => locked(trx => freeAll(trx)),
    handBack: ids => locked(trx => freeRunning(trx, 'mine', ids)),
  };
}

/** The first intent of each lane, where it is due and nobody runs it. */
function dueHeads(db: Db, now: number, except: readonly string[], most: number): Promise<readonly IntentRow[]> {
  return (
    db
      .with('ranked', all =>
        all
          .selectFrom('bot_intent')
          .select(['id', sql<number>`row_number() over (partition by lane order by seq, id)`.as('rank')])
          .where(isUnfinished),
      )
      .selectFrom('ranked')
      .innerJoin('bot_intent as head', 'head.id', 'ranked.id')
      .selectAll('head')
      .where('ranked.rank', '=', sql.lit(1))
      .where('head.state', '=', 'pending')
      .where('head.lease_owner', '=', '')
      .where(({ or, eb }) => or([eb('head.next_at', '<=', now), eb('head.next_at', '>', now + longestAskedPause)]))
      // In a provisional lane only the registration itself can run.
      .where(({ or, eb }) => or([eb('head.lane', 'not like', `${provisionalMark}%`), eb('head.seq', '=', 0)]))
      // No lane has an empty name; a list in SQL needs a member.
      .where('head.lane', 'not in', ['', ...except])
      .orderBy('head.created_at')
      .limit(most)
      .execute()
  );
}

/** Lets postponed intents run at once: those of a lane, or all. */
export async function makeDue(db: Db, lane?: string): Promise<void> {
  const postponed = db.updateTable('bot_intent').set({ next_at: 0 }).where(isPostponed);
  await (lane === undefined ? postponed : postponed.where('lane', '=', lane)).execute();
}
