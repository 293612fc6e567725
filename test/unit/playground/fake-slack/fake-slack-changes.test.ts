import { expect, test } from 'vitest';
import { type Change, createFakeSlack } from '../../../../playground/fake-slack/fake-slack.ts';

function setUp() {
  const slack = createFakeSlack();
  slack.connectApp(async () => ({ status: 200, headers: {}, body: '' }));
  const alice = slack.addPerson({ name: 'alice' });
  const bob = slack.addPerson({ name: 'bob' });
  const channel = slack.addChannel({ name: 'shop', members: [alice] });
  const changes: Change[] = [];
  const call = async (method: string, args: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${slack.botToken}` };
    const response = await slack.fetch(`${slack.apiUrl}${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(args),
    });
    const answer = (await response.json()) as { ok: boolean; error?: string };
    expect(answer).toMatchObject({ ok: true });
  };
  slack.watch(change => changes.push(change));
  const told = () => changes.splice(0).map(change => change.kind);
  return { slack, alice, bob, channel, changes, call, told };
}

test('a watcher hears of a message, its reply, its edit, its marks and its end', () => {
  const { alice, channel, told } = setUp();
  const message = alice.say(channel, 'Checkout is slow');
  expect(told()).toEqual(['message']);
  const reply = alice.say(channel, 'I look', { threadTs: message.ts });
  expect(told()).toEqual(['message', 'message']);
  alice.editMessage(message, 'Checkout is down');
  alice.react(message, 'eyes');
  alice.pin(message);
  expect(told()).toEqual(['message', 'message', 'message']);
  alice.deleteMessage(reply);
  expect(told()).toEqual(['messageGone', 'message']);
  alice.deleteMessage(message);
  expect(told()).toEqual(['messageGone']);
});

test('a watcher hears what changes about a channel, and when it is gone', async () => {
  const { slack, alice, bob, channel, call, told, changes } = setUp();
  alice.invite(channel, slack.botUserId);
  told();
  alice.invite(channel, bob);
  expect(told()).toEqual(['channel', 'message']);
  await call('conversations.setTopic', { channel: channel.id, topic: 'The shop' });
  await call('bookmarks.add', { channel_id: channel.id, type: 'link', title: 'Docs', link: 'https://example.com' });
  expect(told().filter(kind => kind === 'channel')).toHaveLength(2);
  alice.createChannel('new-shop', true);
  expect(changes.at(-1)).toMatchObject({ kind: 'message' });
  expect(told()).toEqual(['channel', 'channel', 'message']);
  alice.deleteChannel(channel);
  expect(told()).toEqual(['channelGone']);
});

test('a name that Slack refuses makes no channel', () => {
  const { slack, alice, told } = setUp();
  expect(() => alice.createChannel('Shop!', false)).toThrow('invalid_name_specials');
  expect(() => alice.createChannel('shop', false)).toThrow('name_taken');
  expect(told()).toEqual([]);
  expect(slack.channels).toHaveLength(1);
});

test('a watcher hears of people, and of each change of a modal and of a home tab', async () => {
  const { slack, alice, call, told } = setUp();
  alice.change({ realName: 'Alice Adler' });
  expect(told()).toEqual(['person']);
  const blocks = [{ type: 'section', text: { type: 'plain_text', text: 'Home' } }];
  await call('views.publish', { user_id: alice.id, view: { type: 'home', blocks } });
  expect(told()).toEqual(['views']);
  await alice.shortcut('any');
  const trigger_id = slack.deliveries.at(-1)?.payload.trigger_id;
  const input = { type: 'plain_text_input', action_id: 'a' };
  const label = { type: 'plain_text', text: 'Title' };
  const view = {
    type: 'modal',
    title: { type: 'plain_text', text: 'Form' },
    submit: { type: 'plain_text', text: 'Send' },
    blocks: [{ type: 'input', block_id: 'b', label, element: input }],
  };
  await call('views.open', { trigger_id, view });
  expect(alice.views.map(each => each.title)).toEqual(['Form']);
  told();
  expect((await alice.submit()).failed).toBe('incomplete');
  expect(told()).toEqual(['views']);
  await alice.submit({ Title: 'Down' });
  expect(told()).toContain('views');
  expect(alice.views).toEqual([]);
});
