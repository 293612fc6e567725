import { once } from 'node:events';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { spawnMuster } from '../../support/muster-process.ts';
import { openPlaygroundClient } from '../../support/playground-client.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A copy of the sources, and `npm run demo -- --watch` of them. `printed` is all that it has written. */
async function openWatched() {
  const folder = await openFolder();
  for (const name of ['src', 'playground', 'grafana', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const data = await openFolder();
  const demo = spawnMuster(
    ['--watch', '--port', String(await freePort()), '--data', data],
    {},
    { cwd: data, program: join(folder, 'playground/main.ts') },
  );
  onTestFinished(() => void demo.kill('SIGKILL'));
  let printed = '';
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.on('data', chunk => {
      printed += chunk;
    });
  }
  await expect.poll(() => printed).toContain('Ctrl+C');
  const url = /http:\/\/localhost:\d+/.exec(printed)?.[0] ?? '';
  const source = (path: string) => join(folder, path);
  return { demo, url, data, source, printed: () => printed };
}

test('a change starts the playground again, and the workspace stays', async () => {
  const { demo, url, data, source, printed } = await openWatched();
  const { act, look, read, follow } = openPlaygroundClient(url);
  const { channels } = await look();
  const channel = channels.find(each => each.name === 'checkout')?.id ?? '';
  await act({ do: 'say', channel, text: 'The cache is cold' });
  const words = () => read(channel).catch(() => []);

  for (const [index, path] of ['src/bot/text/words.ts', 'playground/cast.ts'].entries()) {
    let isFollowing = true;
    const lost = () => {
      isFollowing = false;
    };
    follow(() => undefined).then(lost, lost);
    const changed = source(path);
    const before = await readFile(changed, 'utf8');
    await writeFile(changed, `${before}\nthis is no TypeScript\n`);
    await expect.poll(() => isFollowing, { message: path }).toBe(false);
    await expect.poll(() => printed().split('Failed running').length - 1).toBe(index + 1);
    await writeFile(changed, before);
    await expect.poll(words, { message: path }).toContain('The cache is cold');
  }

  const ended = once(demo, 'exit');
  demo.kill('SIGINT');
  expect((await ended)[0]).toBe(0);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  const files = await readdir(data, { recursive: true });
  expect(files.filter(each => each.endsWith('.db')).toSorted()).toEqual(['playground/bot.db', 'playground/service.db']);
});
