import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deadlines } from '../../deadlines.ts';
import { type Reach, reachOf } from './reach.ts';
import { watchSources } from './watch-sources.ts';
import type { HostOptions, Order, Report } from './watched-host.ts';

const sources = fileURLToPath(new URL('../../', import.meta.url));
const host = fileURLToPath(new URL('watched-host.ts', import.meta.url));
const main = fileURLToPath(new URL('../../main.ts', import.meta.url));

/** What each change leads to, in words. */
const consequences: Readonly<Record<Reach, string>> = {
  page: 'reload the page to see it.',
  bot: 'the bot starts again.',
  playground: 'the playground starts again, and keeps its workspace. Reload the page when it uses that file too.',
  command: 'stop this command and start it again to see it.',
};

/** A playground that starts again when its sources change. Disposing stops it. */
export interface Supervisor extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
}

/**
 * Starts a playground in a process of its own, and again at its address when a change of the sources reaches it. A change of the
 * bot alone starts only the bot again. `note` hears what happens, one sentence each. Rejects when the first start fails.
 */
export async function supervisePlayground(options: HostOptions, note: (sentence: string) => void): Promise<Supervisor> {
  let child: ChildProcess | undefined;
  let manifest = await readManifest();
  let next = options;

  async function start(): Promise<Report> {
    const started = fork(host, [JSON.stringify(next)], { execArgv: [...process.execArgv] });
    child = started;
    const ready = Promise.withResolvers<Report>();
    started.once('message', (report: Report) => ready.resolve(report));
    let isReady = false;
    started.once('exit', (code, signal) => {
      const isStopped = child !== started;
      if (!isStopped) child = undefined;
      const sentence = `The playground ended (${signal ?? `exit code ${code}`}). The next change of a source starts it again.`;
      if (isReady && !isStopped) note(sentence);
      ready.reject(new Error(sentence));
    });
    const report = await ready.promise;
    isReady = true;
    next = { ...options, isFresh: false, port: Number(new URL(report.url).port) };
    return report;
  }

  async function stop(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const exited = once(ending, 'exit');
    ending.send('stop' satisfies Order);
    const timer = setTimeout(() => ending.kill('SIGKILL'), deadlines.playground.watchStop);
    await exited;
    clearTimeout(timer);
  }

  async function restart(): Promise<void> {
    await stop();
    await start();
  }

  /** One change at a time. */
  let work: Promise<unknown> = Promise.resolve();
  const take = (paths: readonly string[]): void => {
    work = work.then(() => heed(paths)).catch((error: Error) => note(error.message));
  };

  async function heed(paths: readonly string[]): Promise<void> {
    const reach = await findReach(paths);
    const [first, ...others] = paths;
    const what = `src/${first}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    note(`${what} changed: ${consequences[reach]}`);
    if (reach === 'playground') await restart();
    else if (reach === 'bot') child?.send('restart bot' satisfies Order);
  }

  /** A playground that is not there is started by every change. Its page knows the commands from the manifest. */
  async function findReach(paths: readonly string[]): Promise<Reach> {
    const reach = child === undefined ? 'playground' : reachOf(paths);
    if (reach !== 'bot') return reach;
    const before = manifest;
    manifest = (await readManifest()) || before;
    return manifest === before ? reach : 'playground';
  }

  const { url, folder } = await start();
  const watcher = watchSources(sources, take);
  return {
    url,
    folder,
    [Symbol.asyncDispose]: async () => {
      watcher[Symbol.dispose]();
      await work;
      await stop();
    },
  };
}

/** The manifest that the sources make; `''` when they are broken. */
async function readManifest(): Promise<string> {
  return promisify(execFile)(process.execPath, [...process.execArgv, main, 'manifest']).then(
    ({ stdout }) => stdout,
    () => '',
  );
}
