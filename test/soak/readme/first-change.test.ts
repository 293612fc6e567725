import { execFile } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { documentedCommands } from '../../support/docs/commands.ts';
import { read } from '../../support/docs/files.ts';
import { openInstalledClone } from '../../support/fresh-clone.ts';
import { typeLine } from '../../support/user-shell.ts';

const run = promisify(execFile);

/** The lines that CONTRIBUTING.md has for a first change. */
const [testLine = '', ...linesAfter] = (documentedCommands['CONTRIBUTING.md'] ?? [])
  .filter(each => 'test' in each)
  .map(each => each.line);

test('a first change goes from start to end as CONTRIBUTING.md says, in a clone', async () => {
  const [, section = ''] = read('CONTRIBUTING.md').split('\n## A first change');
  const [story = '', verb = ''] = [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(match => match[1] ?? '');
  const [stories = '', feature = ''] = [
    /in `(test\/stories\/[^`]+)`/.exec(section)?.[1],
    /to the list in `(src\/[^`]+)`/.exec(section)?.[1],
  ];
  const clone = await openInstalledClone();
  const git = (...args: readonly string[]) => run('git', args, { cwd: clone }).then(({ stdout }) => stdout);
  // A contributor has told git who they are.
  await git('config', 'user.name', 'Alice Adler');
  await git('config', 'user.email', 'alice@example.com');
  // What this work tree has beyond its last commit belongs to the state from which the change starts.
  await git('add', '--all');
  await git('commit', '--quiet', '--allow-empty', '--message', 'the start');

  await appendFile(join(clone, stories), `\n${story}`);
  const unknown = await typeLine(testLine, clone).ended;
  expect(unknown.code).toBe(1);
  expect(unknown.stdout + unknown.stderr).toContain('There is no command “count” for /task.');

  const source = await readFile(join(clone, feature), 'utf8');
  await writeFile(
    join(clone, feature),
    source.replace(/^ {2}verbs: \[\n/m, begin => `${begin}${verb}`),
  );
  const known = await typeLine(testLine, clone).ended;
  expect(known.code, known.stdout + known.stderr).toBe(0);
  expect(known.stdout).toMatch(/Tests.*1 passed/);

  for (const line of linesAfter) {
    const { code, stderr } = await typeLine(line, clone).ended;
    expect(code, `${line}: ${stderr}`).toBe(0);
  }
  expect((await git('show', '--name-only', '--format=%s')).trim().split('\n')).toEqual([
    'task: /task count says how many are open',
    '',
    'docs/commands.md',
    feature,
    stories,
  ]);
  expect(await git('status', '--porcelain')).toBe('');
});
