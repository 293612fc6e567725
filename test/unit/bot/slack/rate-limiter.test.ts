import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ending, openSlackLine } from '../../../support/slack-line.ts';

test('five posts go at once, then one a second, in order; other channels do not wait', async () => {
  const { time, web, ops, dev, posted } = openSlackLine();
  for (let count = 1; count <= 8; count += 1) void web.chat.postMessage({ channel: ops, text: `${count}` });
  await time.advance(0);
  void web.chat.postMessage({ channel: dev, text: 'elsewhere' });
  await time.advance(2999);
  expect(posted(ops)).toEqual([
    ['1', 0],
    ['2', 0],
    ['3', 0],
    ['4', 0],
    ['5', 0],
    ['6', 1000],
    ['7', 2000],
  ]);
  expect(posted(dev)).toEqual([['elsewhere', 0]]);
  await time.advance(1);
  expect(posted(ops).at(-1)).toEqual(['8', 3000]);

  await time.advance(10_000);
  for (let count = 9; count <= 13; count += 1) void web.chat.postMessage({ channel: ops, text: `${count}` });
  await time.advance(0);
  expect(
    posted(ops)
      .slice(8)
      .map(([, at]) => at),
  ).toEqual([13_000, 13_000, 13_000, 13_000, 13_000]);
});

test('a limit holds its method back as long as Slack says, and nothing else', async () => {
  const { time, slack, web, ops, dev, times } = openSlackLine();
  const { ts = '' } = await web.chat.postMessage({ channel: ops, text: 'card' });
  slack.fail('chat.update', { rateLimited: 20 });
  const first = web.chat.update({ channel: ops, ts, text: 'first' });
  await time.advance(1000);
  const second = web.chat.update({ channel: ops, ts, text: 'second' });
  await web.chat.postMessage({ channel: ops, text: 'a line' });
  await web.conversations.info({ channel: dev });
  expect(times('chat.postMessage').at(-1)).toBe(1000);

  await time.advance(18_999);
  expect(times('chat.update')).toEqual([0]);
  await time.advance(1);
  await Promise.all([first, second]);
  expect(times('chat.update')).toEqual([0, 20_000, 20_000]);
  expect(
    slack
      .callsOf('chat.update')
      .slice(1)
      .map(call => call.args.text),
  ).toEqual(['first', 'second']);
  expect(slack.channel(ops).messages.find(message => message.ts === ts)?.text).toBe('second');
});

test('a limited post holds its channel back alone, and after it the channel is paced', async () => {
  const { time, slack, web, ops, dev, posted } = openSlackLine();
  slack.fail('chat.postMessage', { rateLimited: 5 });
  for (let count = 1; count <= 3; count += 1) void web.chat.postMessage({ channel: ops, text: `${count}` });
  void web.chat.postMessage({ channel: dev, text: 'elsewhere' });
  await time.advance(7000);
  expect(posted(dev)).toEqual([['elsewhere', 0]]);
  expect(posted(ops)).toEqual([
    ['1', 5000],
    ['2', 6000],
    ['3', 7000],
  ]);
});

test('however many channels there are, none is forgotten while it is paced', async () => {
  const { time, web, ops, posted } = openSlackLine();
  for (let count = 1; count <= 5; count += 1) void web.chat.postMessage({ channel: ops, text: `${count}` });
  await time.advance(250);
  for (let count = 0; count < 600; count += 1) void ending(web.chat.postMessage({ channel: `C${count}`, text: 'x' }));
  await time.advance(250);
  void web.chat.postMessage({ channel: ops, text: '6' });
  await time.advance(499);
  expect(posted(ops)).toHaveLength(5);
  await time.advance(1);
  expect(posted(ops).at(-1)).toEqual(['6', 1000]);
});

test('forms never wait, and a limit on them is said at once', async () => {
  const { time, slack, ann, web, ops, times } = openSlackLine();
  slack.fail('chat.postMessage', { rateLimited: 30 });
  for (let count = 0; count < 20; count += 1) void web.chat.postMessage({ channel: ops, text: 'busy' });
  slack.fail('views.publish', { rateLimited: 30 });
  slack.fail('views.publish', { rateLimited: 'no-header' });
  const view = { type: 'home' as const, blocks: [] };
  const publish = () => ending(web.views.publish({ user_id: ann.id, view }));
  expect(await Promise.all([publish(), publish(), publish(), publish()])).toEqual([
    'ratelimited, 30 s',
    'ratelimited, 1 s',
    'done',
    'done',
  ]);
  expect(times('views.publish')).toEqual([0, 0, 0, 0]);
  await time.advance(60_000);
});

test('a call that would wait longer than its queueTime fails at once, as Slack’s client has it', async () => {
  const { time, slack, web, once, quick, ops, times } = openSlackLine();
  slack.fail('conversations.setTopic', { rateLimited: 30 });
  const patient = web.conversations.setTopic({ channel: ops, topic: 'patient' });
  await time.advance(0);
  expect(await ending(once.conversations.setTopic({ channel: ops, topic: 'once' }))).toBe('ratelimited, 30 s');
  expect(await ending(quick.conversations.setTopic({ channel: ops, topic: 'quick' }))).toBe('ratelimited, 30 s');
  await time.advance(21_000);
  const late = once.conversations.setTopic({ channel: ops, topic: 'late' });
  await time.advance(9000);
  await Promise.all([patient, late]);
  expect(times('conversations.setTopic')).toEqual([0, 30_000, 30_000]);
  expect(slack.channel(ops).topic).toBe('late');
});

test('one whose own refusal outlasts its queueTime fails at once, and those who wait are told as soon as it is known', async () => {
  const { time, slack, web, once, ops, times } = openSlackLine();
  slack.fail('chat.postMessage', { rateLimited: 30 });
  expect(await ending(once.chat.postMessage({ channel: ops, text: 'now' }))).toBe('ratelimited, 30 s');
  for (let count = 0; count < 31; count += 1) void ending(web.chat.postMessage({ channel: ops, text: 'more' }));
  expect(await ending(web.chat.postMessage({ channel: ops, text: 'too many' }))).toBe('ratelimited, 61 s');
  expect(times('chat.postMessage')).toHaveLength(1);
  await time.advance(60_000);
  expect(times('chat.postMessage')).toHaveLength(32);

  slack.fail('chat.postMessage', { rateLimited: 30 });
  const both = ['first', 'second'].map(text => ending(once.chat.postMessage({ channel: ops, text })));
  await time.advance(1000);
  expect(await Promise.all(both)).toEqual(['ratelimited, 30 s', 'ratelimited, 30 s']);
});

test('a call that nobody may keep waiting passes those that wait', async () => {
  const { time, slack, web, quick, ops, dev } = openSlackLine();
  slack.fail('conversations.invite', { delayMs: 5000 });
  void ending(web.conversations.invite({ channel: ops, users: 'U404' }));
  void ending(web.conversations.invite({ channel: ops, users: 'U405' }));
  await time.advance(0);
  expect(await ending(quick.conversations.invite({ channel: ops, users: 'U406' }))).toBe('user_not_found');
  expect(await ending(quick.conversations.info({ channel: dev }))).toBe('done');
  expect(slack.callsOf('conversations.invite').map(call => call.args.users)).toEqual(['U406']);
  await time.advance(5000);
  expect(slack.callsOf('conversations.invite').map(call => call.args.users)).toEqual(['U406', 'U404', 'U405']);
});

test.each([{ rateLimited: 'no-header' }, { error: 'ratelimited' }, { error: 'rate_limited' }] as const)(
  'a refusal that does not say how long is tried after 1, 2 and 4 seconds: %j',
  async fault => {
    const { time, slack, web, ops, dev, times } = openSlackLine();
    slack.fail('conversations.setTopic', fault, { times: 3 });
    const set = web.conversations.setTopic({ channel: ops, topic: 'one' });
    await time.advance(7000);
    await set;
    expect(times('conversations.setTopic')).toEqual([0, 1000, 3000, 7000]);
    slack.fail('conversations.setTopic', fault);
    const again = web.conversations.setTopic({ channel: dev, topic: 'two' });
    await time.advance(1000);
    await again;
    expect(times('conversations.setTopic').slice(4)).toEqual([7000, 8000]);
  },
);

test('after a limit one call goes alone to find out whether it is over', async () => {
  const { time, slack, web, times } = openSlackLine();
  const ask = (user: string) => ending(web.users.info({ user }));
  slack.fail('users.info', { rateLimited: 2 });
  slack.fail('users.info', { delayMs: 500 }, { times: 2 });
  const calls = ['U1', 'U2'].map(ask);
  await time.advance(100);
  calls.push(...['U3', 'U4'].map(ask));
  await time.advance(2399);
  // The second was under way before the limit, so that its answer says nothing of it; the first asks again.
  expect(times('users.info')).toEqual([0, 500]);
  await time.advance(1);
  expect(await Promise.all(calls)).toEqual(Array(4).fill('user_not_found'));
  expect(slack.callsOf('users.info').map(call => call.args.user)).toEqual(['U1', 'U2', 'U1', 'U3', 'U4']);
  expect(times('users.info').slice(2)).toEqual([2500, 2500, 2500]);
});

test('changes of one channel by one method go one after the other; reads and other channels do not', async () => {
  const { time, slack, web, ops, dev, times } = openSlackLine();
  const { ts = '' } = await web.chat.postMessage({ channel: ops, text: 'card' });
  slack.fail('chat.update', { delayMs: 3000 });
  slack.fail('conversations.info', { delayMs: 3000 });
  const first = web.chat.update({ channel: ops, ts, text: 'old' });
  const second = web.chat.update({ channel: ops, ts, text: 'new' });
  const elsewhere = ending(web.chat.update({ channel: dev, ts: '1.000000', text: 'x' }));
  void web.conversations.info({ channel: ops });
  void web.conversations.info({ channel: ops });
  await time.advance(0);
  expect(await elsewhere).toBe('message_not_found');
  expect(times('conversations.info')).toEqual([0]);
  await time.advance(3000);
  await Promise.all([first, second]);
  expect(slack.channel(ops).messages[0]?.text).toBe('new');
  expect(times('chat.update')).toEqual([0, 3000, 3000]);
});

test('the time limit of an attempt begins when it goes, and those behind it go on', async () => {
  const { time, slack, once, ops, posted } = openSlackLine();
  slack.fail('chat.postMessage', { rateLimited: 9 });
  slack.fail('chat.postMessage', { stall: true });
  const stalled = ending(once.chat.postMessage({ channel: ops, text: 'stalls' }));
  await time.advance(8500);
  const next = once.chat.postMessage({ channel: ops, text: 'next' });
  await time.advance(8499);
  expect(posted(ops)).toEqual([]);
  await time.advance(1);
  expect(await stalled).toContain('Slack did not answer within 8000 ms');
  await next;
  expect(posted(ops)).toEqual([['next', 17_000]]);
});

test('a call behind a slow one fails when its queueTime ends', async () => {
  const { time, slack, web, open, ops } = openSlackLine();
  slack.fail('chat.postMessage', { delayMs: 7000 });
  void web.chat.postMessage({ channel: ops, text: 'slow' });
  const behind = ending(open(3000).chat.postMessage({ channel: ops, text: 'behind' }));
  await time.advance(3001);
  expect(await behind).toMatch(/^ratelimited/);
  await time.advance(10_000);
  expect(slack.channel(ops).messages.map(message => message.text)).toEqual(['slow']);
});

test('Slack’s client still tries again what broke, in its own time', async () => {
  const { time, slack, open, ops, times } = openSlackLine();
  slack.fail('conversations.setTopic', { dropBefore: true });
  slack.fail('conversations.setTopic', { status: 500, body: 'kaput' });
  const set = open(60_000, { retries: 3 }).conversations.setTopic({ channel: ops, topic: 'held' });
  await time.advance(5000);
  await set;
  expect(times('conversations.setTopic')).toHaveLength(3);
  expect(slack.channel(ops).topic).toBe('held');
});

test('every attempt is observed, and so is a call that was never made', async () => {
  const { time, slack, web, quick, ops, observed } = openSlackLine();
  slack.fail('pins.add', { rateLimited: 4 });
  const pinned = ending(web.pins.add({ channel: ops, timestamp: '1.000000' }));
  await time.advance(0);
  await ending(quick.pins.add({ channel: ops, timestamp: '2.000000' }));
  await time.advance(4000);
  expect(await pinned).toBe('message_not_found');
  expect(observed.map(({ method, outcome, ms }) => [method, outcome, Math.round(ms)])).toEqual([
    ['pins.add', 'http_429', 0],
    ['pins.add', 'ratelimited', 0],
    ['pins.add', 'message_not_found', 0],
  ]);
});

test('whatever Slack refuses for its rate, every patient post arrives once and in order', async () => {
  const post = fc.record({ channel: fc.constantFrom(0, 1), after: fc.integer({ min: 0, max: 3000 }) });
  const refusal = fc.option(fc.integer({ min: 1, max: 6 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(post, { maxLength: 12 }),
      fc.array(refusal, { maxLength: 6 }),
      async (posts, refusals) => {
        const line = openSlackLine({ chooseFault: () => toFault(refusals.shift()) });
        const { time, web, ops, dev, posted } = line;
        const channels = [ops, dev];
        const ends: Promise<string>[] = [];
        for (const [number, { channel, after }] of posts.entries()) {
          await time.advance(after);
          ends.push(ending(web.chat.postMessage({ channel: channels[channel] ?? ops, text: String(number) })));
        }
        await time.advance(60_000);
        expect(await Promise.all(ends)).toEqual(posts.map(() => 'done'));
        for (const [index, channel] of channels.entries()) {
          const wanted = [...posts.entries()]
            .filter(([, each]) => each.channel === index)
            .map(([number]) => `${number}`);
          expect(posted(channel).map(([text]) => text)).toEqual(wanted);
        }
        line.close();
      },
    ),
    { numRuns: 60 },
  );
});

function toFault(seconds: number | null | undefined) {
  return typeof seconds === 'number' ? { rateLimited: seconds } : undefined;
}
