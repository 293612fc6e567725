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

test('what rooms and readers of announcements have yet to read is kept across the step to one outbox', async () => {
  await using empty = await makeDatabase('no tables');
  await using database = await openDatabase(empty.url);
  const step = botMigrations.findIndex(each => each.name.endsWith('outbox'));
  await migrate(database, 'bot', botMigrations.slice(0, step), now);
  const old = database.as<Record<'bot_room' | 'bot_line' | 'bot_told', Record<string, unknown>>>();
  const announced = { lines: [{ id: 'n1', words: 'It got worse', since: 5000 }], posted: ['4.5'] };
  await old
    .insertInto('bot_room')
    .values({
      ...{ incident_id: '7', team_id: 'T1', channel_id: 'C1', channel_name: 'inc-7', is_linked: 0, is_private: 0 },
      ...{ card_ts: '1.2', announcement_channel_id: 'C9', announcement_ts: '1.3', declared_by: '', sources: '' },
      ...{ created_at: '', version: 1, rendered_version: 1, lease_owner: '', heartbeat: 0, card_shown: '' },
      ...{ announcement_shown: '', topic_shown: '', written: '', receipts: '', announced: JSON.stringify(announced) },
    })
    .execute();
  await old
    .insertInto('bot_line')
    .values({
      ...{
        id: 'i1',
        incident_id: '7',
        seq: 1,
        actor: 'T1/U1',
        asked_at: 1,
        done_at: 2,
        words: 'raised it',
        is_alone: 1,
      },
      ...{ undone_by: '', message: '', begun_at: 0, ts: '', is_said: 0, is_closed: 0 },
    })
    .execute();
  const told = {
    incident_id: '7',
    facts: '"now"',
    line_id: 'l',
    line_from: '"before"',
    line_at: 1,
    line_ts: '?',
    is_said: 0,
  };
  await old.insertInto('bot_told').values(told).execute();
  await migrate(database, 'bot', botMigrations, now);
  const db = database.as<BotTables>();
  const lines = await db
    .selectFrom('bot_line')
    .select(['id', 'act', 'place', 'channel', 'audience', 'words', 'ts', 'is_said', 'is_urgent'])
    .orderBy('seq')
    .execute();
  const news = { act: '', place: 'announcement', channel: 'C9', audience: 'readers', is_urgent: 1 };
  expect(lines).toEqual([
    {
      id: 'i1',
      act: 'i1',
      place: 'room',
      channel: 'C1',
      audience: 'room',
      words: 'raised it',
      ts: '',
      is_said: 0,
      is_urgent: 1,
    },
    { ...news, id: 'news/C9/4.5', words: '', ts: '4.5', is_said: 1 },
    { ...news, id: 'n1', words: 'It got worse', ts: '?', is_said: 0 },
  ]);
  expect(await db.selectFrom('bot_told').selectAll().execute()).toEqual([{ incident_id: '7', facts: '"before"' }]);
});
