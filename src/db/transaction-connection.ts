import type { DatabaseConnection, Kysely, QueryExecutor } from 'kysely';

/** The connections of the transactions that are going on. */
const pinned = new WeakMap<QueryExecutor, DatabaseConnection>();

/**
 * Does work in a transaction that has just begun, and knows its connection meanwhile. Kysely provides it anew for each
 * statement, at the cost of ten promises, which is more than what a small statement costs SQLite.
 */
export async function pinConnection<Tables, T>(transaction: Kysely<Tables>, work: () => Promise<T>): Promise<T> {
  const executor = transaction.getExecutor();
  await executor.provideConnection(async connection => void pinned.set(executor, connection));
  try {
    return await work();
  } finally {
    // Whoever still wants something of the transaction is told by Kysely that it is over.
    pinned.delete(executor);
  }
}

/** Runs something on the connection behind an executor: at once in a transaction whose connection is held. */
export function withConnection<T>(
  executor: QueryExecutor,
  run: (connection: DatabaseConnection) => Promise<T>,
): Promise<T> {
  const connection = pinned.get(executor);
  return connection ? run(connection) : executor.provideConnection(run);
}
