import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../src/db/database.ts';
import { startPostgres } from '../test/support/databases/postgres-server.ts';

/** Makes an empty database; returns its address. A name is used once. */
export type MakeDatabase = (name: string) => Promise<string>;

/** SQLite files in a folder. */
export function filesIn(folder: string): MakeDatabase {
  return async name => `sqlite:${join(folder, `${name}.db`)}`;
}

/** Databases of a Postgres on this machine, behind a line on which a way and back takes so many milliseconds; 0: no line. */
export async function openPostgresBehind(
  roundTrip: number,
): Promise<AsyncDisposable & { readonly make: MakeDatabase }> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startPostgres());
  const direct = new URL(server.url('postgres'));
  const far = new URL(direct);
  if (roundTrip > 0) {
    const line = stack.adopt(
      fork(new URL('./slow-line.ts', import.meta.url), [direct.port, String(roundTrip)]),
      each => {
        each.kill();
      },
    );
    const [port] = (await once(line, 'message')) as [number];
    far.port = String(port);
  }
  const admin = stack.use(await openDatabase(direct.href));
  const all = stack.move();
  return {
    make: async name => {
      await sql`create database ${sql.id(name)}`.execute(admin.as());
      far.pathname = `/${name}`;
      return far.href;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
