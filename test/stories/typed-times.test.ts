import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';

test('an edit leaves a time that was asked about, and says so', async () => {
  const { place, slack, bob, general, items, reads, press, last, act } = await openIncident();
  bob.invite(general, slack.botUserId);
  const message = bob.mention(general, 'note the queue grew --at 23:30 --incident 1');
  await place.quiet();
  await press(last(bob, general), 'Add', bob);
  await act(() => bob.editMention(message, 'note the queue grew much --at 23:30 --incident 1'));
  expect(reads(bob, general)).toContain('Its time stays as it was: “23:30” may mean another one.');
  expect((await items('userNote')).map(each => each.eventTime)).toEqual(['2026-11-20T04:30:00Z']);
});
