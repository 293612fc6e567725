import { sql } from 'kysely';
import { definePrepared, type Params } from '../../db/prepared.ts';
import type { CounterName, Db } from './tables.ts';

const raise = definePrepared((db: Db, value: Params<{ name: CounterName; many: number }>) =>
  db
    .updateTable('counter')
    .set(({ eb }) => ({ value: eb('value', '+', value.many) }))
    .where('name', '=', value.name)
    .returning('value'),
);

/** Takes the next number of a counter, or the next `many` of them; gives the first. */
export async function takeNumber(db: Db, name: CounterName, many = 1): Promise<number> {
  const [row] = await raise(db, { name, many });
  if (!row) throw new Error(`there is no counter ${name}`);
  return row.value - many + 1;
}

const raiseTwo = definePrepared(
  (db: Db, value: Params<{ names: readonly CounterName[]; one: CounterName; many: number; others: number }>) =>
    db
      .updateTable('counter')
      // Postgres takes a value for a text unless its type is said.
      .set({
        value: sql`value + case when name = ${value.one} then cast(${value.many} as bigint) else cast(${value.others} as bigint) end`,
      })
      .where('name', 'in', value.names)
      .returning(['name', 'value']),
);

/** How many numbers of a counter are taken. */
type Take = readonly [name: CounterName, many: number];

/** Takes the next numbers of two counters by one statement; gives the first of each. */
export async function takeNumbers(db: Db, one: Take, other: Take): Promise<[number, number]> {
  const rows = await raiseTwo(db, { names: [one[0], other[0]], one: one[0], many: one[1], others: other[1] });
  const toFirst = ([name, many]: Take) => {
    const row = rows.find(each => each.name === name);
    if (!row) throw new Error(`there is no counter ${name}`);
    return row.value - many + 1;
  };
  return [toFirst(one), toFirst(other)];
}

const readLast = definePrepared((db: Db, value: Params<{ name: CounterName }>) =>
  db.selectFrom('counter').select('value').where('name', '=', value.name),
);

/** The last number that a counter gave; 0 before the first. */
export async function lastNumber(db: Db, name: CounterName): Promise<number> {
  const [row] = await readLast(db, { name });
  return row?.value ?? 0;
}

/**
 * Raises the directory's number, because something that many incidents show has changed: the name of a person, role or label.
 * It belongs in the transaction of the change.
 */
export async function raiseDirectory(db: Db): Promise<void> {
  await db
    .insertInto('counter')
    .values({ name: 'directory', value: 1 })
    .onConflict(conflict => conflict.column('name').doUpdateSet(({ eb }) => ({ value: eb('counter.value', '+', 1) })))
    .execute();
}
