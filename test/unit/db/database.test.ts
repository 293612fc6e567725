import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { type Migration, migrate } from '../../../src/db/migrate.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

type Shelf = { thing: { id: number; name: string; size: number | null } };

const shelf: Migration = {
  name: '001-things',
  up: async db => {
    await db.schema
      .createTable('thing')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('size', 'integer')
      .execute();
  },
};

async function openShelf() {
  const fresh = await makeDatabase('no tables');
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const open = async () => {
    const database = await openDatabase(fresh.url);
    onTestFinished(() => database[Symbol.asyncDispose]());
    return database;
  };
  const database = await open();
  await migrate(database, 'shelf', [shelf], new Date(0));
  return { open, database, db: database.as<Shelf>() };
}

test('text is ordered and compared by its bytes, whatever the language of the database', async () => {
  const { db } = await openShelf();
  const names = ['b', 'B', 'a', 'Ä', '_', 'é', 'e\u0301', '💥', '\uffee', ''];
  await db
    .insertInto('thing')
    .values(names.map((name, id) => ({ id, name, size: null })))
    .execute();
  const bytes = names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const rows = await db.selectFrom('thing').select('name').orderBy('name').execute();
  expect(rows.map(each => each.name)).toEqual(bytes);
  const later = await db.selectFrom('thing').select('name').where('name', '>', 'B').orderBy('name').execute();
  expect(later.map(each => each.name)).toEqual(bytes.slice(bytes.indexOf('B') + 1));
});

test('whole numbers come back as numbers, and one that a number cannot hold is a fault', async () => {
  const { db } = await openShelf();
  await db.insertInto('thing').values({ id: 1, name: '', size: Number.MAX_SAFE_INTEGER }).execute();
  expect(await db.selectFrom('thing').select(['id', 'size']).execute()).toEqual([
    { id: 1, size: Number.MAX_SAFE_INTEGER },
  ]);
  const { count } = await db
    .selectFrom('thing')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(count).toBe(1);
  await sql`update thing set size = size + 1`.execute(db);
  await expect(db.selectFrom('thing').selectAll().execute()).rejects.toThrow(/9007199254740992|too large/);
  await db.updateTable('thing').set({ size: null }).execute();
  expect(await db.selectFrom('thing').selectAll().execute()).toEqual([{ id: 1, name: '', size: null }]);
});

test('a column that is added or renamed shows in what was read before', async () => {
  const { open, db } = await openShelf();
  await db.insertInto('thing').values({ id: 1, name: 'cup', size: 3 }).execute();
  const read = () => db.selectFrom('thing').selectAll().execute();
  expect(await read()).toEqual([{ id: 1, name: 'cup', size: 3 }]);
  await db.schema.alterTable('thing').addColumn('colour', 'text').execute();
  expect(await read()).toEqual([{ id: 1, name: 'cup', size: 3, colour: null }]);
  await db.schema.alterTable('thing').renameColumn('size', 'height').execute();
  expect(await read()).toEqual([{ id: 1, name: 'cup', height: 3, colour: null }]);
  await db.schema.alterTable('thing').dropColumn('colour').execute();
  await db.schema.alterTable('thing').addColumn('colour', 'text').execute();
  expect(await read()).toEqual([{ id: 1, name: 'cup', height: 3, colour: null }]);
  // Whoever was begun before another process added one need not see it, and reads the others as before.
  await (await open()).as<Shelf>().schema.alterTable('thing').addColumn('weight', 'integer').execute();
  expect(await read()).toMatchObject([{ id: 1, name: 'cup', height: 3, colour: null }]);
});

test('a NUL is neither stored nor looked for', async () => {
  const { db } = await openShelf();
  await db.insertInto('thing').values({ id: 1, name: 'a\0b', size: null }).execute();
  expect(await db.selectFrom('thing').select('name').where('name', '=', '\0ab').execute()).toEqual([{ name: 'ab' }]);
});

test('what is read in a turn stays so until it is written, though other connections wait to do the same', async () => {
  const { open, db } = await openShelf();
  await db.insertInto('thing').values({ id: 1, name: '', size: 0 }).execute();
  const others = await Promise.all([open(), open(), open()]);
  const raise = (index: number) =>
    others[index % others.length]?.withLock<Shelf, void>('shelf', async transaction => {
      const { size } = await transaction.selectFrom('thing').select('size').executeTakeFirstOrThrow();
      await transaction
        .updateTable('thing')
        .set({ size: Number(size) + 1 })
        .execute();
    });
  await Promise.all(Array.from({ length: 60 }, (_, index) => raise(index)));
  expect((await db.selectFrom('thing').select('size').executeTakeFirstOrThrow()).size).toBe(60);
});

test('a statement alone is there when it is answered, and stays whatever becomes of the turns beside it', async () => {
  const { database, db } = await openShelf();
  const failing = database.withLock<Shelf, void>('shelf', async transaction => {
    await transaction.insertInto('thing').values({ id: 1, name: '', size: null }).execute();
    throw new Error('changed my mind');
  });
  const put = (id: number) =>
    database.single<Shelf, unknown>(shelf => shelf.insertInto('thing').values({ id, name: '', size: null }).execute());
  await Promise.all([put(2), put(3), expect(failing).rejects.toThrow('changed my mind')]);
  const rows = await db.selectFrom('thing').select('id').orderBy('id').execute();
  expect(rows).toEqual([{ id: 2 }, { id: 3 }]);
  await expect(put(2)).rejects.toThrow();
});

test('a turn that fails leaves nothing behind', async () => {
  const { database, db } = await openShelf();
  const failing = database.withLock<Shelf, void>('shelf', async transaction => {
    await transaction.insertInto('thing').values({ id: 1, name: '', size: null }).execute();
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(await db.selectFrom('thing').selectAll().execute()).toEqual([]);
});

test('steps are taken once, also by processes that start at once; a step from the future stops the start', async () => {
  const { open, database } = await openShelf();
  const more: Migration = {
    name: '002-one-thing',
    up: async db => {
      await db.withTables<Shelf>().insertInto('thing').values({ id: 1, name: 'one', size: null }).execute();
    },
  };
  const others = await Promise.all([open(), open(), open()]);
  await Promise.all(others.map(each => migrate(each, 'shelf', [shelf, more], new Date(0))));
  expect(await database.as<Shelf>().selectFrom('thing').select('name').execute()).toEqual([{ name: 'one' }]);
  await expect(migrate(database, 'shelf', [shelf], new Date(0))).rejects.toThrow('“002-one-thing” of “shelf”');
});

test('a trial of room leaves nothing behind, also when two processes try at once', async () => {
  const { open, database } = await openShelf();
  const other = await open();
  await Promise.all([database.tryRoom(), other.tryRoom(), database.tryRoom()]);
  const { rows } = await sql`select 1 from schema_migration where part = 'room'`.execute(database.as());
  expect(rows).toEqual([]);
});
