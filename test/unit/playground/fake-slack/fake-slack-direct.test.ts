import { App, HTTPReceiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { expect, onTestFinished, test } from 'vitest';
import { type AppHandler, createFakeSlack, type Fault } from '../../../../playground/fake-slack/fake-slack.ts';
import { toAppHandler } from '../../../support/app-handler.ts';
import { quiet } from '../../../support/fake-slack-app.ts';
import { openVirtualTime } from '../../../support/virtual-time.ts';

/** Hexadecimal ids that are the same in every run. */
function createIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return (count * 0x9e3779b1).toString(16).padStart(32, '0');
  };
}

function open(options: Parameters<typeof createFakeSlack>[0] = {}) {
  const slack = createFakeSlack({ randomId: createIds(), ...options });
  const client = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    fetch: slack.fetch,
    logger: quiet,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
  });
  const ann = slack.addPerson({ name: 'ann' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  const post = () => client.chat.postMessage({ channel: ops.id, text: 'hi' });
  return { slack, client, ann, ops, post };
}

test('a whole app works without a server: command, modal, event and response_url', async () => {
  const { slack, ann, ops } = open();
  const receiver = new HTTPReceiver({ signingSecret: slack.signingSecret, logger: quiet });
  const app = new App({
    token: slack.botToken,
    receiver,
    botId: slack.botId,
    botUserId: slack.botUserId,
    logger: quiet,
    clientOptions: { slackApiUrl: slack.apiUrl, fetch: slack.fetch, retryConfig: { retries: 0 } },
  });
  const title = { type: 'plain_text' as const, text: 'Declare' };
  app.command('/incident', async ({ ack, client, command, respond }) => {
    await ack('heard');
    await client.views.open({
      trigger_id: command.trigger_id,
      view: { type: 'modal', callback_id: 'declare', title, submit: title, blocks: [{ type: 'divider' }] },
    });
    await respond({ text: 'opened' });
  });
  app.view('declare', async ({ ack }) => ack());
  app.message('hello', async ({ client }) => void (await client.chat.postMessage({ channel: ops.id, text: 'hi' })));
  slack.connectApp(toAppHandler((request, response) => void receiver.requestListener(request, response)));

  expect((await ann.command(ops, '/incident declare')).text).toBe('heard');
  await slack.until(() => ann.view && ann.sees(ops).some(message => message.text === 'opened'));
  await ann.submit();
  expect(ann.view).toBeUndefined();
  ann.say(ops, 'hello');
  await slack.settled();
  await slack.until(() => ann.sees(ops).at(-1)?.text === 'hi');
  await slack.settled();
});

test('one seed is one history, to the byte', async () => {
  const tell = async (): Promise<string> => {
    const { slack, ann, ops, post } = open({ now: () => new Date(1_800_000_000_000), signatureNow: () => new Date(0) });
    slack.connectApp(async () => ({ status: 200, body: 'fine' }));
    ann.say(ops, 'first');
    await ann.command(ops, '/x');
    await post();
    await slack.settled();
    return JSON.stringify([slack.deliveries, slack.calls, slack.channels]);
  };
  expect(await tell()).toBe(await tell());
});

test('the global clock alone decides when an app took too long and when a late call has its effect', async () => {
  const time = openVirtualTime();
  const { slack, ann, ops, post } = open();
  const never: AppHandler = () => new Promise(() => undefined);
  slack.connectApp(never);

  const command = ann.command(ops, '/x');
  await time.advance(2999);
  expect(ann.sees(ops)).toEqual([]);
  await time.advance(1);
  expect(await command).toMatchObject({ failed: 'operation_timeout' });

  slack.fail('chat.postMessage', { delayMs: 60_000 });
  const posted = post();
  await time.advance(59_999);
  expect(slack.callsOf('chat.postMessage')).toEqual([]);
  await time.advance(1);
  await posted;
  expect(slack.callsOf('chat.postMessage')).toHaveLength(1);
});

test('a call that waits for something has its effect then, and is answered', async () => {
  const { slack, post } = open();
  const end = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  slack.fail('chat.postMessage', {
    until: () => {
      begun.resolve();
      return end.promise;
    },
  });
  const posted = post();
  await begun.promise;
  expect(slack.callsOf('chat.postMessage')).toEqual([]);
  end.resolve();
  expect(await posted).toMatchObject({ ok: true });
  expect(slack.callsOf('chat.postMessage')).toHaveLength(1);
});

test('a broken app is Slack’s dispatch failure', async () => {
  const { slack, ann, ops } = open();
  await expect(ann.command(ops, '/x')).rejects.toThrow('No app is connected');
  slack.connectApp(async () => {
    throw new Error('killed');
  });
  expect(await ann.command(ops, '/x')).toMatchObject({ status: 0, failed: 'dispatch_failed' });
  slack.connectApp(async () => ({ status: 500, body: '' }));
  expect(await ann.command(ops, '/x')).toMatchObject({ status: 500, failed: 'dispatch_failed' });
});

const faults: readonly [Fault, { effect: boolean; failure: object }][] = [
  [{ unreachable: 'ECONNREFUSED' }, { effect: false, failure: { cause: { cause: { code: 'ECONNREFUSED' } } } }],
  [{ unreachable: 'ENOTFOUND' }, { effect: false, failure: { cause: { cause: { code: 'ENOTFOUND' } } } }],
  [{ dropBefore: true }, { effect: false, failure: { cause: { cause: { code: 'ECONNRESET' } } } }],
  [{ dropAfterEffect: true }, { effect: true, failure: { cause: { cause: { code: 'ECONNRESET' } } } }],
  [{ halfBody: true }, { effect: true, failure: { message: 'terminated' } }],
  [{ rateLimited: 7 }, { effect: false, failure: { code: 'slack_webapi_rate_limited_error', retryAfter: 7 } }],
  [{ rateLimited: 'no-header' }, { effect: false, failure: { cause: { message: /valid timeout/ } } }],
  [
    { status: 500, body: 'oops' },
    { effect: false, failure: { statusCode: 500 } },
  ],
  [
    { status: 200, body: '<html>' },
    { effect: false, failure: { data: { error: '<html>' } } },
  ],
  ...['name_taken', 'restricted_action', 'is_archived', 'channel_not_found', 'ratelimited', 'expired_trigger_id'].map(
    (error): (typeof faults)[number] => [{ error }, { effect: false, failure: { data: { error } } }],
  ),
];

test.each(faults)('%j', async (fault, { effect, failure }) => {
  const { slack, ann, ops, post } = open();
  slack.fail('chat.postMessage', fault);
  const error: unknown = await post().then(
    () => 'went well',
    thrown => thrown,
  );
  for (const [name, wanted] of Object.entries(failure)) {
    const got: unknown = Reflect.get(Object(error), name);
    if (name === 'cause' && 'message' in wanted) expect(String(error)).toMatch(wanted.message);
    else if (typeof wanted === 'object') expect(got).toMatchObject(wanted);
    else expect(got).toBe(wanted);
  }
  expect(ann.sees(ops)).toHaveLength(effect ? 1 : 0);
  await post();
  expect(ann.sees(ops)).toHaveLength(effect ? 2 : 1);
});

test.each([{ stall: true }, { stallAfterEffect: true }] as const)('%j lasts until the caller gives up', async fault => {
  const { slack, ann, ops } = open();
  slack.fail('chat.postMessage', fault);
  const giveUp = new AbortController();
  const asked = slack.fetch(`${slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.botToken}` },
    body: new URLSearchParams({ channel: ops.id, text: 'hi' }),
    signal: giveUp.signal,
  });
  await slack.until(() => slack.callsOf('chat.postMessage').length === 1);
  giveUp.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  expect(ann.sees(ops)).toHaveLength('stall' in fault ? 0 : 1);
});

test('faults may be drawn for each call', async () => {
  const drawn: string[] = [];
  const { slack, post } = open({
    chooseFault: (method, args) => {
      drawn.push(`${method} ${args.text}`);
      return drawn.length === 1 ? { error: 'fatal_error' } : undefined;
    },
  });
  await expect(post()).rejects.toMatchObject({ data: { error: 'fatal_error' } });
  await post();
  slack.fail('chat.postMessage', { error: 'is_archived' });
  await expect(post()).rejects.toMatchObject({ data: { error: 'is_archived' } });
  expect(drawn).toEqual(['chat.postMessage hi', 'chat.postMessage hi']);
});

test('Socket Mode is not to be had, and other hosts are unknown', async () => {
  const { slack } = open();
  const client = new WebClient(slack.appToken, { slackApiUrl: slack.apiUrl, fetch: slack.fetch, logger: quiet });
  await expect(client.apps.connections.open({})).rejects.toMatchObject({ data: { error: 'internal_error' } });
  await expect(slack.fetch('https://example.com/')).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } });
  onTestFinished(() => expect(slack.socketCount).toBe(0));
});

test('people read what Slack shows them: a guest their own channels, an outsider those that are shared, nobody another’s', () => {
  const slack = createFakeSlack();
  const ann = slack.addPerson({ name: 'ann' });
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  const petra = slack.addPerson({ name: 'petra', isStranger: true, teamId: 'T0PARTNER01' });
  const ops = slack.addChannel({ name: 'ops', members: [ann] });
  ann.say(ops, 'hello');
  const read = () => [ann, gus, petra].map(person => person.sees(ops).length);
  expect(read()).toEqual([1, 0, 0]);
  for (const person of [gus, petra]) ann.invite(ops, person);
  expect(read()).toEqual([1, 1, 0]);
  ann.share(ops);
  expect(read()).toEqual([1, 1, 1]);
  ann.change({ deleted: true });
  expect(read()).toEqual([0, 1, 1]);
});
