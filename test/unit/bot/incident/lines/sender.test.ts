import { expect, test } from 'vitest';
import { addLine } from '../../../../../src/bot/incident/lines/outbox.ts';
import { RoundPace } from '../../../../../src/bot/incident/lines/pace.ts';
import { sayLines } from '../../../../../src/bot/incident/lines/sender.ts';
import { openLines } from '../../../../../src/bot/incident/lines/store.ts';
import { createRooms } from '../../../../../src/bot/incident/state/room-store.ts';
import { laneLock } from '../../../../../src/bot/journal/rows.ts';
import type { NoTables } from '../../../../../src/db/engine.ts';
import { Known } from '../../../../../src/db/known.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';

const now = new Date('2026-03-02T14:00:00Z');

/** A room whose card is not posted, with a line to say that stands in it already. */
async function openRoomToBe({ mayAlreadyExist = false } = {}) {
  const database = await openBotDatabase(now);
  const rooms = createRooms(database, () => now);
  const room = { ...roomSeven, cardTs: '' };
  await rooms.keep(room);
  await database.withLock<NoTables, void>(laneLock(['7']), trx =>
    addLine(trx, {
      ...{ id: 'one', incidentID: '7', actor: 'T1/U1', askedAt: now, doneAt: now },
      ...{ words: '@alice added task 1', isOwnMessage: false, mayAlreadyExist },
    }),
  );
  const said: string[] = [];
  const standing = [
    { ts: '0.9', metadata: { event_type: 'muster_intent', event_payload: { intent: 'one', part: 'changes' } } },
  ];
  const edited: string[] = [];
  const world = { isBeingMade: true };
  const deps = {
    slack: {
      web: {
        conversations: { history: async () => ({ ok: true, messages: standing }) },
        chat: {
          update: async ({ ts, text }: { ts: string; text: string }) => {
            edited.push(`${ts} ${text}`);
          },
        },
      },
      once: {
        chat: {
          postMessage: async ({ text }: { text: string }) => {
            said.push(text);
            return { ok: true, ts: '1.1' };
          },
        },
      },
    },
    people: { find: async () => undefined },
    visibility: { share: async () => 'all' },
    refusals: {
      attempt: async (_call: unknown, write: () => Promise<void>) => {
        await write();
        return 'taken';
      },
    },
    lines: openLines(database, () => now).round('7', new Known(database)),
    settings: { linesPerHour: 30 },
    isRoomBeingMade: async () => world.isBeingMade,
    rooms,
  } as unknown as Parameters<typeof sayLines>[0];
  const paced = { changes: [], isAny: true, isUrgent: false, writes: [] };
  const pace = () => new RoundPace({ paced, clock: () => now, isHurried: false });
  return { said, edited, world, say: () => sayLines(deps, room, pace(), ['room']) };
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

test('a line that may have been said before the database was restored is looked for', async () => {
  const { said, edited, world, say } = await openRoomToBe({ mayAlreadyExist: true });
  world.isBeingMade = false;
  await say();
  await say();
  expect({ said, edited }).toEqual({ said: [], edited: ['0.9 @alice added task 1'] });
});
