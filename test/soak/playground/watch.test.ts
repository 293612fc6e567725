import { once } from 'node:events';
import { appendFile, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Told } from '../../../src/playground/workspace/protocol.ts';
import { openFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { spawnMuster } from '../../support/muster-process.ts';
import { openPlaygroundClient } from '../../support/playground-client.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** How long a start may take, in milliseconds. */
const soon = { timeout: 60_000 };

/** A copy of the sources, and `muster demo --watch` of them. `printed` is all that it has written. */
async function openWatched() {
  const folder = await openFolder();
  for (const name of ['src', 'grafana', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const data = await openFolder();
  const demo = spawnMuster(
    ['demo', '--watch', '--fresh', '--port', String(await freePort()), '--data', data],
    {},
    { cwd: data, program: join(folder, 'src/main.ts') },
  );
  onTestFinished(() => void demo.kill('SIGKILL'));
  let printed = '';
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.on('data', chunk => {
      printed += chunk;
    });
  }
  await expect.poll(() => printed, soon).toContain('Ctrl+C');
  const url = /http:\/\/localhost:\d+/.exec(printed)?.[0] ?? '';
  const source = (path: string) => join(folder, 'src', path);
  return { demo, url, source, printed: () => printed };
}

test('a change starts again what it reaches, and the workspace stays', async () => {
  const { demo, url, source, printed } = await openWatched();
  const { act, look, read, follow } = openPlaygroundClient(url);
  const { channels } = await look();
  const channel = channels.find(each => each.name === 'checkout')?.id ?? '';
  await act({ do: 'say', channel, text: 'The cache is cold' });
  const words = () => read(channel).catch(() => []);
  const states: string[] = [];
  let isFollowing = true;
  const hear = (told: Told): void => {
    if (told.kind === 'system' && states.at(-1) !== told.system.bot) states.push(told.system.bot);
  };
  const lost = () => {
    isFollowing = false;
  };
  follow(hear).then(lost, lost);
  await expect.poll(() => states, soon).toEqual(['running']);

  await appendFile(source('playground/page/main.ts'), '\nconst changed = 1;\n');
  await expect.poll(printed, soon).toContain('src/playground/page/main.ts changed: reload the page');
  expect(await (await fetch(`${url}/playground/page/main.ts`)).text()).toContain('const changed = 1;');
  expect([states, isFollowing]).toEqual([['running'], true]);

  await appendFile(source('bot/text/words.ts'), '\n');
  await expect.poll(() => states, soon).toEqual(['running', 'stopped', 'starting', 'running']);
  await expect.poll(printed, soon).toContain('src/bot/text/words.ts changed: the bot starts again');
  expect(isFollowing).toBe(true);

  const manifest = source('bot/manifest.ts');
  const before = await readFile(manifest, 'utf8');
  await writeFile(manifest, before.replace("name: 'Muster'", "name: 'Muster2'"));
  await expect.poll(printed, soon).toContain('src/bot/manifest.ts changed: the playground starts again');
  await expect.poll(() => isFollowing, soon).toBe(false);
  await expect.poll(words, soon).toEqual(['The cache is cold']);

  await appendFile(source('service/service.ts'), '\nthis is no TypeScript\n');
  await expect.poll(printed, soon).toContain('The playground ended');
  const service = source('service/service.ts');
  await writeFile(service, (await readFile(service, 'utf8')).replace('\nthis is no TypeScript\n', ''));
  await expect.poll(words, soon).toEqual(['The cache is cold']);

  const ended = once(demo, 'exit');
  demo.kill('SIGINT');
  expect((await ended)[0]).toBe(0);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
}, 240_000);
