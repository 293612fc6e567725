import type { FakeSlack } from '../../playground/fake-slack/fake-slack.ts';
import { signAsSlack } from './slack-signature.ts';

/** A request as Slack sends it, signed. */
export interface SignedRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The path at which an app of Bolt takes commands. */
export const eventsPath = '/slack/events';

let serial = 0;

/** A command that a person types. */
export interface TypedCommand {
  /** With its slash. */
  readonly command: string;
  readonly text: string;
  readonly channelId: string;
  readonly userId: string;
  readonly responseUrl: string;
}

/** What of an app its signed requests are made from. */
export type SigningApp = Pick<FakeSlack, 'apiUrl' | 'appId' | 'signingSecret' | 'teamId'>;

/** Where a command is typed, and by whom. */
export type Place = Pick<TypedCommand, 'channelId' | 'userId'>;

/** Slack knows neither this channel nor this person, so nothing can be told there later. */
const nowhere: Place = { channelId: 'C0BENCH0001', userId: 'U0BENCH0001' };

/** A signed `/muster help`, unlike any other one: a replay would be refused. */
export function signedHelp(slack: SigningApp, where: Place = nowhere): SignedRequest {
  const responseUrl = `${new URL(slack.apiUrl).origin}/respond/${serial}`;
  return signed(slack, { command: '/muster', text: 'help', ...where, responseUrl });
}

/** A signed command, unlike any other one. */
export function signed(
  slack: SigningApp,
  { command, text, channelId, userId, responseUrl }: TypedCommand,
): SignedRequest {
  serial += 1;
  const body = new URLSearchParams({
    token: 'verification-token',
    team_id: slack.teamId,
    team_domain: 'bench',
    channel_id: channelId,
    channel_name: 'ops',
    user_id: userId,
    user_name: 'ada',
    command,
    text,
    api_app_id: slack.appId,
    is_enterprise_install: 'false',
    response_url: responseUrl,
    trigger_id: `${process.pid}.${serial}.d3adb33f`,
  }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signAsSlack(slack.signingSecret, timestamp, body),
    },
    body,
  };
}
