import { expect, onTestFinished, test } from 'vitest';
import { makeDatabase } from '../support/databases/fresh.ts';
import { openReminded } from '../support/reminded.ts';
import { openWorkplace } from '../support/workplace.ts';

test('of three processes on one database one reminds, once', async () => {
  const database = await makeDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  let now = new Date('2026-11-20T12:15:00Z');
  const [clock, settings] = [() => now, { DATABASE_URL: database.url }];
  const first = await openReminded({ clock, settings });
  const { slack, alone, inRoom, alice } = first;
  await first.type('/role assign me commander');
  await first.type('/incident update we look --next 30m');
  const reminding = { ...settings, REMINDERS: 'on', QUIET_HOURS: 'off' };
  const others = await Promise.all([0, 1].map(() => openWorkplace({ slack, clock, settings: reminding })));
  const places = [first.place, ...others];
  for (const minutes of [25, 30, 45, 60]) {
    now = new Date(Date.parse('2026-11-20T12:15:00Z') + minutes * 60_000);
    for (let times = 0; times < 2; times += 1) {
      await Promise.all(places.map(place => place.muster.bot.journal.tick()));
      for (const place of places) await place.quiet();
    }
  }
  expect(alone(alice)).toHaveLength(1);
  expect(inRoom()).toHaveLength(2);
});

test('of three processes one reminds a room that takes posts again, once', async () => {
  const database = await makeDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  let now = new Date('2026-11-20T12:15:00Z');
  const [clock, settings] = [() => now, { DATABASE_URL: database.url }];
  const first = await openReminded({ clock, settings, flags: '--severity critical', announces: true });
  const { slack, inRoom, announced, alice, home } = first;
  await first.type('/incident update we look --next 20m');
  const announceTo = slack.channel('incidents').id;
  const reminding = { ...settings, ANNOUNCE_CHANNEL: announceTo, REMINDERS: 'on', QUIET_HOURS: 'off' };
  const others = await Promise.all([0, 1].map(() => openWorkplace({ slack, clock, settings: reminding })));
  const places = [first.place, ...others];
  const look = async (minutes: number) => {
    now = new Date(Date.parse('2026-11-20T12:15:00Z') + minutes * 60_000);
    for (let times = 0; times < 4; times += 1) {
      await Promise.all(places.map(place => place.muster.bot.journal.tick()));
      for (const place of places) await place.quiet();
    }
  };
  alice.archive(home);
  await slack.settled();
  for (const minutes of [3, 6, 20, 30, 70]) await look(minutes);
  const owed = (texts: readonly string[]) => texts.filter(each => /:alarm_clock:.*update/.test(each));
  expect(owed(inRoom())).toEqual([]);
  expect(owed(announced())).toHaveLength(2);
  alice.unarchive(home);
  await slack.settled();
  for (const minutes of [71, 72, 90]) await look(minutes);
  expect(owed(inRoom())).toHaveLength(1);
  expect(owed(announced())).toHaveLength(2);
});
