import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { createLeaseWatch, livingMark } from '../../db/leases.ts';
import { definePrepared } from '../../db/prepared.ts';
import { letPass } from '../journal/ahead.ts';
import type { MemoryTables } from '../schema/tables.ts';

/** What Slack delivered, as it is stored. */
export interface NewDelivery {
  readonly key: string;
  readonly kind: string;
  readonly body: string;
  readonly channelId: string;
  /** Whether what is asked for later in its channel waits until it has come to the journal. */
  readonly holdsUp: boolean;
}

/** What became of storing a delivery. */
export interface KeptDelivery {
  /** It was stored now; else one of that key was before, and it is not ours to do. */
  readonly isNew: boolean;
  /** Its place in the order in which everything was delivered: greater than that of all before it, whatever the clocks say. */
  readonly place: number;
}

/** A delivery that this process is to carry out. */
export interface LeftDelivery {
  readonly key: string;
  readonly body: string;
  /** How often it was begun, this time included. */
  readonly attempts: number;
  readonly receivedAt: Date;
  readonly place: number;
  readonly channelId: string;
}

/**
 * Remembers what Slack delivered, for every replica: by its key, what was delivered before; by its body, what was begun and not
 * done, which whoever runs takes up when the one that began it is gone.
 */
export interface Deliveries {
  /** Stores a delivery and leases it to this process, unless one of that key was stored before. */
  keep(delivery: NewDelivery, now: Date): Promise<KeptDelivery>;
  /** What is asked for later need not wait for it any more. */
  letPass(key: string): Promise<void>;
  /** It is done; what was in it is removed, its key stays. */
  done(key: string): Promise<void>;
  /**
   * It was tried in vain, and holds nobody up. Somebody tries again later, after longer pauses, and in the end nobody does; says
   * which.
   */
  failed(key: string, now: Date): Promise<'later' | 'given up'>;
  /**
   * Takes note of the leases there are, and leases what nobody carries out any more, `except` what this process does, in the
   * order in which it was delivered; at most that many.
   */
  takeUp(now: Date, except: readonly string[], most: number): Promise<readonly LeftDelivery[]>;
  /** Goes on holding what is being done. */
  hold(keys: readonly string[], now: Date): Promise<void>;
  /** Hands back everything that this process holds: whoever looks next takes it up at once. */
  handBack(): Promise<void>;
  /** Removes some of what was received more than two days ago and is not to be done; yields how many. */
  purge(now: Date): Promise<number>;
}

/** How long a lease lasts that is not renewed, in milliseconds. */
export const leaseTime = 20_000;
/** Pauses between attempts, in milliseconds: doubled each time, up to the longest. */
const firstPause = 30_000;
const longestPause = 15 * 60_000;
/** Attempts made before a delivery is given up, which takes an hour and a half. */
export const maxAttempts = 11;
/** How long a key is remembered, in milliseconds: Slack's last redelivery comes after minutes (docs/slack.md 2). */
const remembered = 2 * 24 * 3_600_000;
/** Rows removed together. */
const purgedTogether = 500;

type NewRow = Pick<
  MemoryTables['bot_delivery'],
  'key' | 'kind' | 'body' | 'lease_owner' | 'lease_until' | 'received_at' | 'channel_id' | 'holds_up'
>;

const put = definePrepared<MemoryTables, NewRow, { place: number }>((db, row) =>
  db
    .insertInto('bot_delivery')
    .values({
      ...row,
      state: 'open',
      attempts: 1,
      place: sql<number>`(select max(place) from (
        select cast(${row.received_at} as bigint) as place union all select max(place) + 1 from bot_delivery
      ) as places)`,
    })
    .onConflict(conflict => conflict.column('key').doNothing())
    .returning('place'),
);

const end = definePrepared<MemoryTables, { key: string }, never>((db, { key }) =>
  db
    .updateTable('bot_delivery')
    .set({ state: 'done', body: '', lease_owner: '', lease_until: 0, holds_up: 0 })
    .where('key', '=', key),
);

/**
 * The deliveries kept in the bot's database, as one process sees them; its leases bear the name `owner`. `steady` yields
 * milliseconds of a clock that never steps.
 */
export function createDeliveries({
  database,
  owner,
  steady = () => performance.now(),
}: {
  database: Database;
  owner: string;
  steady?: () => number;
}): Deliveries {
  const db = database.as<MemoryTables>();
  const watch = createLeaseWatch(leaseTime, steady);
  /** Until when this process leaves alone what it tried in vain: the pauses that are stored are of clocks that may be wrong. */
  const resting = new Map<string, number>();
  /** Different deliveries do not wait for each other. */
  const withLock = <T>(key: string, work: (trx: Kysely<MemoryTables>) => Promise<T>) =>
    database.withLock<MemoryTables, T>(`delivery ${key}`, work);
  const single = <T>(statement: (some: Kysely<MemoryTables>) => Promise<T>) =>
    database.single<MemoryTables, T>(statement);

  /** Whether what nobody has is to be tried. A pause that ends later than any can was begun before the clock stepped back. */
  function isDue({ key, lease_until: until }: { key: string; lease_until: number }, now: number): boolean {
    return (until <= now || until > now + longestPause) && (resting.get(key) ?? 0) <= steady();
  }

  /** What is open and carried out by nobody, in order. */
  async function findLeft(now: Date, except: readonly string[]) {
    const open = await db
      .selectFrom('bot_delivery')
      .select(['key', 'attempts', 'lease_owner', 'lease_until'])
      .where('state', '=', 'open')
      .orderBy('place')
      .orderBy('received_at')
      .execute();
    const leased = open.filter(row => row.lease_owner !== '');
    const seen = leased.map(row => ({ key: row.key, owner: row.lease_owner, mark: row.lease_until }));
    const left = new Set(watch.look(seen).map(each => each.key));
    const keys = new Set(open.map(row => row.key));
    for (const key of resting.keys()) if (!keys.has(key)) resting.delete(key);
    const others = open.filter(row => !except.includes(row.key));
    return others.filter(row => (row.lease_owner === '' ? isDue(row, now.getTime()) : left.has(row.key)));
  }

  return {
    keep: async ({ key, kind, body, channelId, holdsUp }, now) => {
      const wanted = {
        key,
        kind,
        body,
        lease_owner: owner,
        lease_until: now.getTime() + leaseTime,
        received_at: now.getTime(),
        channel_id: channelId,
        holds_up: holdsUp && channelId !== '' ? 1 : 0,
      };
      const [row] = await single(some => put(some, wanted));
      if (row) return { isNew: true, place: row.place };
      const known = db.selectFrom('bot_delivery').select('place').where('key', '=', key);
      return { isNew: false, place: (await known.executeTakeFirstOrThrow()).place };
    },
    letPass: key => single(some => letPass(some, key)),
    done: key =>
      single(async some => {
        await end(some, { key });
      }),
    failed: (key, now) =>
      withLock(key, async trx => {
        const row = await trx.selectFrom('bot_delivery').selectAll().where('key', '=', key).executeTakeFirst();
        const attempts = row?.attempts ?? maxAttempts;
        // Whoever has taken it over says what becomes of it.
        if (row && row.lease_owner !== owner) return 'later';
        const isLast = attempts >= maxAttempts;
        const pause = Math.min(longestPause, firstPause * 2 ** (attempts - 1));
        const news = isLast
          ? ({ state: 'given up', body: '' } as const)
          : { lease_owner: '', lease_until: now.getTime() + pause };
        await trx
          .updateTable('bot_delivery')
          .set({ ...news, holds_up: 0 })
          .where('key', '=', key)
          .execute();
        resting.set(key, steady() + pause);
        return isLast ? 'given up' : 'later';
      }),
    takeUp: async (now, except, most) => {
      const left = await findLeft(now, except);
      const taken: LeftDelivery[] = [];
      for (const row of left.slice(0, most)) {
        const ours = await single(some =>
          some
            .updateTable('bot_delivery')
            .set({ lease_owner: owner, lease_until: now.getTime() + leaseTime, attempts: row.attempts + 1 })
            .where('key', '=', row.key)
            .where('state', '=', 'open')
            .where('attempts', '=', row.attempts)
            .where('lease_owner', '=', row.lease_owner)
            .where('lease_until', '=', row.lease_until)
            .returningAll()
            .executeTakeFirst(),
        );
        if (!ours) continue;
        const { key, body, attempts, place, channel_id: channelId, received_at: receivedAt } = ours;
        taken.push({ key, body, attempts, receivedAt: new Date(receivedAt), place, channelId });
      }
      return taken;
    },
    hold: (keys, now) =>
      single(async some => {
        const until = now.getTime() + leaseTime;
        await some
          .updateTable('bot_delivery')
          .set({ lease_until: livingMark(until) })
          .where('key', 'in', keys)
          .where('lease_owner', '=', owner)
          .execute();
      }),
    handBack: () =>
      single(async some => {
        await some
          .updateTable('bot_delivery')
          .set({ lease_owner: '', lease_until: 0 })
          .where('state', '=', 'open')
          .where('lease_owner', '=', owner)
          .execute();
      }),
    purge: async now => {
      const rows = await db
        .selectFrom('bot_delivery')
        .select('key')
        .where('received_at', '<', now.getTime() - remembered)
        .where('state', '!=', 'open')
        .limit(purgedTogether)
        .execute();
      if (rows.length === 0) return 0;
      const keys = rows.map(row => row.key);
      await single(some => some.deleteFrom('bot_delivery').where('key', 'in', keys).execute());
      return keys.length;
    },
  };
}
