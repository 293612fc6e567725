import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { openInstalledSlack } from '../support/workplace.ts';

test('a direct message about a task names its incident and channel after each press', async () => {
  const { type, pressDirect, bob, home } = await openIncident();
  await type('/task add Ask Adyen for an ETA @bob');
  for (const label of ['Start', 'Done', 'Reopen', 'Tasks']) {
    const read = await pressDirect(bob, label);
    expect(read, label).toContain('incident 1');
    expect(read, label).toContain('“Checkout answers 500”');
    expect(read, label).toContain(`#${home.name}`);
  }
});

test('an incident declared during an outage can be joined meanwhile, and gets its bookmark once it is registered', async () => {
  const slack = await openInstalledSlack();
  const town = slack.addChannel({ name: 'town', botIsMember: true });
  const { type, goAway, grafana, reachable, room, place, bob, act } = await openOutage({
    slack,
    settings: { ANNOUNCE_CHANNEL: town.id },
  });
  bob.join(town.id);
  goAway();
  await type('/incident declare Replica lag --now');
  const channel = room();
  expect(channel.bookmarks).toEqual([]);
  const announced = place.messages(bob, town.id).find(each => each.text.includes('Replica lag'));
  if (!announced) throw new Error('Nothing is announced');
  await act(() => bob.press(announced, 'Join'));
  expect(channel.members).toContain(bob.id);
  expect(place.lastRead(bob, town.id)).toBe(`You are in #${channel.name} now.`);
  await act(() => bob.press(announced, 'Join'));
  expect(place.lastRead(bob, town.id)).toBe(`You are in #${channel.name} already.`);
  await place.muster.bot.journal.idle();
  grafana.heal();
  // Its page opens.
  grafana.fail({ when: /\/incidents\/1/, answer: { status: 302, body: '' } });
  await reachable();
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(channel.bookmarks.map(each => each.title)).toEqual(['Incident']);
  expect(slack.callsOf('bookmarks.add')).toHaveLength(1);
});
