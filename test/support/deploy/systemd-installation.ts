import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../docs/files.ts';
import { openInstalledClone } from '../fresh-clone.ts';

/** The user who plays `muster`: root becomes `nobody`, everybody else stays who they are. */
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/**
 * Muster in a clone, as deploy/README.md installs it with systemd: a file of settings that its user may not read, a folder of its
 * own for the database, and the command `muster` of deploy/systemd. `start` is the line that starts the unit, `prelude` makes `muster`
 * known to a shell.
 */
export async function installUnits() {
  const clone = await openInstalledClone();
  const base = join(clone, '..');
  // A folder for temporary files is its maker's alone.
  await chmod(base, 0o755);
  const [state, cache, settings, bin] = ['state', 'cache', 'env', 'bin'].map(name => join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [state, cache]) {
    await mkdir(folder, { mode: 0o700 });
    if (isRoot) await chown(folder, nobody, nobody);
  }
  await mkdir(bin);
  const toHere = (text: string) =>
    text
      .replaceAll('/opt/muster/node_modules/.bin/node', process.execPath)
      .replaceAll('/opt/muster', clone)
      .replaceAll('/var/lib/muster', state)
      .replaceAll('/var/cache/muster', cache)
      .replaceAll('/etc/muster/env', settings);
  const wrapper = await readFile(join(root, 'deploy/systemd/muster'), 'utf8');
  const files = {
    muster: toHere(wrapper).replaceAll(/--uid=muster --gid=muster/g, '--uid=nobody --gid=nogroup'),
    'systemd-run': `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'test/support/deploy/systemd-run.ts')}' "$@"\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(bin, name), text, { mode: 0o755 });
  const unit = await readFile(join(root, 'deploy/systemd/muster.service'), 'utf8');
  const of = (name: string) =>
    [...toHere(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(each => each[1] ?? '');
  const options = [
    ...of('WorkingDirectory').map(value => `--working-directory=${value}`),
    ...of('EnvironmentFile').map(value => `--property=EnvironmentFile=${value}`),
    ...of('UMask').map(value => `--property=UMask=${value}`),
    ...of('Environment').map(value => `--setenv=${value}`),
  ];
  return {
    database: join(state, 'muster.db'),
    settings,
    start: `systemd-run --uid=nobody ${options.join(' ')} ${of('ExecStart').join('')}`,
    prelude: `PATH='${bin}':"$PATH"`,
  };
}
