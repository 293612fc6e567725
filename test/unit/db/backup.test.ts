import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { addAllTables } from '../../support/databases/all-tables.ts';
import { fillDatabase, readDatabase } from '../../support/databases/filled.ts';
import { engine } from '../../support/databases/fresh.ts';
import { addIntent, addOpenDelivery } from '../../support/databases/open-work.ts';
import { openFolder } from '../../support/folder.ts';
import { makeBare } from '../../support/fresh-database.ts';
import { openProgram } from '../../support/program.ts';

/** An empty folder, and the program. */
async function openTools() {
  const folder = await openFolder();
  const run = async (...words: readonly string[]) => {
    const { said, run: start } = openProgram();
    await start(...words);
    return said.noted;
  };
  return { folder, copy: join(folder, 'copy.db'), run };
}

const putSighting = (url: string, name: string) =>
  using(url, db => sql`insert into bot_sighting (name, seen_at) values (${name}, '')`.execute(db.as()));

async function using<T>(
  url: string,
  work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
): Promise<T> {
  await using database = await openDatabase(url);
  return await work(database);
}

test('a backup is one SQLite file with every row of every table, and comes back into either kind of database', async () => {
  const { folder, copy, run } = await openTools();
  const [home, other] = [await makeBare(), await makeBare()];
  await fillDatabase(home);
  const before = await readDatabase(home);
  expect(await run('backup', '--out', copy, '--database', home)).toContain(`${copy} is a sound copy: 2 incidents`);
  expect((await readdir(folder)).toSorted()).toEqual(['copy.db']);
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  // A copy says of itself when it was made.
  const { backup: own } = await readDatabase(`sqlite:${copy}`);
  expect(await readDatabase(`sqlite:${copy}`)).toEqual({ ...before, backup: own });

  const file = `sqlite:${join(folder, 'data', 'muster.db')}`;
  await run('restore', copy, '--database', file);
  await run('restore', copy, '--database', other);
  const restored = await readDatabase(other);
  expect(restored).toEqual(await readDatabase(file));
  expect(restored.bot_sighting).toEqual(before.bot_sighting);
});

test('while Muster writes, the backup is as the database was at one moment', async () => {
  const { copy, run } = await openTools();
  const home = await makeBare();
  await addAllTables(home);
  await using database = await openDatabase(home);
  let isOver = false;
  const writing = (async () => {
    // The table that is read first and the one that is read last have the same rows at each moment.
    for (let at = 0; !isOver; at += 1) {
      await database.withLock<BotTables, void>('test', async db => {
        await sql`insert into bot_sighting (name, seen_at) values (${`s${at}`}, '')`.execute(db);
        await sql`insert into api_token (id, name, role, hash, created_at) values (${at}, ${`t${at}`}, 'Viewer', ${`h${at}`}, 1)`.execute(
          db,
        );
      });
    }
  })();
  await expect
    .poll(async () => (await sql`select name from bot_sighting`.execute(database.as())).rows.length)
    .toBeGreaterThan(20);
  await run('backup', '--out', copy, '--database', home);
  isOver = true;
  await writing;
  const { bot_sighting = [], api_token = [] } = await readDatabase(`sqlite:${copy}`);
  expect(bot_sighting.length).toBeGreaterThan(20);
  expect(api_token.length).toBe(bot_sighting.length);
});

test('a backup overwrites nothing, and one of a database without tables of Muster leaves nothing', async () => {
  const { folder, copy, run } = await openTools();
  const home = await makeBare();
  await using(home, database => sql`create table other (a integer)`.execute(database.as()));
  await expect(run('backup', '--out', copy, '--database', home)).rejects.toThrow('has no tables of Muster');
  const own = await makeBare();
  await addAllTables(own);
  await writeFile(copy, 'mine');
  await expect(run('backup', '--out', copy, '--database', own)).rejects.toThrow('overwrites nothing');
  expect((await readdir(folder)).toSorted()).toEqual(['copy.db']);
});

test('a backup made before an upgrade is that of the older schema', async () => {
  const { copy, run } = await openTools();
  const home = await makeBare();
  await using(home, database => migrate(database, 'bot', botMigrations.slice(0, 2), new Date(0)));
  await run('backup', '--out', copy, '--database', home);
  const steps = await using(`sqlite:${copy}`, database =>
    sql`select name from schema_migration`.execute(database.as()),
  );
  expect(steps.rows).toHaveLength(2);
});

test('of what was open in a restored database nothing is done or told a second time', async () => {
  const { copy, run } = await openTools();
  const home = await makeBare();
  await addAllTables(home);
  await using(home, async database => {
    const db = database.as<BotTables>();
    for (const [seq, state] of (['pending', 'running', 'done'] as const).entries())
      await addIntent(db, { key: state, id: state, seq, state });
    await addOpenDelivery(db);
    await sql`update counter set value = 12 where name = 'incident'`.execute(db);
  });
  await run('backup', '--out', copy, '--database', home);
  const other = engine === 'postgres' ? await makeBare() : `sqlite:${join(await openFolder(), 'muster.db')}`;
  await run('restore', copy, '--database', other);
  await run('restore', '--in-place', '--database', home);
  for (const url of [other, home]) {
    await using(url, async database => {
      const db = database.as<BotTables>();
      const intents = await db
        .selectFrom('bot_intent')
        .select(['id', 'state', 'ambiguous', 'tell', 'origin', 'outcome'])
        .orderBy('seq')
        .execute();
      const [first, second] = intents.map(({ outcome }) => outcome);
      expect(second, 'they wait together for what may still take effect').toBe(first);
      expect(JSON.parse(first ?? '').sentAt).toBeGreaterThan(Date.now() - 60_000);
      expect(
        intents.map(({ origin, outcome: _, ...rest }) => ({ ...rest, isRestored: JSON.parse(origin).isRestored })),
      ).toEqual([
        { id: 'pending', state: 'pending', ambiguous: 1, tell: 'caller', isRestored: true },
        { id: 'running', state: 'pending', ambiguous: 1, tell: 'caller', isRestored: true },
        { id: 'done', state: 'done', ambiguous: 0, tell: 'nobody', isRestored: undefined },
      ]);
      expect(await db.selectFrom('bot_delivery').select(['state', 'body', 'blocks_order']).execute()).toEqual([
        { state: 'given up', body: '', blocks_order: 0 },
      ]);
      const { rows } = await sql<{ value: number }>`select value from counter where name = 'incident'`.execute(db);
      expect(Number(rows[0]?.value)).toBe(112);
    });
  }
});

if (engine === 'postgres') {
  test('a Postgres that holds something is filled only when that is to be replaced', async () => {
    const { copy, run } = await openTools();
    const [home, other] = [await makeBare(), await makeBare()];
    for (const url of [home, other]) await addAllTables(url);
    await putSighting(home, 'wanted');
    await putSighting(other, 'mine');
    await run('backup', '--out', copy, '--database', home);
    const before = await readDatabase(other);
    await expect(run('restore', copy, '--database', other)).rejects.toThrow(
      'The database is not empty: its table bot_sighting has rows. Nothing was changed.',
    );
    expect(await readDatabase(other)).toEqual(before);
    await run('restore', copy, '--replace', '--database', other);
    expect((await readDatabase(other)).bot_sighting?.join()).toContain('wanted');
    expect((await readDatabase(other)).bot_sighting).toHaveLength(1);
  });

  test('while a process has the Postgres open, nothing is restored or prepared', async () => {
    const { copy, run } = await openTools();
    const [home, other] = [await makeBare(), await makeBare()];
    await addAllTables(home);
    await addAllTables(other);
    await run('backup', '--out', copy, '--database', home);
    await using database = await openDatabase(other);
    await sql`select 1`.execute(database.as());
    for (const words of [
      ['restore', copy],
      ['restore', '--in-place'],
    ])
      await expect(run(...words, '--database', other)).rejects.toThrow('Stop every Muster first; nothing was changed.');
  });

  test('a copy that is damaged or of a newer Muster, and a server that is away, are said in a sentence', async () => {
    const { copy, run } = await openTools();
    const home = await makeBare();
    await addAllTables(home);
    await using(home, database =>
      sql`insert into schema_migration values ('bot', '999-future', '')`.execute(database.as()),
    );
    await expect(run('backup', '--out', copy, '--database', home)).rejects.toThrow('has the step “999-future”');
    await writeFile(copy, 'this is no database, and longer than the first bytes of one, which say that it is one');
    await expect(run('restore', copy, '--database', home)).rejects.toThrow(/damaged|not a database/);
    const away = 'postgres://u:p@127.0.0.1:1/muster';
    await expect(run('backup', '--out', `${copy}.2`, '--database', away)).rejects.toThrow(
      'The database of DATABASE_URL cannot be used',
    );
  });
}
