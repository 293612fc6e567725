import type { Kysely } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { MemoryTables } from './tables.ts';

/** A delivery that this process is to carry out. */
export interface LeftDelivery {
  readonly key: string;
  readonly body: string;
  /** How often it was begun, this time included. */
  readonly attempts: number;
  readonly receivedAt: Date;
}

/**
 * Remembers what Slack delivered, for every replica: by its key, what was delivered before; by its body, what was begun and not
 * done, which whoever runs takes up when the one that began it is gone.
 */
export interface Deliveries {
  /** Stores a delivery and leases it to this process. False when one of that key was stored before: then it is not ours to do. */
  keep(delivery: { key: string; kind: string; body: string }, now: Date): Promise<boolean>;
  /** It is done; what was in it is removed, its key stays. */
  done(key: string): Promise<void>;
  /** It was tried in vain. Somebody tries again later, after longer pauses, and in the end nobody does; says which. */
  failed(key: string, now: Date): Promise<'later' | 'given up'>;
  /** Leases the oldest of what nobody carries out any more, `except` what this process does; at most that many. */
  takeUp(now: Date, except: readonly string[], most: number): Promise<readonly LeftDelivery[]>;
  /** Goes on holding what is being done. */
  hold(keys: readonly string[], now: Date): Promise<void>;
  /** Hands back everything that this process holds: whoever looks next takes it up at once. */
  handBack(): Promise<void>;
  /** Removes some of what was received more than two days ago and is not to be done; yields how many. */
  purge(now: Date): Promise<number>;
}

/** How long a lease lasts that is not renewed, in milliseconds. */
const leaseTime = 45_000;
/** Pauses between attempts, in milliseconds: doubled each time, up to the longest. */
const firstPause = 30_000;
const longestPause = 15 * 60_000;
/** Attempts made before a delivery is given up, which takes an hour and a half. */
export const maxAttempts = 11;
/** How long a key is remembered, in milliseconds: Slack's last redelivery comes after minutes (slack.md 2). */
const remembered = 2 * 24 * 3_600_000;
/** Rows removed together. */
const purgedTogether = 500;

/** The deliveries kept in the bot's database, as one process sees them; its leases bear the name `owner`. */
export function createDeliveries({ database, owner }: { database: Database; owner: string }): Deliveries {
  const db = database.as<MemoryTables>();
  /** Different deliveries do not wait for each other. */
  const inTurn = <T>(key: string, work: (trx: Kysely<MemoryTables>) => Promise<T>) =>
    database.inTurn<MemoryTables, T>(`delivery ${key}`, work);

  /** What is open and held by nobody. A lease that ends later than any can was given before the clock stepped back. */
  const left = (now: number, except: readonly string[]) =>
    db
      .selectFrom('bot_delivery')
      .selectAll()
      .where('state', '=', 'open')
      .where(({ or, eb }) => or([eb('lease_until', '<=', now), eb('lease_until', '>', now + longestPause)]))
      .$if(except.length > 0, query => query.where('key', 'not in', except))
      .orderBy('received_at');

  return {
    keep: ({ key, kind, body }, now) =>
      inTurn(key, async trx => {
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('bot_delivery')
          .values({
            key,
            kind,
            body,
            state: 'open',
            attempts: 1,
            lease_owner: owner,
            lease_until: now.getTime() + leaseTime,
            received_at: now.getTime(),
          })
          .onConflict(conflict => conflict.column('key').doNothing())
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows === 1n;
      }),
    done: key =>
      inTurn(key, async trx => {
        const news = { state: 'done', body: '', lease_owner: '', lease_until: 0 } as const;
        await trx.updateTable('bot_delivery').set(news).where('key', '=', key).execute();
      }),
    failed: (key, now) =>
      inTurn(key, async trx => {
        const row = await trx.selectFrom('bot_delivery').selectAll().where('key', '=', key).executeTakeFirst();
        const attempts = row?.attempts ?? maxAttempts;
        const isLast = attempts >= maxAttempts;
        const pause = Math.min(longestPause, firstPause * 2 ** (attempts - 1));
        await trx
          .updateTable('bot_delivery')
          .set(isLast ? { state: 'given up', body: '' } : { lease_owner: '', lease_until: now.getTime() + pause })
          .where('key', '=', key)
          .execute();
        return isLast ? 'given up' : 'later';
      }),
    takeUp: async (now, except, most) => {
      const rows = await left(now.getTime(), except).limit(most).execute();
      const taken: LeftDelivery[] = [];
      for (const row of rows) {
        const isOurs = await inTurn(row.key, async trx => {
          const { numUpdatedRows } = await trx
            .updateTable('bot_delivery')
            .set({ lease_owner: owner, lease_until: now.getTime() + leaseTime, attempts: row.attempts + 1 })
            .where('key', '=', row.key)
            .where('state', '=', 'open')
            .where('attempts', '=', row.attempts)
            .where('lease_until', '=', row.lease_until)
            .executeTakeFirstOrThrow();
          return numUpdatedRows === 1n;
        });
        if (!isOurs) continue;
        const { key, body, attempts } = row;
        taken.push({ key, body, attempts: attempts + 1, receivedAt: new Date(row.received_at) });
      }
      return taken;
    },
    hold: (keys, now) =>
      inTurn(owner, async trx => {
        await trx
          .updateTable('bot_delivery')
          .set({ lease_until: now.getTime() + leaseTime })
          .where('key', 'in', keys)
          .where('lease_owner', '=', owner)
          .execute();
      }),
    handBack: () =>
      inTurn(owner, async trx => {
        await trx
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
      await inTurn(owner, trx => trx.deleteFrom('bot_delivery').where('key', 'in', keys).execute());
      return keys.length;
    },
  };
}
