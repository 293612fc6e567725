import { type Kysely, sql } from 'kysely';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate, toMigrations } from '../../../src/db/migrate.ts';
import { bigint, integer, nullable, type RowOf, type TablesOf, table, text } from '../../../src/db/tables.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { filesBelow, read } from '../../support/docs/files.ts';
import { readSchema } from '../../support/landings/dump.ts';

const shelves = table({ name: 'shelf', columns: { id: text({ key: true }), room: text() } });
const books = table({
  name: 'book',
  columns: {
    shelf: text({ references: 'shelf.id' }),
    number: integer(),
    title: text({ unique: true }),
    state: text<'in' | 'out'>({ default: 'in' }),
    lent_at: nullable(bigint()),
    colour: text<never>({ default: '' as never, until: '003-grey' }),
    pages: integer({ default: 0, since: '002-pages' }),
  },
  key: ['shelf', 'number'],
  indexes: {
    book_state: ['state'],
    book_out: { on: ['lent_at', sql`lower(title)`], where: sql`state = 'out'` },
    book_pages: { on: ['pages'], unique: true, since: '002-pages' },
  },
});
const readers = table({
  name: 'reader',
  columns: { name: text({ key: true }), since: text({ since: '003-grey', default: '' }) },
  since: '002-pages',
});
const cards = table({ name: 'card', columns: { id: integer({ key: true }) }, until: '003-grey' });

const library = [shelves, books, readers] as const;
const fill = (db: Kysely<never>) => sql`insert into reader (name) values ('a')`.execute(db).then(() => {});
const steps = toMigrations({
  tables: [...library, cards],
  steps: [{ name: '001-first' }, { name: '002-pages', fill: fill as never }, { name: '003-grey' }],
});

async function openEmpty() {
  const made = await makeDatabase('no tables');
  const database = await openDatabase(made.url);
  onTestFinished(async () => {
    await database[Symbol.asyncDispose]();
    await made[Symbol.asyncDispose]();
  });
  return { database, url: made.url };
}

/** The columns of a table that a database has, in its order. */
async function columnsIn(url: string, name: string): Promise<readonly string[] | undefined> {
  const made = (await readSchema(url)).find(each => each.startsWith(`create table ${name} (`));
  return made
    ?.slice(made.indexOf('(') + 1, -1)
    .split(/, (?![^(]*\))/)
    .filter(each => !/^(?:constraint|foreign|primary|unique)/i.test(each))
    .map(each => each.split(' ')[0] ?? '');
}

test('the type of a row is that of its declaration, without a column that goes', () => {
  expectTypeOf<RowOf<typeof books>>().toEqualTypeOf<{
    shelf: string;
    number: number;
    title: string;
    state: 'in' | 'out';
    lent_at: number | null;
    pages: number;
  }>();
  expectTypeOf<keyof TablesOf<typeof library>>().toEqualTypeOf<'shelf' | 'book' | 'reader'>();
});

test('a step makes what names it, and the first one makes the rest', async () => {
  const { database, url } = await openEmpty();
  await migrate(database, 'library', steps.slice(0, 1), new Date(0));
  const first = ['shelf', 'number', 'title', 'state', 'lent_at', 'colour'];
  expect(await columnsIn(url, 'book')).toEqual(first);
  expect(await columnsIn(url, 'reader')).toBeUndefined();
  expect(await columnsIn(url, 'card')).toEqual(['id']);
  const indexes = async () =>
    (await readSchema(url)).flatMap(each => /^create (?:unique )?index (\w+)/i.exec(each)?.[1] ?? []).toSorted();
  expect(await indexes()).toEqual(['book_out', 'book_state']);

  await migrate(database, 'library', steps.slice(0, 2), new Date(0));
  expect(await columnsIn(url, 'book')).toEqual([...first, 'pages']);
  expect(await columnsIn(url, 'reader')).toEqual(['name']);
  expect(await indexes()).toEqual(['book_out', 'book_pages', 'book_state']);
  expect((await sql`select name from reader`.execute(database.as())).rows).toEqual([{ name: 'a' }]);

  await migrate(database, 'library', steps, new Date(0));
  expect(await columnsIn(url, 'book')).toEqual([...first.slice(0, -1), 'pages']);
  expect(await columnsIn(url, 'reader')).toEqual(['name', 'since']);
  expect(await columnsIn(url, 'card')).toBeUndefined();
});

test('what a column and an index say holds in the database', async () => {
  const { database } = await openEmpty();
  await migrate(database, 'library', steps, new Date(0));
  const db = database.as<TablesOf<typeof library>>();
  await db.insertInto('shelf').values({ id: 's', room: 'r' }).execute();
  const add = (values: string) =>
    sql`insert into book (shelf, number, title, pages) values ${sql.raw(values)}`.execute(db);
  await add("('s', 1, 'A', 9)");
  expect(await db.selectFrom('book').selectAll().executeTakeFirst()).toEqual({
    ...{ shelf: 's', number: 1, title: 'A', state: 'in', lent_at: null, pages: 9 },
  });
  await expect(add("('s', 2, 'A', 1)"), 'a title stands once').rejects.toThrow(/unique/i);
  await expect(add("('s', 1, 'B', 2)"), 'the key stands once').rejects.toThrow(/unique/i);
  await expect(add("('s', 2, 'B', 9)"), 'the index is unique').rejects.toThrow(/unique/i);
  await expect(add("('t', 2, 'B', 3)"), 'there is no such shelf').rejects.toThrow(/foreign key/i);
  await expect(add("('s', 3, null, 4)"), 'a column holds no null').rejects.toThrow(/null/i);
  await db.deleteFrom('shelf').execute();
  expect(await db.selectFrom('book').selectAll().execute()).toEqual([]);
});

test('a table that names a step that is none fails at once', () => {
  expect(() => toMigrations({ tables: library, steps: [{ name: '001-first' }, { name: '002-pages' }] })).toThrow(
    '003-grey',
  );
});

test('a table is made nowhere but in db/', () => {
  const all = ['src', 'playground', 'bench', 'test'].flatMap(folder => filesBelow(folder, /\.ts$/));
  const elsewhere = all.filter(path => !/^(?:src|test\/unit)\/db\//.test(path));
  expect(elsewhere.length).toBeGreaterThan(1000);
  expect(elsewhere.filter(path => /addColumn|createTable\(/.test(read(path)))).toEqual([]);
});
