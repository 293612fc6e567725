import { addMinutes } from 'date-fns/addMinutes';
import { expect, test } from 'vitest';
import { createRooms, type Room, renameIncident } from '../../../../../src/bot/incident/state/room-store.ts';
import { type BotTables, botTables } from '../../../../../src/bot/schema/tables.ts';
import type { Database } from '../../../../../src/db/database.ts';
import type { NoTables } from '../../../../../src/db/engine.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';

const now = new Date('2026-03-02T14:00:00Z');

const room: Room = { ...roomSeven, channelName: 'inc-7-checkout', isPrivate: true, cardTs: '' };

test('a room is found by its incident and by its channel, as it was last kept', async () => {
  const rooms = createRooms(await openBotDatabase(now), () => now);
  expect(await rooms.ofIncident('7')).toBeUndefined();
  await rooms.keep(room);
  const carded = { ...room, isPrivate: false, cardTs: '1.2' };
  await rooms.keep(carded);
  const known = { ...carded, receipts: 'channel', reminders: '', burst: '' };
  expect(await rooms.ofIncident('7')).toEqual(known);
  expect(await rooms.allOfChannel('T1', 'C1', now)).toEqual([known]);
  expect(await rooms.allOfChannel('T2', 'C1', now)).toEqual([]);
  expect(await rooms.isTaken('T1', 'C1')).toBe(true);
  expect(await rooms.isTaken('T1', 'C2')).toBe(false);
});

test('an incident that leaves a private channel is private until it has another channel', async () => {
  const rooms = createRooms(await openBotDatabase(now), () => now);
  const isPrivate = async () => (await rooms.ofIncident('7'))?.isPrivate;
  await rooms.keep({ ...room, channelId: '' });
  expect(await isPrivate(), 'declared as private').toBe(true);
  await rooms.keep(room);
  expect(await isPrivate(), 'the channel says so').toBe(false);
  await rooms.leave(room, true);
  expect(await isPrivate()).toBe(true);
});

test('a channel used again belongs to the later incident', async () => {
  let minute = 0;
  const rooms = createRooms(await openBotDatabase(now), () => addMinutes(now, minute));
  const of = async (then: number) => (await rooms.allOfChannel('T1', 'C1', addMinutes(now, then)))[0]?.incidentID;
  minute = 1;
  await rooms.keep({ ...room, channelName: '' });
  minute = 3;
  await rooms.keep({ ...room, channelName: '', incidentID: '8' });
  expect([await of(0), await of(2), await of(4)]).toEqual([undefined, '7', '8']);
});

test('whatever is said in a channel that was made for an incident is about it, also before that was stored', async () => {
  const rooms = createRooms(await openBotDatabase(now), () => addMinutes(now, 5));
  await rooms.keep(room);
  expect((await rooms.allOfChannel('T1', 'C1', now))[0]?.incidentID).toBe('7');
});

/** The tables of which rows may bear a provisional id, with one row in each. */
async function fillAll(database: Database, incidentID: string, name: string): Promise<readonly string[]> {
  const db = database.as<Record<string, Record<string, unknown>>>();
  const filled = botTables.filter(each =>
    ['bot_room', 'bot_line', 'bot_outage', 'bot_call', 'bot_alert_offer', 'bot_page', 'bot_visit'].includes(each.name),
  );
  for (const { name: table, columns } of filled) {
    const entries = Object.entries(columns as Record<string, { readonly type: string }>);
    const values = entries.map(([column, { type }]) => [column, type === 'text' ? `${name} ${column}` : 1]);
    await db
      .insertInto(table)
      .values({ ...Object.fromEntries(values), incident_id: incidentID })
      .execute();
  }
  return filled.map(each => each.name);
}

test('an incident is registered whatever was stored of its number before', async () => {
  const database = await openBotDatabase(now);
  const tables = await fillAll(database, '~x', 'declared');
  await fillAll(database, '7', 'met');
  expect(tables).toHaveLength(7);
  await database.withLock<NoTables, void>('test', trx => renameIncident(trx, '~x', '7'));
  for (const table of tables) {
    const rows = await database.as<Record<string, { incident_id: string }>>().selectFrom(table).selectAll().execute();
    expect(new Set(rows.map(row => row.incident_id)), table).toEqual(new Set(['7']));
    expect(JSON.stringify(rows), table).toContain('declared');
  }
  const lines = database.as<BotTables>().selectFrom('bot_line').select(['seq', 'words']).orderBy('seq');
  expect(await lines.execute()).toEqual([
    { seq: 1, words: 'met words' },
    { seq: 2, words: 'declared words' },
  ]);
});
