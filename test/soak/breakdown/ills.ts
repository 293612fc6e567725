import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openCut } from '../../support/cut.ts';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import type { Status } from './status.ts';

/** The gauge at which an alert rule looks (`deploy/prometheus/alerts.yml`), and the words of `/readyz`, by the ill. */
const signs = {
  database: { gauge: 'muster_database_up', words: /database/i },
  disk: { gauge: 'muster_database_up', words: /disk/i },
  token: { gauge: 'muster_slack_connected', words: /install the app again/i },
  slack: { gauge: 'muster_slack_connected', words: /Slack/ },
} as const;
/** An ill that Muster lives through. */
export type IllName = keyof typeof signs;
/** The ills that Muster lives through. */
export const ills = Object.keys(signs) as readonly IllName[];

/** Whether a process tells of an ill: it is not ready, says why, and the gauge has fallen. */
export function tells(name: IllName, { isReady, problems, gauges }: Status): boolean {
  const { gauge, words } = signs[name];
  return !isReady && problems.some(each => words.test(each)) && gauges.get(gauge) === 0;
}

/** The bot's database. */
interface DatabaseIll {
  /** The address under which the bot knows it. */
  readonly url: string;
  /** The address under which it is always there. */
  readonly beyond: string;
  readonly break: () => Promise<void>;
  readonly cure: () => Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** Opens a database that can be taken away, or whose disk can be filled. */
export async function openDatabaseIll(
  name: IllName,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<DatabaseIll> {
  if (name === 'database') {
    const beyond = stack.use(await startPostgres()).url('postgres');
    const cut = stack.use(await openCut(Number(new URL(beyond).port)));
    const url = beyond.replace(/:\d+\//, `:${cut.port}/`);
    return { url, beyond, break: () => cut.cut(), cure: () => cut.fix() };
  }
  const home = join(folder, 'bot');
  await mkdir(home);
  const url = `sqlite:${join(home, 'bot.db')}`;
  if (name !== 'disk') return { url, beyond: url, break: nothing, cure: nothing };
  await mountSmallDisk(home, stack);
  const filler = join(home, 'filler');
  return { url, beyond: url, break: () => fill(filler), cure: () => rm(filler) };
}

const run = promisify(execFile);

/** Whether this process may mount a small disk. */
export function canMount(): boolean {
  const at = mkdtempSync(join(tmpdir(), 'muster-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at], { stdio: 'ignore' });
    execFileSync('umount', [at], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(at);
  }
}

/** Mounts a small disk on a folder, until the stack is disposed: see {@link canMount}. */
export async function mountSmallDisk(at: string, stack: AsyncDisposableStack, size = '16m'): Promise<void> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at]);
  stack.defer(async () => {
    await run('umount', ['--lazy', at]);
  });
}

/** Writes a file until its disk is full. */
export async function fill(path: string): Promise<void> {
  await using file = await open(path, 'w');
  const block = Buffer.alloc(4096);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
