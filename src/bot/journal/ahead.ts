import { sql } from 'kysely';
import { definePrepared } from '../../db/prepared.ts';
import { isAhead } from '../schema/sightings.ts';
import type { MemoryTables } from '../schema/tables.ts';
import type { Db, IntentRow } from './rows.ts';

/*
 * What people do is acknowledged, and an intent comes of it a moment later. When a process dies in that moment, another one
 * takes the delivery up much later; so what was asked for after it in the same channel waits until it is in the journal.
 */

const placeAhead = definePrepared<MemoryTables, { channelID: string }, { place: number }>((db, { channelID }) =>
  db
    .selectFrom('bot_delivery')
    .select('place')
    .where('channel_id', '=', channelID)
    .where(isAhead)
    .orderBy('place')
    .limit(sql.lit(1)),
);

type Asked = Pick<IntentRow, 'asked' | 'channel_id'>;

async function findAhead(db: Db, channelID: string): Promise<number> {
  return (await placeAhead(db, { channelID }))[0]?.place ?? Number.POSITIVE_INFINITY;
}

/** Whether something that was asked for earlier in the same channel may still come to the journal. */
export async function waitsForEarlier(db: Db, { asked, channel_id }: Asked): Promise<boolean> {
  return asked > 0 && channel_id !== '' && (await findAhead(db, channel_id)) < asked;
}

/** Those of a lane that stand before the first one that waits for something asked for earlier. */
export async function beforeWaiting<R extends Asked>(db: Db, rows: readonly R[]): Promise<readonly R[]> {
  const ahead = new Map<string, number>();
  for (const [index, { asked, channel_id }] of rows.entries()) {
    if (asked === 0 || channel_id === '') continue;
    const place = ahead.get(channel_id) ?? (await findAhead(db, channel_id));
    ahead.set(channel_id, place);
    if (place < asked) return rows.slice(0, index);
  }
  return rows;
}

const letPassed = definePrepared<MemoryTables, { key: string }, never>((db, { key }) =>
  db.updateTable('bot_delivery').set({ holds_up: 0 }).where('key', '=', key).where(isAhead),
);

/** A delivery holds nobody up any longer. */
export async function letPass(db: Db, key: string): Promise<void> {
  await letPassed(db, { key });
}
