import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { NoTables } from './engine.ts';
import type { StepTables } from './steps.ts';

/** Bytes that are written: enough to need new pages. They are random, because Postgres would make others small. */
const fillerBytes = 64_000;

/** Stores something and removes it, in a transaction, in a table that each database of Muster's has. */
export async function tryRoom(transaction: Kysely<NoTables>): Promise<void> {
  const db = transaction.withTables<StepTables>();
  const filler = { part: 'room', name: randomUUID(), applied_at: randomBytes(fillerBytes / 2).toString('hex') };
  await db.insertInto('schema_migration').values(filler).execute();
  await db.deleteFrom('schema_migration').where('part', '=', filler.part).where('name', '=', filler.name).execute();
}
