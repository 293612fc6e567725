import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { NoTables } from './engine.ts';

/** Bytes that are written: enough to need new pages. They are random, because Postgres would make others small. */
const size = 64_000;

/** Stores something and removes it, in a transaction. Needs no table of anybody's. */
export async function tryRoom(transaction: Kysely<NoTables>): Promise<void> {
  await sql`create table muster_room (filler text)`.execute(transaction);
  await sql`insert into muster_room (filler) values (${randomBytes(size / 2).toString('hex')})`.execute(transaction);
  await sql`drop table muster_room`.execute(transaction);
}
