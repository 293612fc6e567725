import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lacks, run } from '../support/deploy/tool.ts';
import { root } from '../support/docs/files.ts';
import { openFolder } from '../support/folder.ts';

const units = join(root, 'deploy/systemd');

/** The units, with the paths of this clone in place of those of an installation. */
async function copyUnits(): Promise<{ folder: string; names: string[] }> {
  const folder = await openFolder();
  const names = (await readdir(units)).filter(name => /\.(service|timer)$/.test(name));
  for (const name of names) {
    const text = await readFile(join(units, name), 'utf8');
    const here = text
      .replaceAll('/opt/muster/node_modules/.bin/node', process.execPath)
      .replaceAll('/opt/muster', root);
    await writeFile(join(folder, name), here);
  }
  return { folder, names };
}

test.skipIf(lacks('systemd-analyze'))('systemd takes the units', async () => {
  const { folder, names } = await copyUnits();
  expect(names).toContain('muster.service');
  expect(run('systemd-analyze', ['verify', '--man=no', ...names.map(name => join(folder, name))], folder)).toEqual({
    code: 0,
    text: '',
  });
});

test.skipIf(lacks('systemd-analyze'))('systemd calls what a service may do “OK” or better', async () => {
  const { folder, names } = await copyUnits();
  for (const name of names.filter(each => each.endsWith('.service'))) {
    // A threshold of 20 is an exposure of 2.0 of 10.
    const args = ['security', '--no-pager', '--offline=true', '--threshold=20', join(folder, name)];
    const { code, text } = run('systemd-analyze', args, folder);
    expect(code, text).toBe(0);
  }
});
