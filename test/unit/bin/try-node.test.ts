import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../../support/docs/files.ts';
import { openFolder } from '../../support/folder.ts';

const manifest: { scripts: { postinstall: string } } = JSON.parse(read('package.json'));

/** A folder of Muster whose Node is a program that ends so; none when absent. Returns what the last step of `npm ci` says there. */
async function tryNode(program?: string, mode = 0o755) {
  const folder = await openFolder();
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  const node = join(folder, 'node_modules/.bin/node');
  if (program !== undefined) {
    await writeFile(node, program);
    await chmod(node, mode);
  }
  const line = manifest.scripts.postinstall.replace('bin/', `${root}/bin/`);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: folder,
    encoding: 'utf8',
    // As npm runs it: the Node of the folder is the first that is found, and npm names its own.
    env: { PATH: `${join(folder, 'node_modules/.bin')}:/usr/bin:/bin`, npm_node_execpath: process.execPath },
  });
  return { status, stdout, stderr };
}

const fails = (text: string, code = 127) => `#!/bin/sh\ncat >&2 <<'END'\n${text}\nEND\nexit ${code}\n`;
const loading = 'node: error while loading shared libraries:';

test.each<[string, string, number?]>([
  [
    fails(`${loading} libatomic.so.1: cannot open shared object file: No such file or directory`),
    'apt-get install libatomic1',
  ],
  [
    fails(`${loading} libstdc++.so.6: cannot open shared object file: No such file or directory`),
    'Install the library it lacks',
  ],
  [fails(`${loading} libdl.so.2: cannot open shared object file: No such file or directory`), 'libdl.so.2'],
  [fails("node: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.28' not found (required by node)", 1), 'too old'],
  [fails("node: /lib/libstdc++.so.6: version `GLIBCXX_3.4.26' not found (required by node)", 1), 'too old'],
  [fails('Error loading shared library libatomic.so.1: No such file or directory (needed by node)'), 'libatomic1'],
  [fails('sh: node: Permission denied', 126), 'noexec'],
  ['#!/bin/sh\necho v26\n', 'noexec', 0o644],
  ['\u007fELF\u0002\u0001\u0001 of another machine', 'another kind of machine'],
  ['#!/lib64/nowhere/ld-linux-x86-64.so.2\n', 'cannot start on it'],
  [fails('', 1), 'it ends with 1'],
  ['#!/bin/sh\nkill -SEGV $$\n', 'SIGSEGV'],
])('a Node that does not start is told, with what helps (%#)', async (program, words, mode) => {
  const { status, stdout, stderr } = await tryNode(program, mode);
  expect(stderr).toContain(words);
  expect(stderr).toContain('The Node that npm has brought does not start: ');
  expect(stderr).toContain('npm ci --omit=optional');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});

test('a Node that starts, and none at all, are passed over in silence', async () => {
  expect(await tryNode('#!/bin/sh\necho v26.0.0\n')).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(await tryNode()).toEqual({ status: 0, stdout: '', stderr: '' });
});
