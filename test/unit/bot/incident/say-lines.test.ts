import { expect, test } from 'vitest';
import { addLine, openLines } from '../../../../src/bot/incident/line-store.ts';
import { createRooms } from '../../../../src/bot/incident/room-store.ts';
import { type SayDeps, sayLines } from '../../../../src/bot/incident/say-lines.ts';
import type { NoTables } from '../../../../src/db/engine.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';
import { roomSeven } from '../../../support/room-seven.ts';

const now = new Date('2026-03-02T14:00:00Z');

/** A room whose card is not posted, with a line to say. */
async function openRoomToBe() {
  const database = await openBotDatabase(now);
  const rooms = createRooms(database, () => now);
  const room = { ...roomSeven, cardTs: '' };
  await rooms.keep(room);
  await database.withLock<NoTables, void>('journal', trx =>
    addLine(trx, {
      ...{ id: 'one', incidentID: '7', actor: 'T1/U1', askedAt: now, doneAt: now },
      ...{ words: '@alice added task 1', isAlone: false },
    }),
  );
  const said: string[] = [];
  const world = { isBeingMade: true };
  const deps = {
    slack: {
      once: {
        chat: {
          postMessage: async ({ text }: { text: string }) => {
            said.push(text);
            return { ok: true, ts: '1.1' };
          },
        },
      },
    },
    visibility: { share: async () => 'all' },
    refusals: {
      attempt: async (_call: unknown, write: () => Promise<void>) => {
        await write();
        return 'taken';
      },
    },
    lines: openLines(database, () => now),
    house: { receipts: 'channel', linesPerHour: 30 },
    isRoomBeingMade: async () => world.isBeingMade,
    rooms,
  } as unknown as SayDeps;
  return { said, world, say: () => sayLines(deps, room) };
}

test('a room reads its card before any line', async () => {
  const { said, world, say } = await openRoomToBe();
  await say();
  expect(said).toEqual([]);
  world.isBeingMade = false;
  await say();
  await say();
  expect(said, 'a room whose card Slack refused reads its lines all the same').toEqual(['@alice added task 1']);
});
