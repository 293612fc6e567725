import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { root } from '../../support/docs/files.ts';
import { openFolder } from '../../support/folder.ts';
import { allCommands, nameOf, openWholeProgram } from '../../support/program.ts';

/*
 * No command makes a database but those that are for it: a command that is run in another folder, or without the settings of the
 * Muster that it is for, would work on an empty one and say that all is well (docs/operating.md).
 */

/** Each command that works on a database which is there, as it would be run. `$out` is a path in the folder. */
const workOnOne: Readonly<Record<string, readonly string[]>> = {
  'muster tokens create': ['tokens', 'create', 'ci', '--role', 'Editor'],
  'muster tokens list': ['tokens', 'list'],
  'muster tokens revoke': ['tokens', 'revoke', 'ci'],
  'muster pages revoke': ['pages', 'revoke'],
  'muster webhooks add': ['webhooks', 'add', 'https://example.com/hook'],
  'muster webhooks list': ['webhooks', 'list'],
  'muster webhooks remove': ['webhooks', 'remove', '1'],
  'muster webhooks deliveries': ['webhooks', 'deliveries'],
  'muster webhooks retry': ['webhooks', 'retry', '--failed'],
  'muster webhooks discard': ['webhooks', 'discard', '1'],
  'muster journal list': ['journal', 'list'],
  'muster journal show': ['journal', 'show', '1'],
  'muster journal retry': ['journal', 'retry', '--all'],
  'muster journal discard': ['journal', 'discard', '1'],
  'muster journal purge': ['journal', 'purge', '--incident', '1'],
  'muster erase': ['erase', '--person', 'bob'],
  'muster backup': ['backup', '--out', '$out'],
  'muster restore': ['restore', '--in-place'],
  'muster move': ['move', '--from', '$database', '--to', 'sqlite:$out'],
  'muster export': ['export', '--out', '$out'],
  'muster doctor': ['doctor'],
};
/** The others, and why they are not in that table. */
const others: Readonly<Record<string, string>> = {
  'muster start': 'makes the database',
  'muster service': 'makes the database',
  'muster import': 'makes the database',
  'muster alerts test': 'has none',
  'muster pager test': 'has none',
  'muster conformance': 'has none',
  'muster openapi': 'has none',
  'muster manifest': 'has none',
};

const settings = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', SLACK_API_URL: 'http://127.0.0.1:9/api/' };
/** The user `nobody`, whom root becomes; everybody else is themselves. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Runs each command of the table in a folder, as an unprivileged user. */
async function runAll(folder: string, database: string, out: string) {
  const lines = Object.values(workOnOne).map(words =>
    words.map(word => word.replace('$out', out).replace('$database', database)),
  );
  const child = spawn(process.execPath, [join(root, 'test/support/run-commands.ts'), JSON.stringify(lines)], {
    ...nobody,
    cwd: folder,
    env: { PATH: process.env.PATH, ...settings, DATABASE_URL: database },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, failed] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(failed.replaceAll(/^\(node:\d+\) .*Warning.*$|^\(Use `node.*$/gm, '').trim()).toBe('');
  const ran = JSON.parse(printed) as readonly { readonly code: number; readonly text: string }[];
  return Object.keys(workOnOne).map((name, index) => ({ name, code: ran[index]?.code, text: ran[index]?.text }));
}

/** A folder that everybody may write. */
async function openShared(): Promise<string> {
  const folder = await openFolder();
  await chmod(folder, 0o777);
  return folder;
}

const leaves = allCommands(await openWholeProgram()).filter(each => each.commands.length === 0);

test('the tables have every command', () => {
  const known = [...Object.keys(workOnOne), ...Object.keys(others)];
  expect(known.toSorted()).toEqual(leaves.map(nameOf).toSorted());
});

describe('without a database', () => {
  test('at the path that the settings name', async () => {
    const folder = await openShared();
    const file = join(folder, 'state', 'muster.db');
    const ran = await runAll(folder, `sqlite:${file}`, join(folder, 'out'));
    for (const { name, code, text: said } of ran)
      expect
        .soft([name, code, said])
        .toEqual([...[name, 1], expect.stringContaining(`There is no database at ${file}; is DATABASE_URL set?`)]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('at a path that begins at the folder, in a folder that is not Muster’s', async () => {
    const folder = await openShared();
    const ran = await runAll(folder, 'sqlite:./data/muster.db', './out');
    for (const { name, code, text: said } of ran)
      expect
        .soft([name, code, said])
        .toEqual([
          ...[name, 1],
          expect.stringContaining(`There is no database at ${join(folder, 'data/muster.db')}; is DATABASE_URL set?`),
        ]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('that this user may look at', async () => {
    const folder = await openShared();
    const closed = join(folder, 'closed');
    await mkdir(closed);
    const file = join(closed, 'muster.db');
    await writeFile(file, '');
    await chmod(closed, 0o000);
    const ran = await runAll(folder, `sqlite:${file}`, join(folder, 'out'));
    await chmod(closed, 0o700);
    for (const { name, code, text: said } of ran)
      expect
        .soft([name, code, said])
        .toEqual([...[name, 1], expect.stringMatching(new RegExp(`${file}.*may not.*user`))]);
    expect([await readdir(folder), await readdir(closed)]).toEqual([['closed'], ['muster.db']]);
  });

  test.each([
    ['an empty file', ''],
    ['a text', 'hello, I am no database, and long enough to be sure of it'],
  ])('but %s in its place, nothing is done to it', async (_what, content) => {
    const folder = await openShared();
    const file = join(folder, 'muster.db');
    await writeFile(file, content, { mode: 0o666 });
    await chmod(file, 0o666);
    const ran = await runAll(folder, `sqlite:${file}`, join(folder, 'out'));
    for (const { name, code, text: said } of ran)
      expect.soft([name, code, said]).toEqual([name, 1, expect.stringContaining(file)]);
    expect(await readdir(folder)).toEqual(['muster.db']);
  });
});

test('with a database, each command says which one it is, once', async () => {
  const folder = await openShared();
  const state = join(folder, 'state');
  await mkdir(state);
  const file = join(state, 'muster.db');
  await addAllTables(`sqlite:${file}`);
  for (const name of ['', ...(await readdir(state))]) await chmod(join(state, name), 0o777);
  const ran = await runAll(folder, 'sqlite:./state/muster.db', join(folder, 'out'));
  for (const { name, text: said } of ran)
    expect
      .soft([name, said?.split('\n').filter(line => line === `Database: ${file}`)])
      .toEqual([name, [`Database: ${file}`]]);
});
