import { addMinutes } from 'date-fns/addMinutes';
import { expect, test } from 'vitest';
import { createRooms, type Room } from '../../../../../src/bot/incident/state/room-store.ts';
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
  const known = { ...carded, receipts: '', reminders: '', burst: '' };
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
