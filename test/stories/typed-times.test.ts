import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';

test.each([
  ['14:30', '1:30 PM'],
  ['half an hour', '12:45 PM'],
  ['in half an hour', '12:45 PM'],
  ['an hour and a half', '1:45 PM'],
  ['at 14:30', '1:30 PM'],
  ['14h30', '1:30 PM'],
  ['2:30 p.m.', '1:30 PM'],
  ['13:30Z', '1:30 PM'],
  ['08:30 EST', '1:30 PM'],
  ['45', '1:00 PM'],
])('the next update is due at “%s”', async (typed, shown) => {
  const { typeAndReadAll } = await openIncident();
  const read = await typeAndReadAll(`/incident update --next ${typed} we roll back`);
  expect(read).toContain(`next by ${shown} – @alice\n> we roll back`);
});

test('an edit leaves a time that was asked about, and says so', async () => {
  const { place, slack, bob, general, items, reads, press, last } = await openIncident();
  bob.invite(general, slack.botUserId);
  const message = bob.mention(general, 'note the queue grew --at 23:30 --incident 1');
  await place.quiet();
  await press(last(bob, general), 'Add', bob);
  bob.editMention(message, 'note the queue grew much --at 23:30 --incident 1');
  await place.quiet();
  expect(reads(bob, general)).toContain('Its time stays as it was: “23:30” may mean another one.');
  expect((await items('userNote')).map(each => each.eventTime)).toEqual(['2026-11-20T04:30:00Z']);
});
