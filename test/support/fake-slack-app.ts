import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { type FakeSlackOptions, openFakeSlack } from '../../playground/fake-slack/fake-slack.ts';
import { patientSlack } from './deadlines.ts';

/** A bare Bolt app on a fake Slack with two people, Ann and Bob, in #ops, where the bot is a member. */
export async function openBoltApp(options: FakeSlackOptions = {}) {
  const slack = await openFakeSlack({ deadlines: patientSlack, ...options });
  const receiver = new HTTPReceiver({ signingSecret: slack.signingSecret, logger: quiet });
  const app = new App({
    token: slack.botToken,
    receiver,
    botId: slack.botId,
    botUserId: slack.botUserId,
    logger: quiet,
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } },
  });
  const server = (await app.start({ port: 0, host: '127.0.0.1' })) as Server;
  slack.connectApp(`http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`);
  const ann = slack.addPerson({ name: 'ann', realName: 'Ann Example', email: 'ann@example.com' });
  const bob = slack.addPerson({ name: 'bob' });
  const ops = slack.addChannel({ name: 'ops', botIsMember: true });
  return {
    slack,
    app,
    ann,
    bob,
    ops,
    async [Symbol.asyncDispose]() {
      await slack[Symbol.asyncDispose]();
      await app.stop();
    },
  };
}

/** A logger that keeps expected failures out of the test's output. */
export const quiet = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

/** A view text: plain and short. */
export function plain(text: string): { type: 'plain_text'; text: string } {
  return { type: 'plain_text', text };
}
