import { once } from 'node:events';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { read, root } from '../../support/docs/files.ts';
import { openFolder } from '../../support/folder.ts';
import { listeningSockets } from '../../support/listening-sockets.ts';
import { patientDemo, spawnMuster } from '../../support/muster-process.ts';
import { openPlaygroundClient } from '../../support/playground-client.ts';
import { runMuster } from '../../support/run-muster.ts';

/**
 * Runs `npm run demo` as a process that works in a folder, until the address is printed. `stop` ends it as Ctrl+C does, and resolves to its
 * exit code and what it complained of.
 */
async function runDemo(folder: string, ...args: readonly string[]) {
  // With the flag of `npm run demo`: the page's sources lose their types by a function that Node calls experimental.
  const flags = ['--disable-warning=ExperimentalWarning'];
  const demo = spawnMuster(['--port', '0', ...args], {}, { cwd: folder, flags, program: patientDemo });
  onTestFinished(() => void demo.kill('SIGKILL'));
  let complaints = '';
  demo.stderr.on('data', chunk => {
    complaints += chunk;
  });
  let printed = '';
  let url: string | undefined;
  for await (const line of createInterface(demo.stdout)) {
    printed += `${line}\n`;
    url ??= /http:\/\/localhost:\d+/.exec(line)?.[0];
    if (printed.includes('Ctrl+C')) break;
  }
  if (url === undefined) throw new Error(`The demo printed no address: ${printed}${complaints}`);
  const stop = async () => {
    const ended = once(demo, 'close');
    demo.kill('SIGINT');
    const [code] = await ended;
    return { code, complaints };
  };
  return { ...openPlaygroundClient(url), url, printed, pid: demo.pid ?? 0, stop };
}

async function findDatabases(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter(each => each.endsWith('.db')).toSorted();
}

const well = { code: 0, complaints: '' };
/** What stands in #checkout from the beginning. */
const alarm = expect.stringContaining('Payments fail');

// It starts three demos, one after the other.
test('a demo opens a page, listens with each process on this machine alone, keeps the workspace, and begins anew when asked', async () => {
  const folder = await openFolder();
  const first = await runDemo(folder);
  expect(first.printed).toContain('It listens on this machine only');
  expect(first.printed).toContain(`keeps its state in ${join(folder, 'data/playground')}.`);
  if (process.platform === 'linux') {
    const sockets = await listeningSockets(first.pid);
    // The page, the fake Slack, the service, the proxies before service and bot, the pager, and the bot.
    expect(sockets).toHaveLength(7);
    expect(sockets.filter(each => !each.startsWith('127.0.0.1:'))).toEqual([]);
  }
  const page = await fetch(first.url);
  expect(page.url).toBe(`${first.url}/?as=alice`);
  expect(await page.text()).toContain('<title>Muster playground</title>');
  const { channels } = await first.look();
  const checkout = channels.find(each => each.name === 'checkout')?.id ?? '';
  expect(await first.act({ do: 'say', channel: checkout, text: 'The cache is cold' })).toEqual({});
  expect(await first.stop()).toEqual(well);

  const second = await runDemo(folder);
  expect(await second.read(checkout)).toEqual([alarm, 'The cache is cold']);
  expect(await second.stop()).toEqual(well);

  const third = await runDemo(folder, '--fresh');
  expect(await third.read(checkout)).toEqual([alarm]);
  expect(await third.stop()).toEqual(well);
  expect(await findDatabases(folder)).toEqual(['data/playground/bot.db', 'data/playground/service.db']);
});

test('a demo stores everything in the folder of --data, and its journal shows what the bot stored', async () => {
  const folder = await openFolder();
  const demo = await runDemo(folder, '--data', './elsewhere');
  const place = join(folder, 'elsewhere/playground');
  expect(demo.printed).toContain(`keeps its state in ${place}.`);
  const { channels } = await demo.look();
  const channel = channels.find(each => each.name === 'checkout')?.id ?? '';
  expect(await demo.act({ do: 'command', channel, line: '/incident declare Search is down --now' })).toEqual({});
  const kinds: string[] = [];
  const following = demo
    .follow(told => {
      if (told.kind === 'journal') kinds.push(...told.journal.intents.map(each => each.kind));
    })
    .catch(() => undefined);
  await expect.poll(() => kinds).toContainEqual(expect.stringContaining('declare'));
  expect(await demo.stop()).toEqual(well);
  await following;
  expect(await findDatabases(folder)).toEqual(['elsewhere/playground/bot.db', 'elsewhere/playground/service.db']);
});

test('where the packages of production alone are installed, the demo says what to install', async () => {
  const folder = await openFolder();
  for (const name of ['src', 'playground', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  for (const name of Object.keys(JSON.parse(read('package.json')).dependencies)) {
    await mkdir(join(folder, 'node_modules', dirname(name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const option of ['--fresh', '--play']) {
    const { ended } = runMuster([option], {}, { cwd: folder, program: join(folder, 'playground/main.ts') });
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Cannot find package '\w+'.*`npm ci`[^\n]*\n$/)]);
  }
});

test('a second demo says where the first one runs, and takes nothing from it; a taken port is said', async () => {
  const folder = await openFolder();
  const first = await runDemo(folder);
  const again = async (...args: readonly string[]) => {
    const { ended } = runMuster(args, {}, { cwd: folder, program: patientDemo });
    const { code, stdout, stderr } = await ended;
    return [code, stdout, stderr];
  };
  expect(await again()).toEqual([0, `The playground runs already: ${first.url}\n`, '']);
  expect(await again('--fresh')).toEqual([1, '', expect.stringContaining(`runs already: ${first.url}. Stop it`)]);
  expect(await findDatabases(folder)).toEqual(['data/playground/bot.db', 'data/playground/service.db']);
  const { port } = new URL(first.url);
  const beside = await runDemo(folder, '--data', './elsewhere', '--port', port);
  expect(beside.url).not.toBe(first.url);
  expect(beside.printed).toContain(`Port ${port} is taken, so it has another one.`);
  expect(await beside.stop()).toEqual(well);
  expect(await first.stop()).toEqual(well);
});
