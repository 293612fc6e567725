import type { Kysely } from 'kysely';
import type { IntentTable } from '../../../src/bot/schema/intents.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';

const intent: IntentTable = {
  ...{ key: 'a', id: 'a', kind: 'note.add', payload: '{}', subject: '7', lane: '7', seq: 1 },
  ...{ owner: 'T1/U1', origin: '{"teamId":"T1"}', caller: '', attachment: '', state: 'done', tell: 'caller' },
  ...{
    attempts: 0,
    ambiguous: 0,
    hangs: 0,
    next_at: 0,
    lease_owner: '',
    heartbeat: 0,
    outcome: '',
    created_at: '',
    changed_at: '',
  },
};

/** Stores an intent that differs from the usual. */
export async function addIntent(db: Kysely<BotTables>, differences: Partial<IntentTable>): Promise<void> {
  await db
    .insertInto('bot_intent')
    .values({ ...intent, ...differences })
    .execute();
}

/** Stores a delivery that is being handled. */
export async function addOpenDelivery(db: Kysely<BotTables>): Promise<void> {
  await db
    .insertInto('bot_delivery')
    .values({
      ...{
        key: 'd',
        seq: 1,
        kind: 'command',
        state: 'open',
        body: 'text=secret',
        attempts: 1,
        lease_owner: 'somebody',
      },
      ...{ heartbeat: 1, next_at: 0, received_at: 1, channel_id: 'C1', blocks_order: 1, has_changed: 0, hangs: 0 },
      is_urgent: 0,
    })
    .execute();
}
