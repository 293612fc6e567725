import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { hangsOf, mostHangs } from '../../db/leases.ts';
import type { BotTables } from '../schema/tables.ts';
import { UnreadableAlert } from './read/unreadable.ts';

/** Bytes of a body that is read in no time, whatever it holds. */
const sure = 16_384;

/** Reads the body of a delivery; throws an {@link UnreadableAlert} for one that is set aside. */
export type ReadBody = ReturnType<typeof openLargeBodies>;

/**
 * A body is not stored before it is read. So that one with which processes hang is known all the same, this process, the `owner` of its
 * leases, holds a row for a large one meanwhile, as it does for a delivery of Slack's. After {@link mostHangs} processes the body is set
 * aside.
 */
export function openLargeBodies(
  database: Database,
  { owner, clock, log }: { readonly owner: string; readonly clock: () => Date; readonly log: Logger },
) {
  const hold = async (key: string): Promise<number> => {
    const received_at = clock().getTime();
    const held = await database.single<BotTables, readonly { hangs: number }[]>(db =>
      db
        .updateTable('bot_delivery')
        .set({ hangs: hangsOf(), lease_owner: owner, received_at })
        .where('key', '=', key)
        .returning('hangs')
        .execute(),
    );
    if (held[0]) return held[0].hangs;
    const row = {
      ...{ key, kind: 'alert', body: '', state: 'done' as const, attempts: 1, lease_owner: owner, heartbeat: 0 },
      ...{ next_at: 0, received_at, seq: 0, channel_id: '', blocks_order: 0, has_changed: 0, hangs: 0, is_urgent: 0 },
    };
    await database.single<BotTables, unknown>(db =>
      db
        .insertInto('bot_delivery')
        .values(row)
        .onConflict(conflict => conflict.column('key').doNothing())
        .execute(),
    );
    return 0;
  };
  return async <T>(source: string, body: Buffer, read: () => Promise<T>): Promise<T> => {
    if (body.length < sure) return read();
    const key = `alert/${hash('sha256', body, 'base64url')}`;
    if ((await hold(key)) >= mostHangs) {
      log.error({ source, delivery: key }, 'alerts: a body is set aside, two processes hung with it');
      throw new UnreadableAlert(
        'Two processes of Muster hung while they read this body, so it is set aside. Send less of it.',
      );
    }
    try {
      return await read();
    } finally {
      await database.single<BotTables, unknown>(db =>
        db.deleteFrom('bot_delivery').where('key', '=', key).where('lease_owner', '=', owner).execute(),
      );
    }
  };
}
