import { expect, test } from 'vitest';
import type { RequiredDuty } from '../../../../src/bot/duties/rules.ts';
import { DutyStore } from '../../../../src/bot/duties/store.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';

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
  const store = new DutyStore({ database, clock: () => now });
  const follow = (wanted: readonly RequiredDuty[]) =>
    store.follow(
      '7',
      () => wanted,
      () => 'It is done.',
    );
  expect(await follow([owed])).toBe(false);
  const [duty] = await store.ofIncident('7');
  if (isSaid && duty) await store.saidAlone(duty, { says: true, step: 1, lookAt: at });
  expect(await follow([])).toBe(isShown);
  expect(await store.ofIncident('7')).toEqual([]);
});
