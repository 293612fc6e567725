import { WebClient } from '@slack/web-api';
import { onTestFinished, vi } from 'vitest';
import { createFakeSlack, type FakeSlackOptions } from '../../playground/fake-slack/fake-slack.ts';
import { createRateLimiter } from '../../src/bot/slack/rate-limiter.ts';
import { createWebFetch } from '../../src/bot/slack/web-fetch.ts';
import { deadlines } from '../../src/deadlines.ts';
import { quiet } from './fake-slack-app.ts';
import { openVirtualTime } from './virtual-time.ts';

/** The bot's clients in front of a fake Slack, in virtual time. */
export function openSlackLine(options: FakeSlackOptions = {}) {
  const time = openVirtualTime();
  const slack = createFakeSlack(options);
  vi.stubGlobal('fetch', slack.fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  const limiter = createRateLimiter();
  const observed: { method: string; outcome: string; ms: number }[] = [];
  const open = (queueTime: number, how: { retries?: number; timeout?: number } = {}) =>
    new WebClient(slack.botToken, {
      slackApiUrl: slack.apiUrl,
      logger: quiet,
      rejectRateLimitedCalls: true,
      maxRequestConcurrency: Number.POSITIVE_INFINITY,
      retryConfig: { retries: how.retries ?? 0, minTimeout: 200 },
      fetch: createWebFetch({
        observe: call => observed.push(call),
        timeout: how.timeout ?? deadlines.slack.call,
        deadlines,
        limits: { limiter, queueTime },
      }),
    });
  const ann = slack.addPerson({ name: 'ann' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true }).id;
  const dev = slack.addChannel({ name: 'dev', botIsMember: true }).id;
  const began = time.now();
  return {
    time,
    slack,
    ann,
    ops,
    dev,
    observed,
    open,
    close: time.close,
    web: open(60_000),
    once: open(10_000),
    quick: open(0),
    /** What was posted into a channel, each with the milliseconds since the beginning. */
    posted: (channel: string) =>
      slack
        .callsOf('chat.postMessage')
        .filter(call => call.args.channel === channel && call.response?.ok === true)
        .map(call => [call.args.text, call.at.getTime() - began]),
    /** When calls of a method came, refused ones too, in milliseconds since the beginning. */
    times: (method: string) => slack.callsOf(method).map(call => call.at.getTime() - began),
  };
}

/** How a call ended: what came of it, or the error's word and `Retry-After`. */
export function ending(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: { code?: string; retryAfter?: number; data?: { error: string }; message: string }) =>
      error.code === 'slack_webapi_rate_limited_error'
        ? `ratelimited, ${error.retryAfter} s`
        : (error.data?.error ?? error.message),
  );
}
