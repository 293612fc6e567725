/*
 * The last step of `npm ci`: tries the Node that it has brought, and says what to do where that does not start. Nothing that runs on
 * that Node could say it. Old versions of Node read this file too: it runs on the Node of npm itself.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const node = 'node_modules/.bin/node';

/** What the system says when a program does not start, and what helps. */
const cures = [
  [
    /libatomic\.so/,
    'Install the library it lacks: `apt-get install libatomic1` (Debian, Ubuntu) or `dnf install libatomic` (Fedora and its kin).',
  ],
  [/cannot open shared object file/, 'Install the library it lacks. Then run `npm ci` again.'],
  [/(GLIBC|GLIBCXX|CXXABI)_[\d.]+. not found/, 'This system is too old for it: use one as new as Debian 12.'],
  [
    /permission denied|EACCES|EPERM/i,
    'This folder may be on a disk from which no program may start (`noexec`): move Muster to another one.',
  ],
  [
    /exec format error|ENOEXEC|cannot execute|\bELF\b|syntax error/i,
    'It is for another kind of machine: delete node_modules, and run `npm ci` on this one.',
  ],
];
const otherwise =
  'Or install Node 26 in another way, such as your system’s own (https://nodejs.org), and run `npm ci --omit=optional`, which brings none.';

if (existsSync(node)) {
  const { status, signal, stderr, error } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status !== 0) {
    const reason = `${stderr ?? ''}${error?.message ?? ''}`.trim() || `it ends with ${status ?? signal}`;
    const cure = cures.find(([words]) => words.test(reason))?.[1] ?? 'Muster cannot start on it.';
    process.stderr.write(`The Node that npm has brought does not start: ${reason}\n${cure}\n${otherwise}\n`);
    process.exitCode = 1;
  }
}
