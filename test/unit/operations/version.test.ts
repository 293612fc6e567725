import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { readBuild } from '../../../src/operations/version.ts';
import { openFolder } from '../../support/folder.ts';
import { openProgram } from '../../support/program.ts';
import { openWorkplace } from '../../support/workplace.ts';

/** A folder of Muster as somebody may have got it. */
interface Tree {
  readonly root: string;
  git(...args: readonly string[]): string;
  write(path: string, text: string): Promise<void>;
}

async function openTree(): Promise<Tree> {
  const folder = await openFolder();
  const root = join(folder, 'muster');
  const author = ['-c', 'user.name=alice', '-c', 'user.email=alice@example.com'];
  const git: Tree['git'] = (...args) =>
    execFileSync('git', [...author, ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const write: Tree['write'] = async (path, text) => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write('package.json', JSON.stringify({ version: '7.8.9' }));
  return { root, git, write };
}

/** Makes a commit of all that a tree has. */
function commit({ git }: Tree, ...init: readonly string[]): void {
  git('init', '--quiet', '--initial-branch=main', ...init);
  git('add', '.');
  git('commit', '--quiet', '--message=x');
}

/** What may be done to a tree. */
type Prepare = (tree: Tree) => unknown;

test.each<[string, Prepare]>([
  ['a clone', tree => commit(tree)],
  ['a branch with a slash', tree => [commit(tree), tree.git('checkout', '-q', '-b', 'fix/a/b')]],
  ['a commit that is checked out', tree => [commit(tree), tree.git('checkout', '-q', '--detach')]],
  ['packed references', tree => [commit(tree), tree.git('pack-refs', '--all')]],
  [
    'packed references that are out of date',
    tree => [commit(tree), tree.git('pack-refs', '--all'), tree.git('commit', '-q', '--allow-empty', '--message=y')],
  ],
  [
    'a tag beside a branch of that name',
    tree => [commit(tree), tree.git('tag', '--annotate', '--message=x', 'main'), tree.git('pack-refs', '--all')],
  ],
  ['longer hashes', tree => commit(tree, '--object-format=sha256')],
])('the commit is told by %s', async (_, prepare) => {
  const tree = await openTree();
  await prepare(tree);
  const head = tree.git('rev-parse', 'refs/heads/main');
  expect(head).toMatch(/^[0-9a-f]{40,64}$/);
  expect(readBuild(pathToFileURL(join(tree.root, 'package.json')))).toEqual({
    version: '7.8.9',
    commit: head.slice(0, 8),
  });
});

test('the commit is told by the file of an image', async () => {
  const tree = await openTree();
  await tree.write('revision', 'abcdef0123456789\n');
  expect(readBuild(pathToFileURL(join(tree.root, 'package.json'))).commit).toBe('abcdef01');
});

test.each<[string, Prepare]>([
  ['no git', () => undefined],
  ['an image that was given none', tree => tree.write('revision', '\n')],
  ['an image that was given something else', tree => tree.write('revision', '$REVISION" x="\n')],
  ['no commit yet', tree => tree.git('init', '--quiet')],
  ['a HEAD that leads nowhere', tree => tree.write('.git/HEAD', 'ref: refs/heads/gone\n')],
  [
    'a HEAD that leads outside',
    tree => Promise.all([tree.write('secret', '0'.repeat(40)), tree.write('.git/HEAD', 'ref: refs/../../secret\n')]),
  ],
  ['a HEAD that is damaged', tree => tree.write('.git/HEAD', '\u0000\u0000')],
  ['a HEAD that is a folder', tree => tree.write('.git/HEAD/file', '')],
  ['a file of git that leads nowhere', tree => tree.write('.git', 'gitdir: /nowhere/at/all\n')],
])('no commit is told by %s', async (_, prepare) => {
  const tree = await openTree();
  await prepare(tree);
  expect(readBuild(pathToFileURL(join(tree.root, 'package.json')))).toEqual({ version: '7.8.9', commit: '' });
});

test('the commit of a further work tree', async () => {
  const tree = await openTree();
  commit(tree);
  const other = `${tree.root}-other`;
  tree.git('worktree', 'add', '--quiet', '-b', 'other', other);
  tree.git('-C', other, 'commit', '--quiet', '--allow-empty', '--message=z');
  expect(readBuild(pathToFileURL(join(other, 'package.json'))).commit).toBe(tree.git('rev-parse', 'other').slice(0, 8));
  tree.git('pack-refs', '--all');
  expect(readBuild(pathToFileURL(join(other, 'package.json'))).commit).toBe(tree.git('rev-parse', 'other').slice(0, 8));
});

test('`muster --version`, the metrics, /readyz and the log name the same version and commit', async () => {
  const build = readBuild();
  expect(build.version).toBe(JSON.parse(await readFile('package.json', 'utf8')).version);
  const place = await openWorkplace();
  const ready = await (await fetch(`${place.muster.url}/readyz`)).json();
  expect(ready).toMatchObject(build);
  const page = await (await fetch(`${place.muster.url}/metrics`)).text();
  const labels = /^muster_build_info\{version="([^"]*)",commit="([^"]*)",node="[^"]+"\} 1$/m.exec(page)?.slice(1);
  expect(labels).toEqual([build.version, build.commit]);
  const { said, run } = openProgram();
  await expect(run('--version')).rejects.toMatchObject({ exitCode: 0 });
  expect(said.printed).toBe(build.commit === '' ? `${build.version}\n` : `${build.version} (${build.commit})\n`);
  const listens = place.logged.map(line => JSON.parse(line)).find(line => line.msg === 'muster: listens');
  expect(listens).toMatchObject(build);
});
