import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FakeSlack } from '../../playground/fake-slack/fake-slack.ts';
import { isAtLeast } from '../../src/config/log-levels.ts';
import { openElsewhere } from '../support/elsewhere.ts';
import { openFolder } from '../support/folder.ts';
import { declareNow } from '../support/incident-room.ts';
import { openInstalledSlack, openWorkplace, type Workplace, type WorkplaceOptions } from '../support/workplace.ts';

/** An incident that alice declared as minor, and rhea, who reads only the announcements. */
async function openAnnouncement(options: Omit<WorkplaceOptions, 'slack' | 'settings'> & { flags?: string } = {}) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const slack = await openInstalledSlack(clock);
  const alice = slack.addPerson({ name: 'alice' });
  slack.addPerson({ name: 'rhea' });
  const alerts = slack.addChannel({ name: 'alerts', members: [slack.person('rhea')], botIsMember: true });
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  const settings = { ANNOUNCE_CHANNEL: alerts.id };
  const place = await openWorkplace({ clock, ...options, slack, settings });
  const room = await declareNow(
    place,
    alice,
    general,
    `Checkout answers 500 --severity minor ${options.flags ?? ''}`.trim(),
  );
  return {
    ...{ place, slack, alice, alerts, general, room, settings, clock },
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
    type: async (line: string, where: Workplace = place) => {
      await alice.command(room, line);
      await where.quiet();
    },
    news: () => news(place, slack),
    announcement: () => place.reads(slack.person('rhea'), 'alerts')[0] ?? '',
  };
}

/** The messages in the channel of the announcements other than the announcements: the replies that are sent to it too. */
function news(place: Workplace, slack: FakeSlack): string[] {
  const rhea = slack.person('rhea');
  const all = place.messages(rhea, 'alerts');
  const rendered = place.reads(rhea, 'alerts');
  return rendered.filter((_words, at) => all[at]?.subtype === 'thread_broadcast');
}

test('Join on the announcement takes a reader into the room; a lower severity is told; at the end there is nothing to join', async () => {
  const { place, slack, type, news, announcement, room } = await openAnnouncement();
  const rhea = slack.person('rhea');
  expect(announcement()).toMatch(/\n\[Join\]$/);
  const [card] = place.messages(rhea, 'alerts');
  if (!card) throw new Error('There is no announcement');
  await rhea.press(card, 'Join');
  await place.quiet();
  expect(room.members.has(rhea.id)).toBe(true);
  await type('/incident severity critical');
  await type('/incident severity minor');
  expect(news().at(-1)).toBe(`🟡 #1 Checkout answers 500 went from critical to minor – #${room.name}`);
  await type('/incident severity pending');
  expect(news(), 'nobody knows it again: no news').toHaveLength(2);
  await type('/incident resolve --now');
  expect(announcement()).not.toContain('[Join]');
});

test('the announcement of an incident whose room is private has no Join', async () => {
  const { place, slack, alice, general } = await openAnnouncement();
  await alice.command(general, '/incident declare Keys leaked --private --now');
  await place.quiet();
  expect(place.reads(slack.person('rhea'), 'alerts')).toHaveLength(1);
});

test('a reader of the announcements hears that it got worse, of updates, that it is over, and that it is open again', async () => {
  const { type, news, announcement, wait, room } = await openAnnouncement();
  expect(announcement()).toContain('🟡 MINOR · Checkout answers 500');
  expect(announcement()).toContain(':warning: No commander');
  await type('/incident severity critical');
  await type('/role assign me commander');
  await type('/task add Roll back 1141');
  await type('/note add Looking at the graphs');
  await type('/incident update We roll back 1141 --next 30m');
  expect(news()).toEqual([
    `🔴 #1 Checkout answers 500 went from minor to critical – #${room.name}`,
    '📣 #1 Checkout answers 500: We roll back 1141 – @alice, next update due at 12:45 PM',
  ]);
  expect(announcement()).toContain('Commander @alice');
  expect(announcement()).toContain('📣 Latest update just now, by @alice: We roll back 1141');
  await type('/incident severity minor');
  expect(news().at(-1), 'that it got less bad').toBe(
    `🟡 #1 Checkout answers 500 went from critical to minor – #${room.name}`,
  );
  wait(42);
  await type('/incident resolve Release 1141 lowered the pool of connections --now');
  await type('/incident reopen');
  wait(3);
  await type('/incident resolve --now');
  expect(news().slice(3)).toEqual([
    '✅ #1 Checkout answers 500 resolved after 42 min: Release 1141 lowered the pool of connections',
    `🔁 #1 Checkout answers 500 is open again – #${room.name}`,
    '✅ #1 Checkout answers 500 resolved after 45 min',
  ]);
});

test('an undone update is marked where outsiders read it, and the one before it is not told again', async () => {
  const { place, slack, alice, room, type, news } = await openAnnouncement();
  await type('/incident update first');
  await type('/incident update second');
  const receipt = place.messages(alice, room.name).findLast(each => each.ephemeralTo !== undefined);
  if (!receipt) throw new Error('There is no receipt');
  await alice.press(receipt, 'Undo');
  await place.quiet();
  expect(news()).toEqual([
    '📣 #1 Checkout answers 500: first – @alice',
    ':leftwards_arrow_with_hook: @alice took this back: 📣 #1 Checkout answers 500: second – @alice',
  ]);
  expect(slack.channel('alerts').messages).toHaveLength(3);
});

test('hostile words stay words, and a drill is told as one', async () => {
  const { type, news, slack } = await openAnnouncement({ flags: '--drill' });
  await type('/incident title *Down* <!channel> again');
  await type('/incident severity major');
  await type('/incident update `all` <!here> & _fine_');
  expect(news()).toHaveLength(2);
  for (const line of news()) expect(line).toContain('🧪 Drill #1');
  for (const { text } of slack.channel('alerts').messages) expect(text).not.toMatch(/<!(channel|here)>/);
});

test('what changes elsewhere is told the same, once', async () => {
  const { place, slack, alice, elsewhere, look, room } = await openElsewhere();
  slack.addPerson({ name: 'rhea' }).join(slack.channel('alerts').id);
  const { UpdateSeverity, UpdateStatus } = elsewhere.IncidentsService;
  await UpdateSeverity({ incidentID: '1', severity: 'major' });
  await look();
  await UpdateStatus({ incidentID: '1', status: 'resolved' });
  await look();
  await UpdateStatus({ incidentID: '1', status: 'active' });
  await look();
  await look();
  expect(news(place, slack)).toEqual([
    `🟠 #1 Disk is full went from pending to major – #${room.name}`,
    expect.stringMatching(/^✅ #1 Disk is full resolved after \d+ s$/),
    `🔁 #1 Disk is full is open again – #${room.name}`,
  ]);
  expect(alice.name).toBe('alice');
});

test.each([
  ['is lost before it arrives', { dropBefore: true }],
  ['is lost after its effect', { dropAfterEffect: true }],
  ['fails for now', { error: 'internal_error' }],
] as const)('when the post of a line %s, the channel reads it once', async (_how, fault) => {
  let time = 0;
  const { place, slack, type, news } = await openAnnouncement({ monotonicNow: () => time });
  slack.fail('chat.postMessage', fault, { times: 3 });
  await type('/incident severity critical');
  slack.heal('chat.postMessage');
  time += 60_000;
  await type('/task add Call the vendor');
  await place.quiet();
  time += 60_000;
  await type('/task add Call again');
  expect(news()).toEqual([expect.stringContaining('went from minor to critical')]);
});

test('a process that starts later tells nothing twice, and what its forerunner left untold', async () => {
  const databaseFile = join(await openFolder(), 'muster.db');
  const { place, slack, type, settings, clock } = await openAnnouncement({ databaseFile });
  await type('/incident severity major');
  await place[Symbol.asyncDispose]();
  const second = await openWorkplace({ slack, databaseFile, settings, clock });
  await type('/task add One', second);
  expect(news(second, slack)).toHaveLength(1);
  await type('/incident severity critical', second);
  expect(news(second, slack)).toHaveLength(2);
});

test('news leave with the announcement when the incident becomes private, those whose answers were lost too', async () => {
  const { slack, alice, alerts, type, place, room } = await openAnnouncement();
  await type('/incident severity major');
  slack.fail('chat.postMessage', { dropAfterEffect: true }, { times: 3 });
  await type('/incident severity critical');
  slack.heal('chat.postMessage');
  expect(alerts.messages.filter(({ text }) => text.includes('Checkout'))).toHaveLength(3);
  alice.makePrivate(room);
  await place.quiet();
  await type('/task add Call the vendor');
  await place.quiet();
  expect(alerts.messages.map(({ text }) => text).join('\n')).not.toContain('Checkout');
});

test('in a room of its own only: where the announcement is a stub or is refused, nothing is told', async () => {
  const { slack, alerts, type, place } = await openAnnouncement();
  slack.fail('chat.postMessage', { error: 'restricted_action' }, { times: 100 });
  await type('/incident severity critical');
  slack.heal('chat.postMessage');
  expect(alerts.messages).toHaveLength(1);
  expect(place.troubles.some(each => isAtLeast(each, 'error'))).toBe(false);
});
