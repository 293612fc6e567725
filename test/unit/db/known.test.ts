import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/db/database.ts';
import type { NoTables } from '../../../src/db/engine.ts';
import { Known } from '../../../src/db/known.ts';
import { definePreparedChange } from '../../../src/db/prepared.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

type Tables = { trial_shelf: { id: string; books: number }; trial_other: { id: string; books: number } };
type Table = keyof Tables;

async function openShelves(): Promise<Database> {
  const made = await makeDatabase();
  const database = await openDatabase(made.url);
  const db = database.as<Tables>();
  for (const table of ['trial_shelf', 'trial_other'] as const) {
    await db.schema.createTable(table).addColumn('id', 'text').addColumn('books', 'integer').execute();
    await db.insertInto(table).values({ id: 'a', books: 0 }).execute();
  }
  onTestFinished(async () => {
    // Another test may get the database.
    for (const table of ['trial_shelf', 'trial_other'] as const) await db.schema.dropTable(table).execute();
    await database[Symbol.asyncDispose]();
    await made[Symbol.asyncDispose]();
  });
  return database;
}

/** Reads a table by way of what is known, and counts how often it is really read. */
function openReader(database: Database, known = new Known(database)) {
  const db = database.as<Tables>();
  let reads = 0;
  return {
    reads: () => reads,
    read: (table: Table) =>
      known.once(`all of ${table}`, [table], async () => {
        reads += 1;
        return (await db.selectFrom(table).select('books').executeTakeFirstOrThrow()).books;
      }),
  };
}

const addPrepared = definePreparedChange<Tables, { more: number }>((db, { more }) =>
  db.updateTable('trial_shelf').set({ books: sql`books + ${more}` }),
);
const add = (db: Kysely<Tables>, table: Table) => db.updateTable(table).set({ books: sql`books + 1` }).execute();

/** Each way in which a process changes a table. */
const ways: Readonly<Record<string, (database: Database, table: Table) => Promise<unknown>>> = {
  statement: (database, table) => add(database.as<Tables>(), table),
  alias: database => database.as<Tables>().updateTable('trial_shelf as shelf').set({ books: sql`books + 1` }).execute(),
  single: (database, table) => database.single<Tables, unknown>(db => add(db, table)),
  transaction: (database, table) => database.withLock<Tables, unknown>('shelves', trx => add(trx, table)),
  prepared: database => database.withLock<Tables, unknown>('shelves', trx => addPrepared(trx, { more: 1 })),
  insert: async (database, table) => {
    const { books } = await database.as<Tables>().selectFrom(table).select('books').executeTakeFirstOrThrow();
    await database.withLock<Tables, unknown>('shelves', async trx => {
      await trx.deleteFrom(table).execute();
      await trx
        .insertInto(table)
        .values({ id: 'a', books: books + 1 })
        .execute();
    });
  },
  'by hand': database => sql`update trial_other set books = books + 1`.execute(database.as<NoTables>()),
  undone: (database, table) =>
    database
      .withLock<Tables, unknown>('shelves', async trx => {
        await add(trx, table);
        throw new Error('undone');
      })
      .catch(() => undefined),
};

test('what is known is what is stored, however this process changes it', async () => {
  const database = await openShelves();
  const { read } = openReader(database);
  const step = fc.record({
    way: fc.constantFrom(...Object.keys(ways)),
    table: fc.constantFrom<Table>('trial_shelf', 'trial_other'),
    both: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async steps => {
      for (const { way, table, both } of steps) {
        await read(table);
        const change = ways[way]?.(database, table);
        // A reading that goes on during a change is not kept beyond it.
        if (both) await Promise.all([change, read('trial_shelf'), read('trial_other')]);
        else await change;
        const db = database.as<Tables>();
        for (const each of ['trial_shelf', 'trial_other'] as const) {
          const { books } = await db.selectFrom(each).select('books').executeTakeFirstOrThrow();
          expect(await read(each), `${each} after ${way}`).toBe(books);
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('a thing is read once, also by several at a time, until its own table changes or five seconds passed', async () => {
  const database = await openShelves();
  const { read, reads } = openReader(database);
  await Promise.all([read('trial_shelf'), read('trial_shelf')]);
  await ways.transaction?.(database, 'trial_other');
  await read('trial_shelf');
  expect(reads()).toBe(1);
  await ways.transaction?.(database, 'trial_shelf');
  await read('trial_shelf');
  expect(reads()).toBe(2);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 5001);
  onTestFinished(() => void vi.restoreAllMocks());
  await read('trial_shelf');
  expect(reads(), 'another process may have changed it').toBe(3);
});

test('a statement may bring along what else it read; what failed is read again', async () => {
  const database = await openShelves();
  const known = new Known(database);
  const never = () => Promise.reject(new Error('it is known'));
  await known.once('both', ['trial_shelf', 'trial_other'], async also => also('other', ['trial_other'], 7));
  await ways.transaction?.(database, 'trial_shelf');
  expect(await known.once('other', ['trial_other'], never)).toBe(7);
  await ways.transaction?.(database, 'trial_other');
  await expect(known.once('other', ['trial_other'], never)).rejects.toThrow('it is known');
  expect(await known.once('other', ['trial_other'], async () => 8)).toBe(8);
});
