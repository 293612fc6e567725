import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** Statements kept prepared per database; beyond it the oldest is prepared anew when it is needed. */
const maxPrepared = 500;

/** Kysely's dialect over Node's own SQLite: write-ahead log, every commit on disk before it is answered. */
export function openSqlite(file: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ImmediateDriver({ database: async () => openFile(file) }),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Takes the write lock when a transaction begins: one that starts by reading could not get it later without losing its snapshot. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

function openFile(file: string): SqliteDatabase {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  const prepared = new Map<string, Prepared>();
  return {
    close: () => database.close(),
    prepare: sql => {
      const known = prepared.get(sql);
      if (known) return known;
      const statement = new Prepared(database.prepare(sql));
      if (prepared.size >= maxPrepared) {
        const oldest = prepared.keys().next();
        if (!oldest.done) prepared.delete(oldest.value);
      }
      prepared.set(sql, statement);
      return statement;
    },
  };
}

class Prepared {
  readonly reader: boolean;
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...parameters.map(toValue));
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...parameters.map(toValue));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...parameters.map(toValue));
  }
}

function toValue(parameter: unknown): SQLInputValue {
  if (typeof parameter === 'boolean') return parameter ? 1 : 0;
  if (parameter === undefined) return null;
  if (
    parameter === null ||
    typeof parameter === 'string' ||
    typeof parameter === 'number' ||
    typeof parameter === 'bigint' ||
    parameter instanceof Uint8Array
  ) {
    return parameter;
  }
  throw new TypeError(`SQLite cannot store a ${typeof parameter}`);
}
