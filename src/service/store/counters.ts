import { definePrepared, type Params } from '../../db/prepared.ts';
import type { CounterName, Db } from './tables.ts';

const raise = definePrepared((db: Db, value: Params<{ name: CounterName; many: number }>) =>
  db
    .updateTable('counter')
    .set(({ eb }) => ({ value: eb('value', '+', value.many) }))
    .where('name', '=', value.name)
    .returning('value'),
);

/** Takes the next number of a sort, or `many` of them at once: the first of the numbers taken. */
export async function takeNumber(db: Db, name: CounterName, many = 1): Promise<number> {
  const [row] = await raise(db, { name, many });
  if (!row) throw new Error(`nothing counts ${name}`);
  return row.value - many + 1;
}

/** The last number given of a sort. */
export async function lastNumber(db: Db, name: CounterName): Promise<number> {
  const { value } = await db.selectFrom('counter').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return value;
}

/**
 * Says that what many incidents show has changed: the names of people, roles or labels. Whoever changes these does it in the
 * same transaction.
 */
export async function raiseDirectory(db: Db): Promise<void> {
  await db
    .insertInto('counter')
    .values({ name: 'directory', value: 1 })
    .onConflict(conflict => conflict.column('name').doUpdateSet(({ eb }) => ({ value: eb('counter.value', '+', 1) })))
    .execute();
}
