import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

/** What alice types by mention, and the words of hers that its receipt gives back. */
const acts: readonly (readonly [typed: string, words: string])[] = [
  ['note restarted the pods', 'restarted the pods'],
  ['note add the queue is full', 'the queue is full'],
  ['update: half of the payments fail', 'half of the payments fail'],
  ['update we roll back --next 30m', 'we roll back'],
  ['task add fail over to the replica', 'fail over to the replica'],
  ['task done 1', 'call the bank'],
  ['task start 1', 'call the bank'],
  ['task delete 1', 'call the bank'],
  ['task assign 1 @bob', 'call the bank'],
  ['severity major', 'major'],
  ['title: Payments fail', 'Payments fail'],
  ['label add database', 'database'],
  ['drill on', 'drill'],
  ['role assign @bob commander', 'commander'],
  ['resolve the certificate was renewed --now', 'the certificate was renewed'],
];

test.each(acts)(
  '“%s”: its receipt as a direct message names the incident, its title and the words',
  async (typed, words) => {
    const { place, slack, alice, home, type, act } = await openIncident();
    await type('/task add call the bank');
    slack.fail('chat.postEphemeral', { error: 'user_not_in_channel' }, { times: 100 });
    await act(() => alice.mention(home, typed));
    const read = place.lastRead(alice, slack.openDm(alice).id);
    expect(read).toContain('ncident 1');
    expect(read).toContain('“Checkout answers 500”');
    expect(read).toContain(words);
  },
);

test('where the person acted, the receipt needs no line about the incident', async () => {
  const { place, alice, home, act } = await openIncident();
  await act(() => alice.mention(home, 'note restarted the pods'));
  expect(place.lastRead(alice, home.id)).toBe(
    ':memo: You noted on the timeline of incident 1: “restarted the pods”.\n[Undo]',
  );
});

test('a late receipt as a direct message names the incident, its title and the words', async () => {
  let now = new Date('2026-11-20T12:15:00Z');
  const outage = await openOutage({ clock: () => now });
  const { place, slack, alice, general } = outage;
  await outage.type('/incident declare Disk is full --now');
  outage.goAway();
  await alice.command(general, '/task add --incident 1 fail over to the replica');
  await place.quiet();
  now = new Date(now.getTime() + 300_000);
  await outage.comeBack();
  const read = place.lastRead(alice, slack.openDm(alice).id);
  for (const part of ['ncident 1', '“Disk is full”', 'fail over to the replica']) expect(read).toContain(part);
});
