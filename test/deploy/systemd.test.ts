import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
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

test('the command muster has the settings, the user and the folder of the unit', async () => {
  const [unit, wrapper] = await Promise.all(
    ['muster.service', 'muster'].map(name => readFile(join(units, name), 'utf8')),
  );
  const of = (name: string) =>
    [...(unit ?? '').matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(each => each[1] ?? '');
  const options = [...(wrapper ?? '').matchAll(/--[\w-]+=\S+/g)].map(each => each[0]);
  expect(options.toSorted()).toEqual(
    [
      ...of('User').map(value => `--uid=${value}`),
      ...of('Group').map(value => `--gid=${value}`),
      ...of('StateDirectory').map(value => `--working-directory=/var/lib/${value}`),
      ...of('Environment').map(value => `--setenv=${value}`),
      ...['EnvironmentFile', 'UMask', 'NoNewPrivileges'].flatMap(name =>
        of(name).map(value => `--property=${name}=${value}`),
      ),
    ].toSorted(),
  );
  expect(wrapper).toContain('/opt/muster/node_modules/.bin/node /opt/muster/bin/muster.js "$@"');
  expect((await stat(join(units, 'muster'))).mode & 0o111).toBe(0o111);
});

test.skipIf(lacks('systemd-run'))('systemd-run knows the options of the command muster', async () => {
  const { code, text } = run(join(units, 'muster'), ['--version'], await openFolder());
  // Where systemd runs, it lacks the user; where none runs, it says so. An option that it does not know is told before either.
  expect(code).not.toBe(0);
  expect(text).not.toMatch(/unrecognized|invalid option|Unknown assignment/i);
});
