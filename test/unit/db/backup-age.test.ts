import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { readBackup } from '../../../src/db/backups.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { engine } from '../../support/databases/fresh.ts';
import { openFolder } from '../../support/folder.ts';
import { makeBare } from '../../support/fresh-database.ts';
import { openProgram } from '../../support/program.ts';

/** A database with all tables, made at the beginning of time, and the program on it. */
async function openHome() {
  const folder = await openFolder();
  const home = await makeBare();
  await addAllTables(home);
  const last = async (url = home) => {
    await using database = await openDatabase(url);
    return await readBackup(database);
  };
  const run = async (...words: readonly string[]) => {
    const { said, run: start } = openProgram();
    await start(...words);
    return said.noted;
  };
  const backUp = (out: string) => run('backup', '--out', out, '--database', home);
  return { folder, home, last, run, backUp, copy: join(folder, 'copy.db') };
}

test('a database knows when it was last copied and how large the copy is, and since when it could have been', async () => {
  const { last, backUp, copy, folder } = await openHome();
  expect(await last()).toEqual({ since: new Date(0), bytes: undefined });
  const before = Date.now();
  await backUp(copy);
  const first = await last();
  expect(first?.since.getTime()).toBeGreaterThanOrEqual(before);
  expect(first?.since.getTime()).toBeLessThanOrEqual(Date.now());
  expect(first?.bytes).toBe((await stat(copy)).size);
  await backUp(join(folder, 'second.db'));
  expect((await last())?.since.getTime()).toBeGreaterThanOrEqual(first?.since.getTime() ?? 0);
});

test('a copy that fails is noted nowhere', async () => {
  const { last, backUp, copy } = await openHome();
  await backUp(copy);
  const first = await last();
  await expect(backUp(copy)).rejects.toThrow('overwrites nothing');
  expect(await last()).toEqual(first);
});

test('what is restored or moved knows its age: that of the copy that it came from', async () => {
  const { home, last, run, backUp, copy, folder } = await openHome();
  await backUp(copy);
  const noted = await last();
  const file = `sqlite:${join(folder, 'restored.db')}`;
  await run('restore', copy, '--database', file);
  expect(await last(file)).toEqual(noted);
  const server = await makeBare();
  if (engine === 'postgres') await run('restore', copy, '--database', server);
  else await run('move', '--from', home, '--to', server);
  expect(await last(server)).toEqual(noted);
});

/** Statements after which the note of a copy is refused, and the copy itself is not. */
const unwritable = {
  sqlite: ['drop table backup', "create view backup as select 1 as id, '' as made_at, 0 as bytes"],
  postgres: ['alter table backup add check (bytes < 0) not valid'],
};

test('a copy is good though the database cannot note it, and that is said', async () => {
  const { home, run, backUp, copy, folder } = await openHome();
  {
    await using database = await openDatabase(home);
    for (const statement of unwritable[engine]) await sql.raw(statement).execute(database.as());
  }
  expect(await backUp(copy)).toMatch(/is a sound copy.*\n.*could not note it/);
  expect(await run('restore', copy, '--database', `sqlite:${join(folder, 'other.db')}`)).toContain('is what');
});
