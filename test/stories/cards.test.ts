import { expect, test } from 'vitest';
import { openInstalledSlack, openWorkplace } from '../support/workplace.ts';

/** An incident with a room and an announcement. */
async function openAnnounced(title = 'Disk is full') {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice' });
  const alerts = slack.addChannel({ name: 'alerts', members: [alice], botIsMember: true });
  const place = await openWorkplace({ slack, settings: { ANNOUNCE_CHANNEL: alerts.id } });
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
  return { place, slack, alice, room, type, card, announcement };
}

test('what changes shows on the card, in the announcement and in the topic, each edited in place', async () => {
  const { slack, room, type, card, announcement } = await openAnnounced();
  const cardTs = room.messages.find(each => each.pinned)?.ts;
  await type('/task add Call the vendor', room.name);
  expect(card()).toContain('1 open, 0 done');
  expect(announcement()).toContain('1 open, 0 done');
  await type('/incident severity critical', room.name);
  expect(card()).toContain('critical');
  expect(room.topic).toBe('Active · critical · Disk is full');
  expect(room.messages.filter(each => each.pinned).map(each => each.ts)).toEqual([cardTs]);
  expect(slack.callsOf('conversations.setTopic')).toHaveLength(2);
});

test('the topic is set only when it differs, and again when setting it failed', async () => {
  const { slack, room, type } = await openAnnounced();
  slack.fail('conversations.setTopic', { error: 'not_in_channel' });
  await type('/incident severity critical', room.name);
  expect(room.topic).toBe('Active · pending · Disk is full');
  await type('/task add One', room.name);
  expect(room.topic).toBe('Active · critical · Disk is full');
  const calls = slack.callsOf('conversations.setTopic').length;
  await type('/task add Two', room.name);
  expect(slack.callsOf('conversations.setTopic')).toHaveLength(calls);
});

test('a card that is gone costs nothing but the card', async () => {
  const { slack, place, alice, room, type } = await openAnnounced();
  slack.fail('chat.update', { error: 'message_not_found' }, { times: 2 });
  await type('/task add One', room.name);
  expect(place.lastRead(alice, room.name)).toContain('One');
  expect(place.troubles.map(each => each.msg)).toContain('card: Slack did not take an update');
});

test('many changes at once become few updates, and the last one shows', async () => {
  const { place, slack, alice, room, card } = await openAnnounced();
  await Promise.all(Array.from({ length: 10 }, (_, index) => alice.command(room.name, `/task add Task ${index}`)));
  await place.quiet();
  expect(card()).toContain('10 open, 0 done');
  expect(slack.callsOf('chat.update').length).toBeLessThanOrEqual(22);
});

test('a title of the longest kind fits header, topic and notification', async () => {
  const { slack, card, room } = await openAnnounced('&'.repeat(500));
  expect(card()).toContain('&&&&');
  expect(room.topic.length).toBeLessThanOrEqual(250);
  expect(room.topic).toMatch(/(&amp;)+…$/);
  expect(slack.calls.filter(call => call.response?.ok === false)).toEqual([]);
});
