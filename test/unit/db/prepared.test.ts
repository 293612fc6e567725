import type { Kysely } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { definePrepared, definePreparedChanges, type Params } from '../../../src/db/prepared.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

type Shelf = { thing: { id: number; name: string } };

const insert = definePrepared((db: Kysely<Shelf>, value: Params<{ id: number; name: string }>) =>
  db.insertInto('thing').values(value),
);
const byNames = definePrepared((db: Kysely<Shelf>, value: Params<{ names: readonly string[]; least: number }>) =>
  db.selectFrom('thing').select('id').where('name', 'in', value.names).where('id', '>=', value.least).orderBy('id'),
);

/** Renames one, and adds one. */
const renameAndAdd = definePreparedChanges(
  (db: Kysely<Shelf>, { ids, name, added }: Params<{ ids: readonly number[]; name: string; added: number }>) => [
    db.updateTable('thing').set({ name }).where('id', 'in', ids),
    db.insertInto('thing').values({ id: added, name }),
  ],
);

async function openShelf() {
  const fresh = await makeDatabase('no tables');
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const database = await openDatabase(fresh.url);
  onTestFinished(() => database[Symbol.asyncDispose]());
  const db = database.as<Shelf>();
  await db.schema
    .createTable('thing')
    .addColumn('id', 'integer', column => column.primaryKey())
    .addColumn('name', 'text', column => column.notNull())
    .execute();
  for (const id of [1, 2, 3, 4, 5, 6]) await insert(db, { id, name: `n${id}` });
  return { database, db };
}

test('each run has its own values, and lists of any length', async () => {
  const { database, db } = await openShelf();
  const find = async (least: number, ...names: string[]) => (await byNames(db, { names, least })).map(each => each.id);
  expect(await find(0, 'n1')).toEqual([1]);
  expect(await find(0, 'n2', 'n1', 'n3')).toEqual([1, 2, 3]);
  expect(await find(0, 'n4', 'n5', 'n6')).toEqual([4, 5, 6]);
  expect(await find(5, 'n4', 'n5', 'n6', 'n1', 'n2')).toEqual([5, 6]);
  await expect(find(0)).rejects.toThrow('names');
  const withLock = database.withLock<Shelf, number[]>('shelf', async transaction => {
    await insert(transaction, { id: 7, name: 'n7' });
    return (await byNames(transaction, { names: ['n7'], least: 0 })).map(each => each.id);
  });
  expect(await withLock).toEqual([7]);
});

test('a NUL is neither stored nor looked for', async () => {
  const { db } = await openShelf();
  await insert(db, { id: 8, name: 'a\0b' });
  expect(await byNames(db, { names: ['ab\0'], least: 0 })).toEqual([{ id: 8 }]);
});

test('a statement that comes after its transaction is refused, and does nothing', async () => {
  const { database, db } = await openShelf();
  let late: Kysely<Shelf> | undefined;
  await database.withLock<Shelf, void>('shelf', async transaction => {
    late = transaction;
    await insert(transaction, { id: 9, name: 'n9' });
  });
  const refused = late && insert(late, { id: 10, name: 'n10' });
  await expect(refused).rejects.toThrow('Transaction is already committed');
  expect(await byNames(db, { names: ['n9', 'n10'], least: 0 })).toEqual([{ id: 9 }]);
});

test('several changes are made together, or none is', async () => {
  const { database, db } = await openShelf();
  const change = (ids: readonly number[], name: string, added: number) =>
    database.single<Shelf, void>(some => renameAndAdd(some, { ids, name, added }));
  const find = async (name: string) => (await byNames(db, { names: [name], least: 0 })).map(each => each.id);
  await change([1, 2, 3], 'new', 7);
  await change([4], 'newer', 8);
  expect([await find('new'), await find('newer')]).toEqual([
    [1, 2, 3, 7],
    [4, 8],
  ]);
  await expect(change([1], 'newest', 8)).rejects.toThrow();
  expect(await find('newest')).toEqual([]);
});
