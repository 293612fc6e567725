import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { type FakeSlackOptions, openFakeSlack } from '../../../../playground/fake-slack/fake-slack.ts';
import { quiet } from '../../../support/fake-slack-app.ts';

async function openClient(options: FakeSlackOptions = {}) {
  const slack = await openFakeSlack(options);
  const client = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: quiet,
  });
  const ann = slack.addPerson({ name: 'ann', email: 'Ann@example.com', tz: 'Europe/Berlin' });
  const bob = slack.addPerson({ name: 'bob' });
  return { slack, client, ann, bob, [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose]() };
}

/** The error name a refused call carries. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'no refusal',
    (error: { data?: { error?: string } }) => error.data?.error ?? error,
  );
}

test('tokens are checked, and unknown methods named', async () => {
  await using world = await openClient();
  const { slack, client } = world;
  const ask = async (method: string, headers: Record<string, string> = {}) =>
    (await fetch(`${slack.apiUrl}${method}`, { method: 'POST', headers })).json();

  expect(await ask('auth.test')).toEqual({ ok: false, error: 'not_authed' });
  expect(await ask('auth.test', { authorization: 'Bearer xoxb-other' })).toEqual({ ok: false, error: 'invalid_auth' });
  expect(await ask('apps.connections.open', { authorization: `Bearer ${slack.botToken}` })).toMatchObject({
    error: 'not_allowed_token_type',
  });
  expect(await ask('no.such')).toMatchObject({ ok: false, error: 'unknown_method' });
  expect(await client.auth.test()).toMatchObject({ ok: true, user_id: slack.botUserId, bot_id: slack.botId });
  expect(slack.calls.at(-1)).toMatchObject({ method: 'auth.test', token: slack.botToken, args: {} });
});

test('a missing scope is said with what is needed', async () => {
  await using world = await openClient({ scopes: ['chat:write', 'channels:manage'] });
  const { slack, client } = world;
  const ops = slack.addChannel({ name: 'ops' });

  expect(await refusal(client.users.list({}))).toBe('missing_scope');
  expect(await refusal(client.conversations.create({ name: 'x', is_private: true }))).toBe('missing_scope');
  expect(await refusal(client.chat.postMessage({ channel: ops.id, text: 'hi' }))).toBe('not_in_channel');
  expect(slack.callsOf('users.list')[0]?.response).toEqual({
    ok: false,
    error: 'missing_scope',
    needed: 'users:read',
    provided: 'chat:write,channels:manage',
  });
});

test('every answer to the bot tells the scopes of its token, and none to another token', async () => {
  await using world = await openClient({ scopes: ['chat:write', 'users:read'] });
  const { slack } = world;
  const scopesTold = async (method: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${slack.apiUrl}${method}`, { method: 'POST', headers })).headers.get('x-oauth-scopes');
  };
  expect(await scopesTold('auth.test', slack.botToken)).toBe('chat:write,users:read');
  expect(await scopesTold('pins.add', slack.botToken)).toBe('chat:write,users:read');
  expect(await scopesTold('apps.connections.open', slack.appToken)).toBeNull();
});

test.each([true, false])('e-mail addresses are shown to those with the scope for them (%s)', async granted => {
  await using world = await openClient({ scopes: ['users:read', ...(granted ? ['users:read.email'] : [])] });
  const { client, ann } = world;
  const { user } = await client.users.info({ user: ann.id });
  const { members } = await client.users.list({});
  const emails = [user, members?.find(each => each.id === ann.id)].map(each => each?.profile?.email);
  expect(emails).toEqual(granted ? ['Ann@example.com', 'Ann@example.com'] : [undefined, undefined]);
});

test('channel names are held to Slack’s rules and stay taken', async () => {
  await using world = await openClient();
  const { client } = world;
  const create = (name: string) => refusal(client.conversations.create({ name }));

  expect(await create('')).toBe('invalid_name_required');
  expect(await create('a'.repeat(81))).toBe('invalid_name_maxlength');
  expect(await create('Inc 1')).toBe('invalid_name_specials');
  expect(await create('--')).toBe('invalid_name_punctuation');
  const { channel } = await client.conversations.create({ name: 'inc-1' });
  await client.conversations.archive({ channel: channel?.id ?? '' });
  expect(await create('inc-1')).toBe('name_taken');
  expect(await refusal(client.chat.postMessage({ channel: channel?.id ?? '', text: 'hi' }))).toBe('is_archived');
  expect(await refusal(client.conversations.archive({ channel: channel?.id ?? '' }))).toBe('already_archived');
});

test('members, topics, marks and their refusals', async () => {
  await using world = await openClient();
  const { slack, client, ann, bob } = world;
  const secret = slack.addChannel({ name: 'secret', isPrivate: true, members: [ann] });
  const { channel } = await client.conversations.create({ name: 'inc-2' });
  const id = channel?.id ?? '';

  expect(await refusal(client.conversations.info({ channel: secret.id }))).toBe('channel_not_found');
  await client.conversations.invite({ channel: id, users: ann.id });
  expect(await refusal(client.conversations.invite({ channel: id, users: ann.id }))).toBe('already_in_channel');
  expect(await refusal(client.conversations.invite({ channel: id, users: slack.botUserId }))).toBe('cant_invite_self');
  expect(await refusal(client.conversations.invite({ channel: id, users: 'USLACKBOT' }))).toBe('cant_invite');
  expect(await refusal(client.conversations.invite({ channel: id, users: `${bob.id},U404` }))).toBe('user_not_found');
  expect(slack.channel('inc-2').members).not.toContain(bob.id);
  expect(await refusal(client.conversations.setTopic({ channel: id, topic: 'x'.repeat(251) }))).toBe('too_long');
  await client.conversations.setTopic({ channel: id, topic: '[SEV1] db' });
  expect(slack.channel('#inc-2').topic).toBe('[SEV1] db');
  expect(await refusal(client.chat.postEphemeral({ channel: id, user: bob.id, text: 'x' }))).toBe(
    'user_not_in_channel',
  );

  const { ts = '' } = await client.chat.postMessage({ channel: id, text: 'card' });
  await client.pins.add({ channel: id, timestamp: ts });
  expect(await refusal(client.pins.add({ channel: id, timestamp: ts }))).toBe('already_pinned');
  await client.reactions.add({ channel: id, timestamp: ts, name: 'eyes' });
  expect(await refusal(client.reactions.add({ channel: id, timestamp: ts, name: 'eyes' }))).toBe('already_reacted');
  expect(await refusal(client.reactions.add({ channel: id, timestamp: '1.000000', name: 'eyes' }))).toBe(
    'message_not_found',
  );
  const said = ann.say('inc-2', 'mine');
  expect(await refusal(client.chat.update({ channel: id, ts: said.ts, text: 'yours' }))).toBe('cant_update_message');
  expect(await refusal(client.chat.update({ channel: id, ts, text: 'x'.repeat(4001) }))).toBe('msg_too_long');
  expect(await refusal(client.bookmarks.add({ channel_id: id, title: 't', type: 'link', link: 'nope' }))).toBe(
    'invalid_link',
  );
  await client.bookmarks.add({ channel_id: id, title: 'Dash', type: 'link', link: 'https://example.com' });
  expect(slack.channel('inc-2')).toMatchObject({ bookmarks: [{ title: 'Dash' }], messages: { length: 5 } });
});

test('history shows threads apart, metadata on request, and pages', async () => {
  await using world = await openClient();
  const { slack, client, ann } = world;
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  const root = ann.say(ops, 'root');
  const metadata = { event_type: 'note', event_payload: { id: '7' } };
  await client.chat.postMessage({ channel: ops.id, text: 'reply', thread_ts: root.ts, metadata });
  ann.say(ops, 'later');

  const history = await client.conversations.history({ channel: ops.id });
  expect(history.messages?.map(message => message.text)).toEqual(['later', 'root']);
  expect(history.messages?.[1]).toMatchObject({ reply_count: 1, thread_ts: root.ts });
  const replies = await client.conversations.replies({ channel: ops.id, ts: root.ts });
  expect(replies.messages?.[1]).not.toHaveProperty('metadata');
  const full = await client.conversations.replies({ channel: ops.id, ts: root.ts, include_all_metadata: true });
  expect(full.messages?.[1]).toMatchObject({ text: 'reply', metadata });
  const texts: (string | undefined)[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.conversations.history({ channel: ops.id, limit: 1, ...(cursor ? { cursor } : {}) });
    texts.push(page.messages?.[0]?.text);
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  expect(texts).toEqual(['later', 'root']);
});

test('people are found by id', async () => {
  await using world = await openClient();
  const { slack, client } = world;
  const guest = slack.addPerson({ name: 'gus', isUltraRestricted: true, isStranger: true, teamId: 'T0OTHER0001' });

  expect((await client.users.info({ user: guest.id })).user).toMatchObject({
    is_ultra_restricted: true,
    is_stranger: true,
    team_id: 'T0OTHER0001',
  });
  expect(await refusal(client.users.info({ user: 'U404' }))).toBe('user_not_found');
});

test('faults hit the calls they are meant for, then pass', async () => {
  await using world = await openClient();
  const { slack, client } = world;
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  const post = () => client.chat.postMessage({ channel: ops.id, text: 'hi' });
  const texts = () => slack.channel('ops').messages.length;

  slack.fail('chat.postMessage', { error: 'restricted_action' });
  expect(await refusal(post())).toBe('restricted_action');
  slack.fail('chat.postMessage', { rateLimited: 7 });
  await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
  slack.fail('chat.postMessage', { status: 503, body: 'busy' });
  await expect(post()).rejects.toMatchObject({ statusCode: 503 });
  slack.fail('chat.postMessage', { dropBefore: true });
  await expect(post()).rejects.toThrow();
  expect(texts()).toBe(0);
  slack.fail('chat.postMessage', { dropAfterEffect: true });
  await expect(post()).rejects.toThrow();
  expect(texts()).toBe(1);
  slack.fail('chat.postMessage', { halfBody: true });
  await expect(post()).rejects.toThrow();
  expect(texts()).toBe(2);
  slack.fail('chat.postMessage', { error: 'fatal_error' }, { when: args => args.text === 'other', times: 2 });
  await post();
  slack.heal();
  await client.chat.postMessage({ channel: ops.id, text: 'other' });
  expect(texts()).toBe(4);
});

test('a stalled call ends when the fake Slack goes away', async () => {
  const world = await openClient();
  world.slack.fail('auth.test', { stall: true });
  const stalled = world.client.auth.test();
  const ended = expect(stalled).rejects.toThrow();
  await world.slack.until(() => world.slack.callsOf('auth.test').length > 0);
  await world[Symbol.asyncDispose]();
  await ended;
});
