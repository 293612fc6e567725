import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from '../../support/folder.ts';
import { listeningSockets } from '../../support/listening-sockets.ts';
import { spawnMuster } from '../../support/muster-process.ts';
import { openPlaygroundClient } from '../../support/playground-client.ts';

/** Runs `muster demo` as a process, until the address is printed. `stop` ends it as Ctrl+C does, and resolves to its exit code. */
async function runDemo(folder: string, ...args: readonly string[]) {
  const demo = spawnMuster(['demo', '--port', '0', '--data', folder, ...args]);
  onTestFinished(() => void demo.kill('SIGKILL'));
  let printed = '';
  let url: string | undefined;
  for await (const line of createInterface(demo.stdout)) {
    printed += `${line}\n`;
    url ??= /http:\/\/localhost:\d+/.exec(line)?.[0];
    if (printed.includes('Ctrl+C')) break;
  }
  if (url === undefined) throw new Error(`The demo printed no address: ${printed}`);
  const stop = async () => {
    const ended = once(demo, 'exit');
    demo.kill('SIGINT');
    return (await ended)[0];
  };
  return { ...openPlaygroundClient(url), url, printed, pid: demo.pid ?? 0, stop };
}

test('a demo opens a page on this machine alone, keeps the workspace, and begins anew when asked', async () => {
  const folder = await openFolder();
  const first = await runDemo(folder);
  expect(first.printed).toContain('It listens on this machine only');
  const page = await fetch(first.url);
  expect(page.url).toBe(`${first.url}/?as=alice`);
  expect(await page.text()).toContain('<title>Muster playground</title>');
  const { channels } = await first.look();
  const checkout = channels.find(each => each.name === 'checkout')?.id ?? '';
  expect(await first.act({ do: 'say', channel: checkout, text: 'The cache is cold' })).toEqual({});
  expect(await first.stop()).toBe(0);

  const second = await runDemo(folder);
  expect(await second.read(checkout)).toEqual(['The cache is cold']);
  expect(await second.stop()).toBe(0);

  const third = await runDemo(folder, '--fresh');
  expect(await third.read(checkout)).toEqual([]);
  expect(await third.stop()).toBe(0);
});

test.runIf(process.platform === 'linux')(
  'each of its processes listens on this machine’s loopback address alone',
  async () => {
    const demo = await runDemo(await openFolder());
    const sockets = await listeningSockets(demo.pid);
    // The page, the fake Slack, the service, the proxies before service and bot, and the bot.
    expect(sockets).toHaveLength(6);
    expect(sockets.filter(each => !each.startsWith('127.0.0.1:'))).toEqual([]);
    expect(await demo.stop()).toBe(0);
  },
);
