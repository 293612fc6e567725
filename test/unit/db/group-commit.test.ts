import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

type Shelf = { thing: { id: number } };

async function openShelf() {
  const fresh = await makeDatabase('no tables');
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const open = async () => {
    const opened = await openDatabase(fresh.url);
    onTestFinished(() => opened[Symbol.asyncDispose]());
    return opened;
  };
  const database = await open();
  await database
    .as<Shelf>()
    .schema.createTable('thing')
    .addColumn('id', 'integer', column => column.primaryKey())
    .execute();
  const other = await open();
  const put = (id: number, spoil = false) =>
    database.withLock<Shelf, number>('shelf', async transaction => {
      await transaction.insertInto('thing').values({ id }).execute();
      if (spoil) throw new Error(`thing ${id} is spoilt`);
      return id;
    });
  const ids = async () => {
    const rows = await other.as<Shelf>().selectFrom('thing').select('id').orderBy('id').execute();
    return rows.map(each => each.id);
  };
  const write = (id: number) => database.as<Shelf>().insertInto('thing').values({ id }).execute();
  const hurry = (id: number) =>
    database.single<Shelf, unknown>(db => db.insertInto('thing').values({ id }).execute(), { isUrgent: true });
  const seen = () => database.as<Shelf>().selectFrom('thing').select('id').execute();
  return { put, ids, write, hurry, seen, isFile: fresh.url.startsWith('sqlite:') };
}

test('of many turns asked for at once, each gets its own answer, and what fails is undone alone', async () => {
  const { put, ids } = await openShelf();
  const all = Array.from({ length: 150 }, (_, id) => id);
  const isSpoilt = (id: number) => id % 7 === 0;
  const answers = await Promise.allSettled(all.map(id => put(id, isSpoilt(id))));
  expect(answers.map(each => (each.status === 'fulfilled' ? each.value : String(each.reason.message)))).toEqual(
    all.map(id => (isSpoilt(id) ? `thing ${id} is spoilt` : id)),
  );
  expect(await ids()).toEqual(all.filter(id => !isSpoilt(id)));
});

test('a statement that fails spoils its own turn only', async () => {
  const { put, ids } = await openShelf();
  const answers = await Promise.allSettled([put(1), put(2), put(1), put(3)]);
  expect(answers.map(each => each.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await ids()).toEqual([1, 2, 3]);
});

test('a turn that was answered is there for every other connection', async () => {
  const { put, ids } = await openShelf();
  await Promise.all(
    Array.from({ length: 20 }, async (_, id) => {
      await put(id);
      expect(await ids()).toContain(id);
    }),
  );
});

test('what is written beside a turn that is undone stays', async () => {
  const { put, ids, write } = await openShelf();
  const turns = Array.from({ length: 40 }, (_, id) => put(id, true).catch(() => undefined));
  const beside = Array.from({ length: 40 }, (_, index) => write(100 + index));
  await Promise.all([...turns, ...beside]);
  expect(await ids()).toEqual(Array.from({ length: 40 }, (_, index) => 100 + index));
});

test('nobody reads what a turn has written until it is done', async () => {
  const { put, seen } = await openShelf();
  const turn = put(1, true).catch(() => undefined);
  const reads = Array.from({ length: 20 }, async () => {
    await Promise.resolve();
    return seen();
  });
  expect((await Promise.all(reads)).flat()).toEqual([]);
  await turn;
});

test('urgent work is there before what waits, and the rest follows in its order', async () => {
  const { put, ids, hurry, isFile } = await openShelf();
  const answered: number[] = [];
  const others = Array.from({ length: 40 }, (_, id) => put(id).then(() => answered.push(id)));
  await Promise.all([hurry(100), hurry(101)]);
  const early = await ids();
  expect(early).toEqual(expect.arrayContaining([100, 101]));
  // One that had begun already, at most.
  if (isFile) expect(early.length).toBeLessThanOrEqual(3);
  await Promise.all(others);
  expect(answered).toEqual(isFile ? Array.from({ length: 40 }, (_, id) => id) : expect.any(Array));
  expect(await ids()).toHaveLength(42);
});
