import { expect, test } from 'vitest';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

const now = new Date('2026-03-02T14:00:00Z');

test('messages on a timeline keep their keys across the step that adds the workspace, and are added once', async () => {
  await using empty = await makeDatabase('no tables');
  await using database = await openDatabase(empty.url);
  const step = botMigrations.findIndex(each => each.name.endsWith('team-in-message-keys'));
  await migrate(database, 'bot', botMigrations.slice(0, step), now);
  const db = database.as<BotTables>();
  const intent = (key: string, kind: string) => ({
    ...{ key, id: `id of ${key}`, kind, payload: '{}', subject: '7', lane: '7', seq: 1, owner: 'T1/U1', origin: '{}' },
    ...{ caller: '', attachment: '', state: 'done' as const, attempts: 1, ambiguous: 0, next_at: 0, lease_owner: '' },
    ...{ heartbeat: 0, tell: 'nobody' as const, outcome: '{}', created_at: '', changed_at: '' },
  });
  const rows = [
    intent('note/7/C1/1700000000.000100', 'timeline.add'),
    intent('note/7/G1/1700000000.000100/after/abc', 'timeline.add'),
    intent('note/7/T1/C2/1700000000.000100', 'timeline.add'),
    intent('command/abc/note.add', 'note.add'),
    intent('note/7/C3/1.2', 'other'),
  ];
  await db.insertInto('bot_intent').values(rows).execute();
  await migrate(database, 'bot', botMigrations, now);
  const keys = await db.selectFrom('bot_intent').select('key').orderBy('key').execute();
  expect(keys.map(each => each.key)).toEqual([
    'command/abc/note.add',
    'note/7/C3/1.2',
    'note/7/T1/C1/1700000000.000100',
    'note/7/T1/C2/1700000000.000100',
    'note/7/T1/G1/1700000000.000100/after/abc',
  ]);
});
