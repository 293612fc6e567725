import pino from 'pino';
import { expect, test } from 'vitest';
import { createRooms } from '../../../../../src/bot/incident/state/room-store.ts';
import { renameVisits, Visits } from '../../../../../src/bot/incident/state/visits.ts';
import type { BotTables } from '../../../../../src/bot/schema/tables.ts';
import type { NoTables } from '../../../../../src/db/engine.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';

const noon = new Date('2026-11-20T12:00:00Z');
const after = (minutes: number) => new Date(noon.getTime() + minutes * 60_000);

async function openRoom() {
  const database = await openBotDatabase(noon);
  const open = () => new Visits({ database, teamId: 'T1', log: pino({ level: 'silent' }) });
  await createRooms(database, () => noon).keep({ ...roomSeven, teamId: 'T1', channelId: 'C7' });
  const rows = () => database.as<BotTables>().selectFrom('bot_visit').selectAll().orderBy('user_id').execute();
  return { database, open, visits: open(), rows };
}

test('a look is known at once, and to the next process once it is stored', async () => {
  const { visits, open } = await openRoom();
  visits.record('7', 'U1', noon);
  visits.record('7', 'U1', after(-5));
  expect(await visits.last('7', 'U1')).toEqual(noon);
  expect(await open().last('7', 'U1')).toBeUndefined();
  await visits.flush();
  expect(await open().last('7', 'U1')).toEqual(noon);
  visits.record('7', 'U1', after(-1));
  await visits.flush();
  expect(await open().last('7', 'U1')).toEqual(noon);
  expect(await visits.last('8', 'U1')).toBeUndefined();
});

test('talk goes on with a visit, and begins none; elsewhere it is nothing', async () => {
  const { visits, rows } = await openRoom();
  visits.hear('C7', 'U1', noon);
  await visits.flush();
  expect(await rows()).toEqual([]);
  visits.record('7', 'U1', noon);
  await visits.flush();
  visits.hear('C7', 'U1', after(4));
  visits.hear('C8', 'U1', after(4));
  await visits.flush();
  expect(await visits.last('7', 'U1')).toEqual(after(4));
  // Within a minute of the last word, another one costs nothing.
  visits.hear('C7', 'U1', after(4.5));
  await visits.flush();
  expect(await visits.last('7', 'U1')).toEqual(after(4));
  // Who comes back after an hour and says hello has read nothing yet.
  visits.hear('C7', 'U1', after(60));
  await visits.flush();
  expect(await visits.last('7', 'U1')).toEqual(after(4));
});

test('a newcomer is offered it once, whatever they looked at', async () => {
  const { visits, open } = await openRoom();
  visits.record('7', 'U1', noon);
  await visits.flush();
  const offers = await Promise.all([1, 2, 3].map(() => open().isFirstOffer('7', 'U1', after(1))));
  expect(offers.filter(each => each)).toHaveLength(1);
  expect(await visits.isFirstOffer('7', 'U2', noon)).toBe(true);
  expect(await visits.isFirstOffer('7', 'U2', noon)).toBe(false);
  expect(await visits.isFirstOffer('7', '', noon)).toBe(false);
  expect(await visits.last('7', 'U1')).toEqual(noon);
  expect(await visits.last('7', 'U2')).toBeUndefined();
});

test('a registered incident keeps the visits of its provisional id', async () => {
  const { database, visits, rows } = await openRoom();
  const provisional = '~01890000-0000-7000-8000-000000000000';
  visits.record(provisional, 'U1', noon);
  visits.record(provisional, 'U2', noon);
  visits.record('7', 'U2', after(1));
  await visits.flush();
  await database.withLock<NoTables, void>('test', trx => renameVisits(trx, provisional, '7'));
  expect((await rows()).map(row => [row.incident_id, row.user_id, row.seen_at])).toEqual([
    ['7', 'U1', noon.getTime()],
    ['7', 'U2', after(1).getTime()],
  ]);
});

test('what is older than 90 days goes', async () => {
  const { visits, rows } = await openRoom();
  visits.record('7', 'U1', noon);
  visits.record('7', 'U2', after(60));
  await visits.flush();
  await visits.isFirstOffer('7', 'U3', noon);
  const later = new Date(after(30).getTime() + 90 * 86_400_000);
  expect(await visits.purge(later)).toBe(2);
  expect((await rows()).map(row => row.user_id)).toEqual(['U2']);
});
