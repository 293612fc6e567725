import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FakeSlack } from '../../src/fake-slack/fake-slack.ts';
import { freePort } from '../support/free-port.ts';
import { signAsSlack } from '../support/slack-signature.ts';

/** A process that acknowledges `/muster help`: Muster, or the bare Bolt app. Disposing ends it. */
export interface Contender extends AsyncDisposable {
  readonly pid: number;
  /** Where it takes Slack's requests. */
  readonly origin: string;
  /** From spawn until its first acknowledgement, in milliseconds. */
  readonly startMs: number;
  /** That acknowledgement. */
  readonly answer: string;
}

/** A request as Slack sends it, signed. */
export interface SignedRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Where commands are received, for both. */
export const eventsPath = '/slack/events';

const root = fileURLToPath(new URL('../../', import.meta.url));
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

/**
 * Starts Muster as its image does (Dockerfile: NODE_COMPILE_CACHE), logging to a file, on the database in `folder`; `more`
 * are further settings. `where` is where its first command is typed.
 */
export function startMuster(
  slack: FakeSlack,
  folder: string,
  more: Readonly<Record<string, string>> = {},
  where?: Place,
): Promise<Contender> {
  const settings = {
    DATABASE_URL: `sqlite:${join(folder, 'muster.db')}`,
    LOG_LEVEL: 'info',
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ...more,
  };
  return start(slack, [join(root, 'src/main.ts'), 'start'], join(folder, 'muster.log'), settings, where);
}

/** Starts the bare Bolt app, which acknowledges with `answer`; `more` are further settings. */
export function startBareBolt(
  slack: FakeSlack,
  folder: string,
  answer: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Contender> {
  return start(slack, [join(root, 'test/bench/bare-bolt.ts')], join(folder, 'bare.log'), { ANSWER: answer, ...more });
}

async function start(
  slack: FakeSlack,
  args: readonly string[],
  logFile: string,
  settings: Readonly<Record<string, string>>,
  where?: Place,
): Promise<Contender> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const output = openSync(logFile, 'w');
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    // Not where a developer may have a `.env`.
    cwd: dirname(logFile),
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env.PATH,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      SLACK_API_URL: slack.apiUrl,
      PORT: String(port),
      ...settings,
    },
  });
  closeSync(output);
  try {
    const answer = await firstAnswer(child, () => signedHelp(slack, where), origin, logFile);
    return {
      pid: child.pid ?? 0,
      origin,
      startMs: performance.now() - began,
      answer,
      [Symbol.asyncDispose]: () => end(child),
    };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** Asks again and again until the process answers. Throws with what it printed when it ends first, or after 30 s. */
async function firstAnswer(
  child: ChildProcess,
  ask: () => SignedRequest,
  origin: string,
  logFile: string,
): Promise<string> {
  const latest = performance.now() + 30_000;
  while (child.exitCode === null && performance.now() < latest) {
    try {
      const response = await fetch(`${origin}${eventsPath}`, { method: 'POST', ...ask() });
      const text = await response.text();
      if (response.status === 200) return text;
      // It listens and is not ready yet.
      if (response.status !== 503) throw new Error(`It answered ${response.status}: ${text}`);
      await pause(2);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      await pause(2);
    }
  }
  throw new Error(`${child.spawnargs.join(' ')} did not start:\n${readFileSync(logFile, 'utf8')}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
