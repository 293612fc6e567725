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
  expect(await db.selectFrom('bot_known_state').selectAll().execute()).toEqual([
    { incident_id: '7', state: '"before"' },
  ]);
});

test('which message is which note is read from the keys of intents, in the step that keeps it in a table', async () => {
  await using empty = await makeDatabase('no tables');
  await using database = await openDatabase(empty.url);
  const step = botMigrations.findIndex(each => each.name.endsWith('message-notes'));
  await migrate(database, 'bot', botMigrations.slice(0, step), now);
  const db = database.as<BotTables>();
  let minute = 0;
  const intent = (
    id: string,
    key: string,
    kind: string,
    payload: unknown,
    more: Partial<BotTables['bot_intent']> = {},
  ) => ({
    ...{ id, key, kind, payload: JSON.stringify(payload), subject: '7', lane: '7', seq: 1, owner: 'T1/U1' },
    ...{ origin: '{}', caller: '', attachment: '', state: 'done' as const, attempts: 1, ambiguous: 0, next_at: 0 },
    ...{ lease_owner: '', heartbeat: 0, tell: 'nobody' as const, outcome: '{}', changed_at: '' },
    created_at: `2026-03-02T14:${String(10 + minute++)}:00Z`,
    ...more,
  });
  const item = (activityItemID: string) => ({ outcome: JSON.stringify({ activityItemID }) });
  const waiting = { state: 'pending', outcome: '' } as const;
  const failed = {
    state: 'failed',
    outcome: '{"code":"permission_denied","message":"no","maybeApplied":false}',
  } as const;
  const first = 'note/7/T1/C1/1700000000.000100';
  const words = { was: 'a', is: 'b' };
  const rows = [
    intent('add 1', first, 'timeline.add', {}, item('item 1')),
    intent('off 1', 'add 1/off', 'timeline.takeOff', { note: 'add 1', owner: 'T1/U1' }),
    intent('add 2', `${first}/after/add 1`, 'timeline.add', {}, item('item 2')),
    intent('follow 1', 'add 2/follow/a', 'timeline.follow', { note: 'add 2', how: 'edited', words }),
    intent('follow 2', 'add 2/follow/b', 'timeline.follow', { note: 'add 2', how: 'edited', words }, waiting),
    intent('follow 3', 'add 2/follow/c', 'timeline.follow', { note: 'add 2', how: 'deleted' }, waiting),
    intent('add 3', 'note/~0197/T2/D1/1700000000.000200', 'timeline.add', {}, { ...waiting, owner: 'T2/U2' }),
    intent('add 4', 'note/7/T1/C1/1700000000.000300', 'timeline.add', {}, failed),
    intent('typed', 'message/C1/1700000000.000400/note.add', 'note.add', {}, item('item 5')),
    intent('removal', 'note.remove/7/item 5', 'note.remove', { activityItemID: 'item 5' }),
    intent('picked', 'message/C1/1700000000.000400/draft/d/7/note.add', 'note.add', {}, item('item 6')),
    intent('command', 'command/abc/note.add', 'note.add', {}, item('item 7')),
  ];
  await db.insertInto('bot_intent').values(rows).execute();
  await migrate(database, 'bot', botMigrations, now);
  const notes = await db.selectFrom('bot_message_note').selectAll().orderBy('seq').execute();
  const of = (intent_id: string, ts: string, more: Partial<BotTables['bot_message_note']> = {}) => ({
    ...{ intent_id, team_id: 'T1', channel_id: 'C1', ts: `1700000000.${ts}`, seq: expect.any(Number) },
    ...{ activity_item_id: '', followed_by: '', removed_by: '', ...more },
  });
  expect(notes).toEqual([
    of('add 1', '000100', { activity_item_id: 'item 1', removed_by: 'off 1' }),
    of('add 2', '000100', { activity_item_id: 'item 2', followed_by: 'follow 2' }),
    of('add 3', '000200', { team_id: 'T2', channel_id: 'D1' }),
    of('add 4', '000300'),
    of('typed', '000400', { activity_item_id: 'item 5', removed_by: 'removal' }),
    of('picked', '000400', { activity_item_id: 'item 6' }),
  ]);
  const kinds = await db.selectFrom('bot_intent').select('kind').where('id', 'in', ['off 1', 'removal']).execute();
  expect(kinds).toEqual([{ kind: 'note.remove' }, { kind: 'note.remove' }]);
  await db.deleteFrom('bot_intent').where('id', '=', 'add 2').execute();
  expect(await db.selectFrom('bot_message_note').selectAll().execute()).toHaveLength(5);
});
