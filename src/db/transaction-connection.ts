import type { DatabaseConnection, Kysely, QueryExecutor } from 'kysely';

/** The connections of open transactions. */
const pinned = new WeakMap<QueryExecutor, DatabaseConnection>();

/**
 * Runs `work` in a transaction that has just begun and remembers its connection meanwhile. Kysely would provide the connection
 * again for each statement, at the cost of ten promises, which is more than a small statement costs SQLite.
 */
export async function pinConnection<Tables, T>(transaction: Kysely<Tables>, work: () => Promise<T>): Promise<T> {
  const executor = transaction.getExecutor();
  await executor.provideConnection(async connection => void pinned.set(executor, connection));
  try {
    return await work();
  } finally {
    // A statement that comes later gets Kysely's error: the transaction is over.
    pinned.delete(executor);
  }
}

/** Runs something on the connection behind an executor, at once in a transaction whose connection is pinned. */
export function withConnection<T>(
  executor: QueryExecutor,
  run: (connection: DatabaseConnection) => Promise<T>,
): Promise<T> {
  const connection = pinned.get(executor);
  return connection ? run(connection) : executor.provideConnection(run);
}
