import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { createFakeSlack, type FakeSlackOptions } from '../../../../playground/fake-slack/fake-slack.ts';
import { quiet } from '../../../support/fake-slack-app.ts';

function open(options: FakeSlackOptions = {}) {
  const slack = createFakeSlack(options);
  const client = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    fetch: slack.fetch,
    logger: quiet,
    retryConfig: { retries: 0 },
  });
  const ann = slack.addPerson({ name: 'ann' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  return { slack, client, ann, ops, channel: ops.id };
}

async function refusal(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'no refusal',
    (error: { data?: { error?: string } }) => error.data?.error ?? error,
  );
}

const intent = { event_type: 'muster_intent', event_payload: { intent: '01J', part: 'card' } };

test('a post whose answer was lost is found by its metadata', async () => {
  const { slack, client, channel } = open();
  slack.fail('chat.postMessage', { dropAfterEffect: true });
  await expect(client.chat.postMessage({ channel, text: 'card', metadata: intent })).rejects.toThrow();

  const plain = await client.conversations.history({ channel });
  expect(plain.messages?.[0]).not.toHaveProperty('metadata');
  const { messages } = await client.conversations.history({ channel, include_all_metadata: true });
  expect(messages?.[0]).toMatchObject({ text: 'card', bot_id: slack.botId, metadata: intent });
});

test('an update keeps metadata, replaces it, or takes it away', async () => {
  const { slack, client, channel } = open();
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'card', metadata: intent });
  const kept = () => slack.channel('ops').messages[0]?.metadata;

  await client.chat.update({ channel, ts, text: 'card 2' });
  expect(kept()).toEqual(intent);
  const other = { event_type: 'other', event_payload: { number: 7, yes: true } };
  const { message } = await client.chat.update({ channel, ts, text: 'card 3', metadata: other });
  expect(message).toMatchObject({ metadata: other });
  expect(kept()).toEqual(other);
  await client.apiCall('chat.update', { channel, ts, text: 'card 4', metadata: '{}' });
  expect(kept()).toBeUndefined();
});

test.each([
  ['no object', '[]', 'invalid_metadata_format'],
  ['no JSON', '{', 'invalid_metadata_format'],
  ['no payload', '{"event_type":"x"}', 'invalid_metadata_schema'],
  ['a type with spaces', '{"event_type":"a b","event_payload":{}}', 'invalid_metadata_schema'],
  ['a payload that is not flat', '{"event_type":"x","event_payload":{"a":{"b":1}}}', 'invalid_metadata_schema'],
  ['too much', `{"event_type":"x","event_payload":{"a":"${'x'.repeat(3000)}"}}`, 'metadata_too_large'],
])('metadata with %s is refused, and nothing is posted', async (_, metadata, error) => {
  const { slack, client, channel } = open();
  expect(await refusal(client.apiCall('chat.postMessage', { channel, text: 'hi', metadata }))).toBe(error);
  expect(slack.channel('ops').messages).toEqual([]);
});

test('history is read between times, and what is posted meanwhile shifts no page', async () => {
  const { client, ann, ops, channel } = open();
  const [one, two, three] = ['one', 'two', 'three'].map(text => ann.say(ops, text).ts);
  const texts = async (args: object) => {
    const { messages } = await client.conversations.history({ channel, ...args });
    return messages?.map(message => message.text);
  };

  expect(await texts({ oldest: one })).toEqual(['three', 'two']);
  expect(await texts({ latest: three })).toEqual(['two', 'one']);
  expect(await texts({ oldest: one, latest: two })).toEqual([]);
  expect(await texts({ oldest: one, latest: two, inclusive: true })).toEqual(['two', 'one']);
  expect(await texts({ inclusive: true, limit: 1 })).toEqual(['three']);
  const page = await client.conversations.history({ channel, limit: 1 });
  expect(page.has_more).toBe(true);
  ann.say(ops, 'four');
  expect(await texts({ limit: 1, cursor: page.response_metadata?.next_cursor })).toEqual(['two']);
  expect(await refusal(texts({ cursor: 'bm9uc2Vuc2U=' }))).toBe('invalid_cursor');
  expect(await refusal(texts({ oldest: 'yesterday' }))).toBe('invalid_ts_oldest');
  expect(await refusal(texts({ limit: 0 }))).toBe('invalid_limit');
});

test('replies come with their parent, whatever the times say', async () => {
  const { client, ann, ops, channel } = open();
  const root = ann.say(ops, 'root');
  const first = ann.say(ops, 'first', { threadTs: root.ts });
  const posted = { channel, text: 'second', thread_ts: root.ts, metadata: intent };
  const { ts: last = '' } = await client.chat.postMessage(posted);
  const read = async (args: object) =>
    (await client.conversations.replies({ channel, ts: root.ts, ...args })).messages ?? [];

  expect((await read({ oldest: first.ts })).map(message => message.text)).toEqual(['root', 'second']);
  expect((await read({ oldest: last, inclusive: true, include_all_metadata: true })).at(-1)?.metadata).toEqual(intent);
  expect(await refusal(client.conversations.replies({ channel, ts: '1.000000' }))).toBe('thread_not_found');
});

test('bookmarks are added and listed, up to a hundred', async () => {
  const { client, channel } = open();
  const link = 'https://muster.example.com/i/7';
  const add = (args: object) => client.apiCall('bookmarks.add', { channel_id: channel, type: 'link', ...args });

  expect(await refusal(add({ title: 'x', link: 'javascript:1' }))).toBe('invalid_link');
  expect(await refusal(add({ title: 'x', link: `${link}${'x'.repeat(2048)}` }))).toBe('invalid_link');
  expect(await refusal(add({ title: 'x'.repeat(257), link }))).toBe('invalid_arguments');
  expect(await refusal(add({ title: 'x', link, emoji: 'fire' }))).toBe('invalid_emoji');
  expect(await refusal(add({ title: 'x', link, type: 'file' }))).toBe('invalid_bookmark_type');
  await add({ title: 'Incident', link, emoji: ':fire:' });
  const { bookmarks } = await client.bookmarks.list({ channel_id: channel });
  expect(bookmarks).toMatchObject([{ title: 'Incident', link, emoji: ':fire:', date_updated: 0 }]);
  for (let count = 1; count < 100; count += 1) await add({ title: 'x', link });
  expect(await refusal(add({ title: 'x', link }))).toBe('too_many_bookmarks');
});

test('a renamed channel keeps its old names', async () => {
  const { client, ann } = open();
  const made = await client.conversations.create({ name: 'inc-1' });
  const id = made.channel?.id ?? '';
  await client.conversations.invite({ channel: id, users: ann.id });
  ann.renameChannel('inc-1', 'inc-2');
  const info = await client.conversations.info({ channel: id, include_num_members: true });
  expect(info.channel).toMatchObject({ name: 'inc-2', previous_names: ['inc-1'], num_members: 2 });
  expect((await client.conversations.info({ channel: id })).channel).not.toHaveProperty('num_members');
});

test('an archived channel takes no posts and no updates, each in its own words', async () => {
  const { client, ann, channel } = open();
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'card' });
  ann.archive(channel);
  expect(await refusal(client.chat.postMessage({ channel, text: 'more' }))).toBe('is_archived');
  expect(await refusal(client.chat.update({ channel, ts, text: 'new' }))).toBe('is_inactive');
});

test('channels are listed by kind, and each kind takes its scope', async () => {
  const { slack, client, ann } = open({ scopes: ['channels:read', 'im:read'] });
  slack.addChannel({ name: 'secret', isPrivate: true, members: [ann], botIsMember: true });
  slack.addChannel({ name: 'old', isArchived: true, botIsMember: true });
  slack.addChannel({ name: 'foreign' });
  slack.openDm(ann);
  const list = (args: object) => client.users.conversations(args);
  const names = async (args: object) => (await list(args)).channels?.map(each => each.name);

  expect(await names({})).toEqual(['ops', 'old']);
  expect(await names({ exclude_archived: true })).toEqual(['ops']);
  expect((await list({ types: 'im' })).channels).toMatchObject([{ is_im: true, user: ann.id }]);
  expect(await refusal(names({ types: 'public_channel,private_channel' }))).toBe('missing_scope');
  expect(await refusal(names({ types: 'everything' }))).toBe('invalid_types');
});

test('conversions, sharing, archiving and deleting are told by the events of Slack', async () => {
  const slack = createFakeSlack();
  slack.connectApp(async () => ({ status: 200, body: '' }));
  const alice = slack.addPerson({ name: 'alice' });
  const room = slack.addChannel({ name: 'room', members: [alice], botIsMember: true });
  alice.makePrivate(room);
  alice.share(room);
  alice.share(room, false);
  alice.renameChannel(room, 'war-room');
  alice.archive(room);
  alice.unarchive(room);
  expect(room.members.has(slack.botUserId)).toBe(false);
  alice.invite(room, slack.botUserId);
  alice.moveChannel(room);
  alice.remove(room, slack.botUserId);
  alice.invite(room, slack.botUserId);
  alice.leave(room);
  alice.deleteChannel(room);
  await slack.settled();
  const heard = slack.deliveries.map(each => {
    const { type, subtype, channel_type } = Object(each.payload.event);
    return [type, subtype, ...(type === 'message' ? [channel_type] : [])].filter(Boolean).join(' ');
  });
  expect(heard).toEqual([
    'message channel_convert_to_private group',
    'channel_shared',
    'channel_unshared',
    'message channel_name group',
    'group_rename',
    'message channel_archive group',
    'group_archive',
    // Archiving takes the app out: of a private channel it does not hear that it is back.
    'message channel_join group',
    'member_joined_channel',
    'channel_id_changed',
    'message channel_leave group',
    'group_left',
    'message channel_join group',
    'member_joined_channel',
    'message channel_leave group',
    'member_left_channel',
    'group_deleted',
  ]);
  expect(slack.channels.some(each => each.id === room.id)).toBe(false);
});
