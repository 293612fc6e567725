import { pino } from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { SlackWatch, toStanding } from '../../../../src/bot/slack/slack-watch.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-24T09:00:00Z') }));
afterEach(() => void vi.useRealTimers());

/** A watch whose questions Slack answers with `slack.answer`. */
function openWatch() {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: line => void lines.push(JSON.parse(line)) });
  const watch = new SlackWatch({ clock: () => new Date(), log });
  onTestFinished(() => watch.stop());
  const slack = { answer: 'ok', asked: 0 };
  const onRestored = vi.fn();
  const start = () =>
    watch.start({
      ask: async () => {
        slack.asked += 1;
        watch.heard('auth.test', slack.answer);
      },
      onRestored,
    });
  const standing = () => toStanding(watch, { lostSince: () => undefined, refusal: () => '' });
  return { watch, slack, start, standing, onRestored, messages: () => lines.map(each => each.msg) };
}

test.each(['unreachable', 'http_503'])(
  'in a quiet time it is known after a minute that Slack is away (%s)',
  async outcome => {
    const { watch, slack, start, standing, messages } = openWatch();
    start();
    slack.answer = outcome;
    await vi.advanceTimersByTimeAsync(61_000);
    expect(standing()).toMatchObject({
      isAnswering: false,
      isConnected: true,
      since: new Date('2026-11-24T09:01:00Z'),
    });
    await vi.advanceTimersByTimeAsync(600_000);
    watch.heard('chat.update', 'ok');
    expect(standing().isAnswering).toBe(false);
    expect(messages()).toEqual(['slack: does not answer, so Muster keeps what is to be done in Slack']);
    slack.answer = 'ok';
    await vi.advanceTimersByTimeAsync(5000);
    expect(standing()).toEqual({
      isConnected: true,
      isAnswering: true,
      refusal: '',
      untaken: undefined,
      since: undefined,
    });
    expect(messages().slice(1)).toEqual(['slack: answers again']);
  },
);

test('calls that fail while others are answered do not make Slack away', async () => {
  const { watch, slack, start, standing, messages } = openWatch();
  start();
  for (const _ of [1, 2, 3]) watch.heard('chat.postMessage', 'unreachable');
  await vi.advanceTimersByTimeAsync(1000);
  expect(slack.asked).toBe(1);
  watch.heard('users.info', 'unreachable');
  watch.heard('chat.postMessage', 'channel_not_found');
  await vi.advanceTimersByTimeAsync(30_000);
  expect([standing().isAnswering, messages()]).toEqual([true, []]);
});

test.each(['http_503', 'http_429', 'ratelimited', 'unreachable', 'internal_error'])(
  'Slack that fails nearly every message of the last minute (%s) and answers all else takes none',
  async outcome => {
    const { watch, start, standing } = openWatch();
    start();
    watch.heard('chat.postMessage', 'ok');
    await vi.advanceTimersByTimeAsync(30_000);
    for (let n = 0; n < 4; n += 1) watch.heard(n % 2 === 0 ? 'chat.update' : 'response_url', outcome);
    watch.heard('users.info', 'ok');
    // One in five was taken.
    expect(standing()).toMatchObject({ untaken: undefined, since: undefined });
    const since = new Date();
    await vi.advanceTimersByTimeAsync(10_000);
    watch.heard('chat.postMessage', outcome);
    expect(standing()).toMatchObject({ isConnected: true, isAnswering: true, untaken: { failed: 5, of: 6 }, since });
    await vi.advanceTimersByTimeAsync(25_000);
    expect(standing()).toMatchObject({ untaken: { failed: 5, of: 5 } });
    watch.heard('chat.postMessage', 'ok');
    expect(standing()).toMatchObject({ untaken: undefined });
  },
);

test('messages that Slack refuses for their place, and two that fail, are no sign that it takes none', () => {
  const { watch, start, standing } = openWatch();
  start();
  for (let n = 0; n < 50; n += 1) watch.heard('chat.postMessage', 'is_archived');
  for (let n = 0; n < 9; n += 1) watch.heard('response_url', 'http_404');
  expect(standing().untaken).toBeUndefined();
  const { watch: other, standing: stands } = openWatch();
  for (let n = 0; n < 2; n += 1) other.heard('chat.postMessage', 'http_503');
  expect(stands().untaken).toBeUndefined();
});

test('while a bot starts, nothing is told: the start tells it', () => {
  const { watch, standing, messages } = openWatch();
  watch.heard('auth.test', 'unreachable');
  watch.heard('auth.test', 'unreachable');
  watch.heard('auth.test', 'invalid_auth');
  expect(messages()).toEqual([]);
  expect(standing()).toMatchObject({ isAnswering: true, isConnected: false, refusal: 'invalid_auth' });
});

test('a token that Slack refuses between the first answer and the start is told once', async () => {
  const { watch, slack, start, standing, onRestored, messages } = openWatch();
  watch.heard('conversations.info', 'token_revoked');
  slack.answer = 'token_revoked';
  start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(messages()).toEqual([expect.stringContaining('slack: refuses the bot token')]);
  expect(standing().since).toEqual(new Date('2026-11-24T09:00:00Z'));
  slack.answer = 'ok';
  await vi.advanceTimersByTimeAsync(15_000);
  expect(messages().slice(1)).toEqual(['slack: takes the bot token again']);
  expect(standing().since).toBeUndefined();
  expect(onRestored).toHaveBeenCalledOnce();
});

/** Seconds between calls that Slack answers, and how often the watch may ask as well within an hour. */
const hours: readonly (readonly [between: number, most: number])[] = [
  [1, 0],
  [7, 0],
  [20, 0],
  [45, 0],
  [59, 0],
  [61, 59],
  [90, 40],
  [300, 60],
  [3600, 60],
];

test.each(hours)('an hour with a call every %i s needs at most %i questions', async (between, most) => {
  const { watch, slack, start } = openWatch();
  start();
  for (let second = 1; second <= 3600; second += 1) {
    await vi.advanceTimersByTimeAsync(1000);
    if (second % between === 0) watch.heard('chat.update', 'ok');
  }
  expect(slack.asked).toBeLessThanOrEqual(most);
});

test.each(['token_revoked', 'invalid_auth', 'account_inactive', 'token_expired', 'not_authed'])(
  'in a quiet time it is known after a minute that the token is dead (%s), and it is asked for rarely then',
  async word => {
    const { slack, start, standing } = openWatch();
    start();
    slack.answer = word;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(standing()).toMatchObject({ isConnected: false, refusal: word });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(slack.asked).toBeLessThanOrEqual(1 + 240);
  },
);

test('a call that is missed is asked about, however many others are answered', async () => {
  const { watch, slack, start, standing } = openWatch();
  start();
  slack.answer = 'unreachable';
  for (const method of ['chat.postMessage', 'conversations.create', 'chat.postMessage']) {
    watch.heard(method, 'unreachable');
    watch.heard('users.conversations', 'ok');
    watch.heard('users.info', 'ok');
    await vi.advanceTimersByTimeAsync(2500);
  }
  expect(standing().isAnswering).toBe(false);
});
