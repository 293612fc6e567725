import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { openInstalledSlack, openWorkplace, type WorkplaceOptions } from '../support/workplace.ts';

/** An incident with a room and an announcement. */
async function openAnnounced(
  options: Pick<WorkplaceOptions, 'monotonicNow' | 'databaseFile'> = {},
  title = 'Disk is full',
) {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice' });
  const alerts = slack.addChannel({ name: 'alerts', members: [alice], botIsMember: true });
  const settings = { ANNOUNCE_CHANNEL: alerts.id };
  const place = await openWorkplace({ ...options, slack, settings });
  const type = async (line: string, channel = 'alerts') => {
    await alice.command(channel, line);
    await place.quiet();
  };
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  await type(`/incident declare ${title} --now`, general.name);
  const room = slack.channels.find(each => each.name.startsWith('inc-1'));
  if (!room) throw new Error('There is no channel');
  const card = () => place.reads(alice, room.name)[0] ?? '';
  const announcement = () => place.reads(alice, 'alerts')[0] ?? '';
  return { place, settings, slack, alice, room, type, card, announcement };
}

test('what changes shows on the card and in the announcement, each edited in place; the topic follows title and state', async () => {
  const { slack, room, type, card, announcement } = await openAnnounced();
  const cardTs = room.messages.find(each => each.pinned)?.ts;
  await type('/task add Call the vendor', room.name);
  expect(card()).toContain('1 open, 0 done');
  expect(announcement(), 'tasks are for those who work on it').not.toContain('open');
  await type('/incident severity critical', room.name);
  expect(card()).toContain('🔴 CRITICAL');
  expect(announcement()).toContain('🔴 CRITICAL');
  expect(room.messages.filter(each => each.pinned).map(each => each.ts)).toEqual([cardTs]);
  expect(slack.callsOf('conversations.setTopic'), 'Slack writes a line about each topic').toHaveLength(1);
  await type('/incident title Disk of db-3 is full', room.name);
  expect(room.topic).toBe('Active · Disk of db-3 is full');
});

test('a topic that Slack could not take is set with the next change, and only when it differs', async () => {
  const { slack, room, type } = await openAnnounced();
  slack.fail('conversations.setTopic', { error: 'internal_error' });
  await type('/incident title Disk of db-3 is full', room.name);
  expect(room.topic).toBe('Active · Disk is full');
  await type('/task add One', room.name);
  expect(room.topic).toBe('Active · Disk of db-3 is full');
  const calls = slack.callsOf('conversations.setTopic').length;
  await type('/task add Two', room.name);
  expect(slack.callsOf('conversations.setTopic')).toHaveLength(calls);
});

test('a new card and its announcement are not written again, and neither is one that would look the same', async () => {
  const { slack, alice, place, room, type } = await openAnnounced();
  // A line of the last minute is edited too.
  const written = () => slack.callsOf('chat.update').filter(({ args }) => !JSON.stringify(args).includes('noted'));
  await type('/note add Looking at the graphs', room.name);
  expect(place.messages(alice, room.name)[0]?.edited).toBeUndefined();
  expect(written()).toHaveLength(0);
  await type('/task add Call the vendor', room.name);
  expect(written(), 'the announcement shows no tasks').toHaveLength(1);
  for (const line of ['/incident reopen', '/incident unlabel nothere', '/task start 1', '/note add More graphs']) {
    await type(line, room.name);
  }
  expect(written(), 'the announcement shows no tasks').toHaveLength(1);
  expect(slack.callsOf('conversations.setTopic')).toHaveLength(1);
});

test('a process that starts later does not write what Slack shows already', async () => {
  const databaseFile = join(await openFolder(), 'muster.db');
  const { place, settings, slack, room, type } = await openAnnounced({ databaseFile });
  await type('/task add Call the vendor', room.name);
  await place[Symbol.asyncDispose]();
  const calls = slack.calls.length;
  const next = await openWorkplace({ slack, databaseFile, settings });
  await slack.person('alice').command(room, '/note add Looking at the graphs');
  await next.quiet();
  const later = slack.calls
    .slice(calls)
    .filter(({ args }) => !JSON.stringify(args).includes('noted'))
    .map(each => each.method);
  expect(later).not.toContain('chat.update');
  expect(later).not.toContain('conversations.setTopic');
});

test.each([
  'missing_scope',
  'unknown_method',
  'restricted_action',
  'is_archived',
  'channel_not_found',
  'not_in_channel',
])('a topic that Slack refuses with %s is asked for again after ten minutes, and logged once', async error => {
  let time = 0;
  const { place, slack, room, type } = await openAnnounced({ monotonicNow: () => time });
  slack.fail('conversations.setTopic', { error }, { times: 100 });
  const asked = () => slack.callsOf('conversations.setTopic').length;
  const before = asked();
  for (const disk of ['db-1', 'db-2', 'db-3']) await type(`/incident title Disk of ${disk} is full`, room.name);
  expect(asked()).toBe(before + 1);
  const told = place.troubles.filter(each => each.msg === 'slack: refuses a call, asked again in ten minutes');
  expect(told).toEqual([expect.objectContaining({ method: 'conversations.setTopic', reason: error })]);
  time += 600_000;
  slack.heal('conversations.setTopic');
  await type('/task add One', room.name);
  expect(room.topic).toBe('Active · Disk of db-3 is full');
});

test('a card that somebody deleted is posted again with the next change, and pinned', async () => {
  const { slack, place, alice, room, type } = await openAnnounced();
  const [card] = room.messages;
  if (!card) throw new Error('There is no card');
  alice.deleteMessage(card, 'administrator');
  await type('/task add One', room.name);
  const cards = () => room.messages.filter(each => each.text.startsWith('Incident 1'));
  expect(cards()).toEqual([expect.objectContaining({ pinned: true })]);
  expect(place.reads(alice, room.name).join()).toContain('1 open, 0 done');
  const calls = slack.calls.length;
  await type('/note add Looking', room.name);
  const cardCalls = slack.calls.slice(calls).filter(({ args }) => !JSON.stringify(args).includes('noted'));
  expect(cardCalls.map(each => each.method)).not.toContain('chat.update');
  await type('/task add Two', room.name);
  expect(cards()).toHaveLength(1);
  expect(place.reads(alice, room.name).join()).toContain('2 open, 0 done');
});

test('an announcement that somebody deleted is posted again while the incident is active, and not after it', async () => {
  const { slack, alice, room, type, announcement } = await openAnnounced();
  const alerts = slack.channel('alerts');
  const remove = () => {
    const [message] = alerts.messages;
    if (message) alice.deleteMessage(message, 'administrator');
  };
  remove();
  await type('/role assign me commander', room.name);
  expect(alerts.messages).toHaveLength(1);
  expect(announcement()).toContain('Commander @alice');
  remove();
  await type('/incident resolve --now', room.name);
  expect(alerts.messages).toHaveLength(0);
  await type('/task add Two', room.name);
  expect(alerts.messages).toHaveLength(0);
});

test('an archived room is not written to, and the announcement says that it is archived', async () => {
  const { place, slack, alice, room, type, announcement } = await openAnnounced();
  alice.archive(room);
  const before = slack.calls.length;
  for (const severity of ['critical', 'minor', 'major']) await type(`/incident severity ${severity} --incident 1`);
  expect(announcement()).toContain('MAJOR');
  expect(announcement()).toContain(`#${room.name} (archived)`);
  const toRoom = slack.calls
    .slice(before)
    .filter(each => each.args.channel === room.id && /^(chat\.update|conversations\.(?!info)|pins)/.test(each.method));
  expect(toRoom.length).toBeLessThanOrEqual(2);
  expect(place.troubles.filter(each => each.msg.includes('asked again in ten minutes')).length).toBeLessThanOrEqual(2);
});

test('many changes at once become few updates, and the last one shows', async () => {
  const { place, slack, alice, room, card } = await openAnnounced();
  await Promise.all(Array.from({ length: 10 }, (_, index) => alice.command(room.name, `/task add Task ${index}`)));
  await place.quiet();
  expect(card()).toContain('10 open, 0 done');
  expect(slack.callsOf('chat.update').length).toBeLessThanOrEqual(6);
});

test('a title of the longest kind fits header, topic and notification', async () => {
  const { slack, card, room } = await openAnnounced({}, '&'.repeat(500));
  expect(card()).toContain('&&&&');
  expect(room.topic.length).toBeLessThanOrEqual(250);
  expect(room.topic).toMatch(/(&amp;)+…$/);
  expect(slack.calls.filter(call => call.response?.ok === false)).toEqual([]);
});
