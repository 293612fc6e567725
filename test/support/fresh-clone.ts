import { execFile } from 'node:child_process';
import { cp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './docs/files.ts';
import { openFolder } from './folder.ts';

const run = promisify(execFile);

/** A clone of this repository until the test ends, with what is not committed yet. It has nothing that git does not have. */
export async function openClone(): Promise<string> {
  const clone = join(await openFolder(), 'muster');
  await run('git', ['clone', '--quiet', root, clone]);
  const list = async (...args: readonly string[]) =>
    (await run('git', ['ls-files', '-z', ...args], { cwd: root })).stdout.split('\0').filter(path => path !== '');
  const gone = await list('--deleted');
  for (const path of gone) await rm(join(clone, path), { force: true });
  // Git counts what is deleted as modified too.
  const changed = (await list('--modified', '--others', '--exclude-standard')).filter(path => !gone.includes(path));
  for (const path of changed) await cp(join(root, path), join(clone, path));
  return clone;
}

/** A clone in which the packages are those of this work tree, as `npm ci` would install them. */
export async function openInstalledClone(): Promise<string> {
  const clone = await openClone();
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'));
  return clone;
}
