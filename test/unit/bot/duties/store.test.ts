import { expect, test } from 'vitest';
import type { RequiredDuty } from '../../../../src/bot/duties/rules.ts';
import { DutyStore } from '../../../../src/bot/duties/store.ts';
import { createRooms } from '../../../../src/bot/incident/state/room-store.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';
import { roomSeven } from '../../../support/room-seven.ts';

const now = new Date('2026-11-20T12:00:00Z');
const at = now.getTime();
const inRoom: RequiredDuty = { kind: 'lead', about: '', audience: 'room', user_id: '', since: at, due: at };
const alone: RequiredDuty = { ...inRoom, kind: 'news', audience: 'owner', user_id: 'U1' };

test.each([
  ['the room’s, of which it read', inRoom, true, true],
  ['the room’s, of which it did not read yet', inRoom, false, false],
  ['a person’s, of which they read', alone, true, false],
  ['a person’s, of which they did not read yet', alone, false, false],
])('a duty that is done is shown to the room when it is %s', async (_, owed, isSaid, isShown) => {
  const database = await openBotDatabase(now);
  await createRooms(database, () => now).keep(roomSeven);
  const store = new DutyStore({ database, clock: () => now });
  const follow = (wanted: readonly RequiredDuty[]) =>
    store.follow(
      '7',
      () => wanted,
      () => 'It is done.',
    );
  expect(await follow([owed])).toBe(false);
  const [duty] = await store.ofIncident('7');
  const decision = { says: true, step: 1, lookAt: at };
  if (isSaid && duty?.audience === 'room')
    await store.say(duty, decision, {
      ...{ incidentID: '7', actor: '', words: 'It is owed.', askedAt: now, doneAt: now, isOwnMessage: true },
    });
  else if (isSaid && duty) await store.saidAlone(duty, decision);
  expect(await follow([])).toBe(isShown);
  expect(await store.ofIncident('7')).toEqual([]);
});
