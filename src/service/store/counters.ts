import type { CounterName, Db } from './tables.ts';

/** Takes the next number of a sort, or `many` of them at once: the first of the numbers taken. */
export async function takeNumber(db: Db, name: CounterName, many = 1): Promise<number> {
  const { value } = await db
    .updateTable('counter')
    .set(({ eb }) => ({ value: eb('value', '+', many) }))
    .where('name', '=', name)
    .returning('value')
    .executeTakeFirstOrThrow();
  return value - many + 1;
}

/** The last number given of a sort. */
export async function lastNumber(db: Db, name: CounterName): Promise<number> {
  const { value } = await db.selectFrom('counter').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return value;
}
