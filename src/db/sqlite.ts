import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import type { Engine } from './engine.ts';
import { isBusy } from './failure.ts';
import { toStorable } from './storable.ts';

/** Statements kept prepared per database. Beyond that, the one prepared first is dropped. */
const maxPrepared = 500;
/**
 * The longest statement that is kept, in characters. Longer ones are lists of values, which hardly ever have the same length
 * again.
 */
const maxPreparedLength = 10_000;
/** Statements that may change the columns of those prepared before. */
const schemaChange = /^\s*(alter|drop)\b/i;
/**
 * Pages of 4 KiB in the write-ahead log after which SQLite copies them into the database. A page that is written again and
 * again is copied once.
 */
const logPages = 16_000;
/**
 * How often a statement is tried while another process holds the lock, and the longest pause between tries, in milliseconds.
 */
const maxAttempts = 250;
const longestPause = 20;

/** Opens Node's own SQLite with a write-ahead log. Every commit is on disk before it is answered. */
export function openSqlite(file: string): Engine {
  return {
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new FileDriver(file),
      createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
      createQueryCompiler: () => new Compiler(),
    },
    // A file is opened on first use, and any error appears then.
    check: async () => {},
    occupy: async part => occupyFile(file, part),
  };
}

/** The lock of a second file beside the database: it ends with the process, however that ends. */
function occupyFile(file: string, part: string): AsyncDisposable | undefined {
  if (file === ':memory:') return { [Symbol.asyncDispose]: async () => {} };
  const lock = new DatabaseSync(`${file}-${part}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { [Symbol.asyncDispose]: async () => lock.close() };
}

const begin = CompiledQuery.raw('begin immediate');
const commit = CompiledQuery.raw('commit');
const rollback = CompiledQuery.raw('rollback');

class Compiler extends SqliteQueryCompiler {
  /** Writes a limit out: SQLite plans a statement anew whenever a value for its limit is bound, which takes longer than running it. */
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${limit.value}`);
    else super.visitLimit(node);
  }

  protected override addParameter(parameter: unknown): void {
    super.addParameter(toStorable(parameter));
  }
}

class FileDriver implements Driver {
  readonly #file: string;
  #connection: FileConnection | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {
    this.#connection = new FileConnection(await whileBusy(() => openFile(this.#file)));
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#connection) throw new Error('the database is closed');
    return this.#connection;
  }

  /**
   * Takes the write lock when a transaction begins. A transaction that begins with a read could not get the lock later without
   * losing its snapshot.
   */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(begin);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(commit);
  }

  /** SQLite itself undoes a transaction that finds the disk full or cannot write (sqlite.org/lang_transaction.html). */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection?.isInTransaction) await connection.executeQuery(rollback);
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** One connection with its prepared statements. */
class FileConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#prepare(sql);
    const values = parameters.map(toValue);
    try {
      return statement.run(values);
    } catch (error) {
      if (!isBusy(error)) throw error;
      return await whileBusy(() => statement.run(values));
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read a page at a time, not streamed');
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = new Prepared(this.#database.prepare(sql));
    const isSchema = schemaChange.test(sql);
    // Their columns may be different from now on.
    if (isSchema) this.#prepared.clear();
    if (isSchema || sql.length > maxPreparedLength) return statement;
    if (this.#prepared.size >= maxPrepared) {
      const oldest = this.#prepared.keys().next();
      if (!oldest.done) this.#prepared.delete(oldest.value);
    }
    this.#prepared.set(sql, statement);
    return statement;
  }
}

class Prepared {
  readonly #statement: StatementSync;
  readonly #toRow: ((values: unknown) => unknown) | undefined;

  constructor(statement: StatementSync) {
    const names = statement.columns().map(column => column.name);
    this.#statement = statement;
    if (names.length === 0) return;
    statement.setReturnArrays(true);
    this.#toRow = rowsOf(names);
  }

  run<R>(values: SQLInputValue[]): QueryResult<R> {
    if (this.#toRow) return { rows: this.#statement.all(...values).map(this.#toRow) as R[] };
    const { changes } = this.#statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }
}

/** Makes rows of one shape from lists of values. Node's own rows are hash tables, three times as large as their content. */
function rowsOf(names: readonly string[]): (values: unknown) => unknown {
  // The copy has a fixed shape; an object built name by name is a hash table too.
  const shape: Record<string, unknown> = { ...Object.fromEntries(names.map(name => [name, null])) };
  return values => {
    const row = { ...shape };
    const list = values as readonly unknown[];
    names.forEach((name, index) => {
      row[name] = list[index];
    });
    return row;
  };
}

/**
 * Opens the file. `timeout` is 0, because SQLite would block the whole process while it waits for a lock; {@link whileBusy}
 * waits instead.
 */
function openFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = ${logPages};`,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Repeats `work`, with pauses, while another process holds the lock it needs. */
async function whileBusy<T>(work: () => T): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (attempt === maxAttempts || !isBusy(error)) throw error;
      await wait(Math.min(attempt, longestPause));
    }
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
