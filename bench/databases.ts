import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../src/db/database.ts';
import { startPostgres } from '../test/support/databases/postgres-server.ts';
import { behindLine, lineTime, openLine } from './line.ts';
import type { Row } from './measure.ts';

/** Makes an empty database; returns its address. A name is used once. */
export type MakeDatabase = (name: string) => Promise<string>;

/** SQLite files in a folder. */
export function filesIn(folder: string): MakeDatabase {
  return async name => `sqlite:${join(folder, `${name}.db`)}`;
}

/**
 * The rows of a measurement with databases of a Postgres on this machine, behind a line on which a way and back takes so many
 * milliseconds; 0: no line. Before them come rows of the line; see {@link behindLine}.
 */
export async function* onPostgres(
  roundTrip: number,
  measure: (make: MakeDatabase) => Promise<readonly Row[]>,
): AsyncIterable<Row> {
  await using server = await startPostgres();
  const direct = server.url('postgres');
  await using admin = await openDatabase(direct);
  const makeAt =
    (port: string): MakeDatabase =>
    async name => {
      await sql`create database ${sql.id(name)}`.execute(admin.as());
      return at(server.url(name), port);
    };
  const { port } = new URL(direct);
  if (roundTrip === 0) {
    yield* await measure(makeAt(port));
    return;
  }
  await using line = await openLine(Number(port), roundTrip);
  const far = String(line.port);
  yield* behindLine(
    line,
    () => lineTime(direct, at(direct, far)),
    () => measure(makeAt(far)),
  );
}

/** An address with another port. */
function at(address: string, port: string): string {
  return Object.assign(new URL(address), { port }).href;
}
