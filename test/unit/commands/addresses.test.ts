import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { openFolder } from '../../support/folder.ts';
import { allCommands, examplesOf, openProgram, openWholeProgram } from '../../support/program.ts';

const secret = 'hidden-password';
const away = `postgres://muster:${secret}@127.0.0.1:9/muster`;

/** Each command that takes the address of a database, with what else it needs, and the option. */
const takers: readonly (readonly [string, readonly string[], string])[] = [
  ['move --to', ['move', '--from', 'sqlite:./nowhere/a.db'], '--to'],
  ['move --from', ['move', '--to', 'sqlite:./nowhere/b.db'], '--from'],
  ['backup', ['backup', '--out', './nowhere/copy.db'], '--database'],
  ['restore', ['restore', '--in-place'], '--database'],
  ['tokens list', ['tokens', 'list'], '--database'],
  ['tokens create', ['tokens', 'create', 'ci', '--role', 'Viewer'], '--database'],
  ['webhooks list', ['webhooks', 'list'], '--database'],
  ['journal list', ['journal', 'list'], '--database'],
  ['erase', ['erase', '--person', 'U0123ABCD', '--dry-run'], '--database'],
  ['export', ['export', '--out', './nowhere/out'], '--database'],
];

async function outcome(environment: Record<string, string>, ...args: readonly string[]) {
  const { said, run } = openProgram(environment);
  const failure = await run(...args).then(
    () => '',
    (error: Error) => error.message,
  );
  return { ...said, failure };
}

test.each(takers)('%s takes a variable’s name, and a file’s', async (_name, args, option) => {
  const file = join(await openFolder(), 'address');
  await writeFile(file, 'sqlite:./nowhere/of-file.db\n');
  const named = await outcome({ NEW_DATABASE: 'sqlite:./nowhere/of-variable.db' }, ...args, option, 'env:NEW_DATABASE');
  expect(named.failure + named.noted).toContain('nowhere/');
  expect(named.failure + named.noted).not.toContain('env:');
  const inFile = await outcome({ NEW_DATABASE_FILE: file }, ...args, option, 'env:NEW_DATABASE');
  expect(inFile.failure + inFile.noted).toContain('nowhere/');
  const missing = await outcome({}, ...args, option, 'env:NEW_DATABASE');
  expect(missing.failure).toContain(option);
  expect(missing.failure).toContain('NEW_DATABASE_FILE');
});

test('the database that a variable or its file names is the one that is worked on', async () => {
  const folder = await openFolder();
  const [one, other] = ['one', 'other'].map(name => `sqlite:${join(folder, name, 'muster.db')}`);
  for (const url of [one, other]) await addAllTables(url ?? '');
  const file = join(folder, 'address');
  await writeFile(file, `${other}\n`);
  const environment = { NEW: one ?? '', THAT_FILE: file };
  const used = async (name: string) =>
    (await outcome({ ...environment }, 'tokens', 'list', '--database', `env:${name}`)).noted;
  expect(await used('NEW')).toContain('one/muster.db');
  expect(await used('THAT')).toContain('other/muster.db');
});

test.each(takers)(
  '%s: an address with a password is taken, with a warning that shows none of it',
  async (_name, args, option) => {
    const { noted, printed, failure } = await outcome({}, ...args, option, away);
    expect(noted).toContain(`${option} env:`);
    expect(noted).toMatch(/password/);
    expect(noted + printed + failure).not.toContain(secret);
  },
);

test.each([
  'sqlite:./nowhere/muster.db',
  'postgres://muster@127.0.0.1:9/muster',
  'postgres://127.0.0.1:9/muster?sslmode=disable',
])('%s has no password, and nothing is said', async url => {
  expect((await outcome({}, 'tokens', 'list', '--database', url)).noted).not.toMatch(/password/);
});

test('a password in the parameters of an address is one too; that of the environment is none on a command line', async () => {
  const url = `postgres://127.0.0.1:9/muster?user=muster&password=${secret}`;
  expect((await outcome({}, 'tokens', 'list', '--database', url)).noted).toMatch(/password/);
  expect((await outcome({ DATABASE_URL: away }, 'tokens', 'list')).noted).not.toMatch(/password/);
});

test('no example shows a password on a command line', async () => {
  for (const command of allCommands(await openWholeProgram()))
    for (const line of examplesOf(command)) expect(line).not.toMatch(/:\/\/[^\s/@]+:[^\s/@]+@/);
});
