import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery, type Kysely, type QueryResult, SqliteIntrospector, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Engine } from './engine.ts';
import { explainSqlite } from './explain-sqlite.ts';
import { isBusy } from './failure.ts';
import { Adapter, Compiler } from './sqlite-compiler.ts';
import { changesSchema, type SqliteConnection, type SqliteConnections, SqliteDriver } from './sqlite-driver.ts';
import { checkWriteAheadLog, makeFolder, makePrivate, sizeOf } from './sqlite-files.ts';
import { createIdleCheckpoint, mayWrite } from './sqlite-idle.ts';
import { shrinkFile } from './sqlite-shrink.ts';

/** Statements kept prepared per database. Beyond that, the one prepared first is dropped. */
const maxPrepared = 500;
/**
 * The longest statement that is kept, in characters. Longer ones are lists of values, which hardly ever have the same length
 * again.
 */
const maxPreparedLength = 10_000;
/** Pages of 4 KiB in the write-ahead log after which SQLite copies them into the database. */
const logPages = 1000;
/** The size to which SQLite cuts a log that a long read let grow, in bytes. */
const logBytes = logPages * 4096;
/**
 * How often a statement is tried while another process holds the lock, and the longest pause between tries, in milliseconds.
 */
const maxAttempts = 250;
const longestPause = 20;

/** Opens Node's own SQLite with a write-ahead log. Every commit is on disk before it is answered. */
export async function openSqlite(file: string, log?: Logger): Promise<Engine> {
  if (file !== ':memory:') {
    await makeFolder(file);
    await checkWriteAheadLog(file, log);
    await makePrivate(file);
  }
  return {
    rowAddress: 'rowid',
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => new SqliteDriver(() => openConnections(file)),
      createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
      createQueryCompiler: () => new Compiler(),
    },
    // A file is opened on first use.
    check: async db => {
      await sql`select 1 from sqlite_schema`.execute(db).catch(error => {
        throw explainSqlite(error, file);
      });
    },
    explain: error => explainSqlite(error, file),
    shrink: async how => {
      if (file === ':memory:') return;
      using database = await whileBusy(() => openFile(file));
      await shrinkFile(database, how, whileBusy);
    },
    occupy: part => occupyFile(file, part),
    size: () => sizeOf(file),
  };
}

/** The lock of a second file beside the database: it ends with the process, however that ends. */
export async function occupyFile(file: string, part: string): Promise<AsyncDisposable | undefined> {
  if (file === ':memory:') return { [Symbol.asyncDispose]: async () => {} };
  await makePrivate(`${file}-${part}.lock`);
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

/** One connection with its prepared statements. */
class FileConnection implements SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  readonly #onWritten: () => void;
  #isInTransaction = false;
  /** Something may have been written since the last call of `#onWritten`. */
  #hasWritten = false;
  /** The error with which SQLite ended the transaction under way; undefined while there is none. */
  #ended: unknown;

  constructor(database: DatabaseSync, onWritten = () => {}) {
    this.#database = database;
    this.#onWritten = onWritten;
  }

  /**
   * Rejects every statement after the one at which SQLite undid the transaction by itself, as it does when the disk is full. They
   * would be carried out alone, and the error of the first is the one that says why.
   */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#ended !== undefined) throw this.#ended;
    const values = parameters.map(toValue);
    this.#hasWritten ||= mayWrite(sql);
    try {
      const statement = this.#prepare(sql);
      try {
        return statement.run(values);
      } catch (error) {
        if (!isBusy(error)) throw error;
        return await whileBusy(() => statement.run(values));
      } finally {
        if (!this.#isInTransaction) this.#tellWritten();
      }
    } catch (error) {
      if (this.#isInTransaction && !this.#database.isTransaction) this.#ended = error;
      throw error;
    }
  }

  async begin(): Promise<void> {
    await this.executeQuery(begin);
    this.#isInTransaction = true;
  }

  async commit(): Promise<void> {
    await this.executeQuery(commit);
    this.#isInTransaction = false;
    this.#tellWritten();
  }

  async rollback(): Promise<void> {
    this.#ended = undefined;
    this.#isInTransaction = false;
    if (this.#database.isTransaction) await this.executeQuery(rollback);
  }

  #tellWritten(): void {
    if (this.#hasWritten) this.#onWritten();
    this.#hasWritten = false;
  }

  forgetStatements(): void {
    this.#prepared.clear();
    // SQLite notices a changed schema when a statement runs, which is after its columns have been asked for.
    this.#database.exec('select 1 from sqlite_schema');
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = new Prepared(this.#database.prepare(sql));
    if (changesSchema(sql) || sql.length > maxPreparedLength) return statement;
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

/** The connections to a file. A database in memory has but one, because a second one would be another database. */
async function openConnections(file: string): Promise<SqliteConnections> {
  const database = await whileBusy(() => openFile(file));
  if (file === ':memory:') return { writer: new FileConnection(database) };
  const checkpoint = createIdleCheckpoint(database);
  const writer = new FileConnection(database, checkpoint);
  try {
    return { writer, reader: new FileConnection(await whileBusy(() => openFile(file, 'PRAGMA query_only = ON;'))) };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * Opens the file. `timeout` is 0, because SQLite would block the whole process while it waits for a lock; {@link whileBusy}
 * waits instead.
 */
function openFile(file: string, more = ''): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec(
      `PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = ${logPages}; PRAGMA journal_size_limit = ${logBytes};${more}`,
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

/** A SQLite file as it is, for work on the whole of it. */
interface PlainFile extends Disposable {
  /** Runs one statement, and gives its rows. Throws at once when another connection holds the lock. */
  run(statement: string, ...values: readonly (string | number)[]): readonly Readonly<Record<string, unknown>>[];
}

/** Opens a SQLite file that exists, and sets nothing of it. Throws with a sentence when it cannot. */
export function openPlainFile(file: string, { readOnly = false } = {}): PlainFile {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0, readOnly });
    // A file is read on first use.
    database.exec('select 1 from sqlite_schema');
  } catch (error) {
    database?.close();
    throw explainSqlite(error, file);
  }
  const opened = database;
  return {
    run: (statement, ...values) => opened.prepare(statement).all(...values),
    [Symbol.dispose]: () => opened.close(),
  };
}
