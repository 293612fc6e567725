import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { openFolder } from './folder.ts';
import { type MusterProcess, spawnMuster } from './muster-process.ts';
import { openInstalledSlack } from './workplace.ts';

/** A `muster` process and all that it prints; killed when the test ends. */
export function runMuster(...given: Parameters<typeof spawnMuster>) {
  return watch(spawnMuster(...given));
}

/** A process and all that it prints; killed when the test ends. */
export function watch(child: MusterProcess) {
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => {
    printed.stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    printed.stderr += chunk;
  });
  return { child, printed, ended: once(child, 'close').then(([code]) => ({ code: Number(code), ...printed })) };
}

/** The first line of standard output that fits. */
export async function lineOf(child: MusterProcess, pattern: RegExp): Promise<string> {
  for await (const line of createInterface(child.stdout)) if (pattern.test(line)) return line;
  throw new Error(`The process ended without a line like ${pattern}`);
}

/** Settings for `muster start` against a fake Slack of its own. */
export async function openSettings() {
  const slack = await openInstalledSlack();
  const settings = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    DATABASE_URL: `sqlite:${join(await openFolder(), 'data', 'muster.db')}`,
    PORT: '0',
  };
  return { slack, settings };
}
