import { copyFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { damageTables } from '../../support/databases/damage.ts';
import { addIntent } from '../../support/databases/open-work.ts';
import { openFolder } from '../../support/folder.ts';
import { openProgram } from '../../support/program.ts';

/** A database with one person per name, and the program on it. */
async function openHouse() {
  const folder = await openFolder();
  const file = join(folder, 'muster.db');
  const url = `sqlite:${file}`;
  await addAllTables(url);
  const open = async () => {
    const database = await openDatabase(url);
    return {
      database,
      put: (name: string) =>
        database.single(db => sql`insert into bot_sighting (name, seen_at) values (${name}, '')`.execute(db)),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  };
  const names = async (from = url) => {
    await using database = await openDatabase(from);
    const { rows } = await sql<{ name: string }>`select name from bot_sighting order by name`.execute(database.as());
    return rows.map(each => each.name);
  };
  const run = async (...words: readonly string[]) => {
    const { said, run: start } = openProgram();
    await start(...words, '--database', url);
    return said.noted;
  };
  return { folder, file, url, open, names, run, out: join(folder, 'copy.db') };
}

test('a backup while Muster writes has everything up to then, in one file that its user alone may read', async () => {
  const { open, names, run, out } = await openHouse();
  await using muster = await open();
  await using _bot = await muster.database.occupy('bot');
  await muster.put('before');
  expect(await run('backup', '--out', out)).toContain(`${out} is a sound copy: 0 incidents`);
  await muster.put('later');
  expect(await names(`sqlite:${out}`)).toEqual(['before']);
  expect((await stat(out)).mode & 0o777).toBe(0o600);
});

test('a backup overwrites nothing, and one that fails leaves nothing', async () => {
  const { folder, file, run, out } = await openHouse();
  await writeFile(out, 'mine');
  await expect(run('backup', '--out', out)).rejects.toThrow('a backup overwrites nothing');
  expect(await readFile(out, 'utf8')).toBe('mine');
  await truncate(file, 20_000);
  await expect(run('backup', '--out', join(folder, 'other.db'))).rejects.toThrow('damaged');
  expect((await readdir(folder)).filter(each => each.startsWith('other'))).toEqual([]);
});

test('each command on a damaged file says so as a start does, whichever page it reads first', async () => {
  const { file, run, out } = await openHouse();
  await damageTables(file, table => table !== 'schema_migration');
  const damaged = /^The database \S+muster\.db of DATABASE_URL cannot be used: it is damaged\. Restore a backup/;
  await expect(run('backup', '--out', out)).rejects.toThrow(damaged);
  await expect(run('journal', 'list')).rejects.toThrow(damaged);
  await expect(run('tokens', 'list')).rejects.toThrow(damaged);
});

test('a restored backup is the database, and the one that was there stands beside it', async () => {
  const { folder, file, open, names, run, out } = await openHouse();
  {
    await using muster = await open();
    await muster.put('before');
    await run('backup', '--out', out);
    await muster.put('later');
  }
  const said = await run('restore', out);
  expect(await names()).toEqual(['before']);
  const aside = /stands at (\S+)\. Delete/.exec(said)?.[1] ?? '';
  expect(await names(`sqlite:${aside}`)).toEqual(['before', 'later']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter(each => each.endsWith('.part'))).toEqual([]);
});

test('a restoration speaks of incident numbers only where Muster gives them', async () => {
  const { run, out, url } = await openHouse();
  await run('backup', '--out', out);
  expect(await run('restore', out)).toContain('incident numbers');
  const { said, run: start } = openProgram({ GRAFANA_URL: 'https://acme.grafana.net', GRAFANA_TOKEN: 'glsa_x' });
  await start('restore', out, '--database', url);
  expect(said.noted).toContain('What was done later is not in it');
  expect(said.noted).not.toMatch(/incident numbers|short links/);
});

test('a lost disk: the backup is restored where there is no database, and a log that was left is not taken for its own', async () => {
  const { file, open, names, run, out, folder } = await openHouse();
  {
    await using muster = await open();
    await muster.put('before');
    await run('backup', '--out', out);
    await muster.put('later');
    await copyFile(`${file}-wal`, join(folder, 'left-wal'));
  }
  await truncate(file, 0);
  await copyFile(join(folder, 'left-wal'), `${file}-wal`);
  await run('restore', out);
  expect(await names()).toEqual(['before']);
});

test('nothing is restored while a process has the database open', async () => {
  const { open, names, run, out } = await openHouse();
  await using muster = await open();
  await muster.put('before');
  await run('backup', '--out', out);
  await muster.put('later');
  await expect(run('restore', out)).rejects.toThrow('Stop Muster first; nothing was changed.');
  {
    await using _bot = await muster.database.occupy('bot');
    await expect(run('restore', out)).rejects.toThrow('Stop Muster first; nothing was changed.');
  }
  expect(await names()).toEqual(['before', 'later']);
});

test('a copy that is damaged, empty or of a newer Muster takes no place', async () => {
  const { file, folder, open, names, run, out } = await openHouse();
  {
    await using muster = await open();
    await muster.put('before');
  }
  await run('backup', '--out', out);
  await expect(run('restore', file)).rejects.toThrow('is the database itself');
  const damaged = join(folder, 'damaged.db');
  const bytes = await readFile(out);
  await writeFile(damaged, bytes.fill(7, 4096, bytes.length - 4096));
  await expect(run('restore', damaged)).rejects.toThrow(/damaged|malformed/);
  const empty = join(folder, 'empty.db');
  await writeFile(empty, '');
  await expect(run('restore', empty)).rejects.toThrow('has no tables of Muster');
  const newer = join(folder, 'newer.db');
  await copyFile(out, newer);
  {
    await using database = await openDatabase(`sqlite:${newer}`);
    await sql`insert into schema_migration values ('bot', '999-future', '')`.execute(database.as());
  }
  await expect(run('restore', newer)).rejects.toThrow('has the step “999-future”');
  expect(await names()).toEqual(['before']);
});

test('a restoration needs a copy, or a database that took an older state already, and not both', async () => {
  const { run, out } = await openHouse();
  await expect(run('restore')).rejects.toThrow('Name the copy that is to be restored, or say --in-place');
  await expect(run('restore', out, '--in-place')).rejects.toThrow('Name the copy that is to be restored');
});

test('a restoration says what the copy lacks, since when, and what becomes of what was open in it', async () => {
  const { open, run, out } = await openHouse();
  {
    await using muster = await open();
    const db = muster.database.as<BotTables>();
    await addIntent(db, { state: 'pending', changed_at: '2026-11-23T08:15:42.123Z' });
    await run('backup', '--out', out);
  }
  const said = await run('restore', out);
  expect(said).toContain('0 incidents, 0 timeline items, 0 rooms, 1 intent.');
  expect(said).toContain('The last change in it is of 2026-11-23 08:15 UTC. 1 intent was open in it');
  expect(await run('restore', '--in-place')).toContain('The database is prepared: start Muster on it now.');
});
