import { createLeaseWatch, livingMark } from '../../db/leases.ts';
import { beforeWaiting } from './ahead.ts';
import type { Books } from './books.ts';
import { toCovers, uncover } from './covers.ts';
import { isProvisional, provisionalID } from './lanes.ts';
import { longestPause } from './lasting.ts';
import { beginRow, changeClaimed, type Db, findFirst, type IntentRow, reachOf } from './rows.ts';
import { free, hasAftermath, isTrying, isUnfinished, toldLater } from './table.ts';

/** How long a lease lasts that is not renewed, in milliseconds. */
export const leaseTime = 20_000;

/** The least time between two looks at all leases, in milliseconds: it costs as much as there is in the journal. */
const lookEvery = 900;

type Lease = Pick<IntentRow, 'lease_owner' | 'lease_until'>;
type Leased = Lease & Pick<IntentRow, 'id' | 'key'>;

/** Who holds which intent. A lane has one holder at a time; of what was claimed together the first one bears the lease for all. */
export interface Leases {
  /** The columns of an intent that this process holds from now on, by itself. */
  taken(now: Date): Readonly<Lease & Pick<IntentRow, 'claimed_to' | 'covers'>>;
  /** Whether nobody holds it, or its holder has died, as far as this process has seen. */
  isLeft(row: Leased): boolean;
  /** Keys of the intents whose holders have died. */
  leftKeys(): readonly string[];
  /** Takes note of the leases there are, at most once a second; yields the lanes in which somebody died who was trying something. */
  look(): Promise<readonly string[]>;
  /** Leases the first intent of its lane, if it is due, or `isMoving`: what held it up is over. */
  claimHead(trx: Db, head: IntentRow, isMoving: boolean): Promise<IntentRow | undefined>;
  /** The same with those behind it in a lane that may be tried in the same go; yields them in order. */
  claimRun(trx: Db, lane: string, isMoving: boolean): Promise<readonly IntentRow[]>;
  /** Goes on holding these. */
  renew(ids: readonly string[]): Promise<void>;
  /** Lets others have these, as they are. */
  release(ids: readonly string[]): Promise<void>;
  /** Lets others have these, which were claimed and never tried. */
  putBack(ids: readonly string[]): Promise<void>;
  /** Hands back what this process holds: at once, and what it was trying as something that may have taken effect. */
  handBack(): Promise<void>;
}

/**
 * Opens the leases of one process. `runs`: whether an intent of that kind may be claimed together with others; after a crash
 * each of them may have taken effect, so its kind must be able to find out. `isInHand`: whether this process is at an intent.
 */
export function openLeases(
  { db, withLock, clock, owner }: Books,
  { runs, isInHand }: { runs(kind: string): boolean; isInHand(id: string): boolean },
  steady: () => number = () => performance.now(),
): Leases {
  const watch = createLeaseWatch(leaseTime, steady);
  /** Leases whose holders have died, by the key of their intent. */
  let left = new Map<string, string>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  const taken = (now: Date) => ({
    lease_owner: owner,
    lease_until: now.getTime() + leaseTime,
    claimed_to: 0,
    covers: '',
  });

  function isLeft(row: Leased): boolean {
    if (row.lease_owner === '') return true;
    // A lease of its own that could not be renewed is no sign of death.
    return left.get(row.key) === toMark(row.lease_owner, row.lease_until) && !isInHand(row.id);
  }

  /** Leases what may be taken together of what stands first in a lane, when its head may be. */
  async function claim(trx: Db, first: readonly IntentRow[], isMoving: boolean): Promise<readonly IntentRow[]> {
    const [head] = first;
    if (!head || (isProvisional(head.lane) && head.lane !== provisionalID(head.id))) return [];
    const now = clock();
    const isWaiting = head.state === 'waiting';
    if (isWaiting ? !isMoving && !isDue(head.next_at, now, longestPause) : !isLeft(head)) return [];
    // What was tried before has its place for good.
    const run = isWaiting ? await beforeWaiting(trx, toRun(first)) : toRun(first);
    const last = run.at(-1);
    if (!last) return [];
    if (!isWaiting) {
      // What ended of the run is not told by whoever had it.
      await uncover(trx, [head]);
      // Whoever waited for these waits no more, and they may have taken effect.
      await changeClaimed(trx, head, { doubt: 1, late: toldLater });
    }
    const claimed = isWaiting ? run : run.map(row => ({ ...row, doubt: 1, late: row.late || 1 }));
    const news = { ...taken(now), claimed_to: last.seq, covers: toCovers(claimed), changed_at: now.toISOString() };
    await beginRow(trx, { id: head.id, ...news });
    return claimed.map(row => (row.id === head.id ? { ...row, ...news, state: 'trying' } : row));
  }

  /** What may be tried in one go with the first: what is tried already stays with what was claimed with it. */
  function toRun([head, ...rest]: readonly IntentRow[]): readonly IntentRow[] {
    if (!head) return [];
    const reach = head.state === 'trying' ? reachOf(head) : Number.POSITIVE_INFINITY;
    const end = rest.findIndex(
      row => !(runs(head.kind) && runs(row.kind) && row.state === 'waiting' && row.seq <= reach),
    );
    return [head, ...(end < 0 ? rest : rest.slice(0, end))];
  }

  return {
    taken,
    isLeft,
    leftKeys: () => [...left.keys()],
    look: async () => {
      if (steady() - lookedAt < lookEvery) return [];
      lookedAt = steady();
      const columns = ['id', 'key', 'lane', 'state', 'lease_owner', 'lease_until'] as const;
      const held = db.selectFrom('bot_intent').select(columns).where('lease_owner', '!=', '');
      const rows = [...(await held.where(isTrying).execute()), ...(await held.where(hasAftermath).execute())];
      const seen = rows.map(row => ({ key: row.key, owner: row.lease_owner, mark: row.lease_until }));
      left = new Map(watch.look(seen).map(each => [each.key, toMark(each.owner, each.mark)]));
      return rows.filter(row => row.state === 'trying' && isLeft(row)).map(row => row.lane);
    },
    claimHead: async (trx, head, isMoving) => (await claim(trx, [head], isMoving))[0],
    claimRun: async (trx, lane, isMoving) => claim(trx, await findFirst(trx, lane), isMoving),
    renew: ids =>
      withLock(async trx => {
        const until = clock().getTime() + leaseTime;
        await trx
          .updateTable('bot_intent')
          .set({ lease_until: livingMark(until) })
          .where('id', 'in', ids)
          .where('lease_owner', '=', owner)
          .execute();
      }),
    release: ids =>
      withLock(async trx => {
        const ours = trx.updateTable('bot_intent').set(free).where('lease_owner', '=', owner);
        await ours.where('id', 'in', ids).execute();
      }),
    putBack: ids =>
      withLock(async trx => {
        const ours = trx.updateTable('bot_intent').where('lease_owner', '=', owner).where(isUnfinished);
        await ours
          .set({ state: 'waiting', covers: '', ...free })
          .where('id', 'in', ids)
          .execute();
      }),
    handBack: () =>
      withLock(async trx => {
        const held = trx.selectFrom('bot_intent').selectAll().where('lease_owner', '=', owner);
        const heads = await held.where(isTrying).execute();
        for (const head of heads) await changeClaimed(trx, head, { doubt: 1 });
        await uncover(trx, heads);
        const ours = trx.updateTable('bot_intent').where('lease_owner', '=', owner);
        await ours
          .set({ state: 'waiting', next_at: 0, ...free })
          .where(isTrying)
          .execute();
        await ours.set(free).execute();
      }),
  };
}

function toMark(owner: string, until: number): string {
  return `${owner} ${until}`;
}

/** Whether a moment has come. One that lies further ahead than it can have been set was set before the clock stepped back. */
function isDue(moment: number, now: Date, furthest: number): boolean {
  return moment <= now.getTime() || moment > now.getTime() + furthest;
}
