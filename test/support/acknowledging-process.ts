import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FakeSlack } from '../../playground/fake-slack/fake-slack.ts';
import { freePort } from './free-port.ts';
import { eventsPath, type Place, type SignedRequest, signedHelp } from './signed-command.ts';

/** A process that acknowledges `/muster help`: Muster, or what it is measured against. Disposing ends it. */
export interface AcknowledgingProcess extends AsyncDisposable {
  readonly pid: number;
  /** Where it takes Slack's requests. */
  readonly origin: string;
  /** From spawn until its first acknowledgement, in milliseconds. */
  readonly startMs: number;
  /** That acknowledgement. */
  readonly answer: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Starts Muster as its image does (Dockerfile: NODE_COMPILE_CACHE), logging to a file, on the database in `folder`; `more`
 * are further settings. `where` is where its first command is typed.
 */
export function startMuster(
  slack: FakeSlack,
  folder: string,
  more: Readonly<Record<string, string>> = {},
  where?: Place,
): Promise<AcknowledgingProcess> {
  const settings = {
    DATABASE_URL: `sqlite:${join(folder, 'muster.db')}`,
    LOG_LEVEL: 'info',
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ...more,
  };
  return startProgram(slack, [join(root, 'src/main.ts'), 'start'], join(folder, 'muster.log'), settings, where);
}

/**
 * Starts a program of Node with these arguments, Slack's settings and `settings`, on a free port. It runs in the folder of its log.
 * `where` is where its first command is typed. Throws with the log when the program ends before it answers, or does not answer in 30 s.
 */
export async function startProgram(
  slack: FakeSlack,
  args: readonly string[],
  logFile: string,
  settings: Readonly<Record<string, string>>,
  where?: Place,
): Promise<AcknowledgingProcess> {
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

/** Asks again and again until the process answers. */
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
