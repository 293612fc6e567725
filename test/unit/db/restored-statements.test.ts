import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { read } from '../../support/docs/files.ts';

const [, block = ''] = /```sql\n([\s\S]*?)```/.exec(read('docs/operating.md')) ?? [];
const statements = block.split(';').filter(each => each.trim() !== '');

const intent = {
  ...{
    kind: 'note.add',
    payload: '{}',
    subject: '7',
    lane: '7',
    owner: 'T1/U1',
    origin: '{}',
    caller: '',
    attachment: '',
  },
  ...{
    attempts: 0,
    ambiguous: 0,
    next_at: 0,
    lease_owner: '',
    heartbeat: 0,
    outcome: '',
    created_at: '',
    changed_at: '',
  },
};
const delivery = {
  ...{ kind: 'command', body: 'text=secret', attempts: 1, lease_owner: 'somebody', heartbeat: 1, next_at: 0 },
  ...{ received_at: 1, channel_id: 'C1', blocks_order: 1 },
};

test('the statements of docs/operating.md keep a restored Postgres from doing again what was open', async () => {
  await using fresh = await makeDatabase();
  await using database = await openDatabase(fresh.url);
  const db = database.as<BotTables>();
  for (const [seq, state] of (['pending', 'running', 'done'] as const).entries()) {
    await db
      .insertInto('bot_intent')
      .values({ ...intent, key: state, id: state, seq, state, tell: 'caller' })
      .execute();
  }
  await db
    .insertInto('bot_delivery')
    .values({ ...delivery, key: 'd', state: 'open', seq: 1 })
    .execute();
  await sql`update counter set value = 12 where name = 'incident'`.execute(db);

  expect(statements.length).toBe(4);
  for (const statement of statements) await sql.raw(statement).execute(db);

  const intents = await db.selectFrom('bot_intent').select(['id', 'ambiguous', 'tell']).orderBy('seq').execute();
  expect(intents).toEqual([
    { id: 'pending', ambiguous: 1, tell: 'caller' },
    { id: 'running', ambiguous: 1, tell: 'caller' },
    { id: 'done', ambiguous: 0, tell: 'nobody' },
  ]);
  expect(await db.selectFrom('bot_delivery').select(['state', 'body', 'blocks_order']).execute()).toEqual([
    { state: 'given up', body: '', blocks_order: 0 },
  ]);
  const { rows } = await sql<{ value: number }>`select value from counter where name = 'incident'`.execute(db);
  expect(Number(rows[0]?.value)).toBe(112);
});
