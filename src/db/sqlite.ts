import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as breathe, setTimeout as wait } from 'node:timers/promises';
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
  sql,
  ValueNode,
} from 'kysely';
import type { Logger } from 'pino';
import type { Engine } from './engine.ts';
import { isBusy, isDamaged, isForeignTable, toSqliteResult } from './failure.ts';
import { checkWriteAheadLog, makeFolder, makePrivate, sizeOf } from './sqlite-files.ts';
import { toStorable } from './storable.ts';

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
      createDriver: () => new SqliteDriver(file),
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

/** The lock of a second file next to the database: it ends with the process, however that ends. */
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

/** Whether a statement may change the columns of those prepared before. */
function changesSchema(sql: string): boolean {
  return /^\s*(alter|drop)\b/i.test(sql);
}

/** One connection to a file, with its prepared statements. It does one thing after another. */
class FileConnection {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  readonly #onWritten: () => void;
  #isInTransaction = false;
  /** Something may have been written since the last call of `#onWritten`. */
  #hasWritten = false;
  /** The error with which SQLite ended the transaction under way; undefined while there is none. */
  #ended: unknown;

  constructor(file: string, database: DatabaseSync, onWritten = () => {}) {
    this.#file = file;
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
    try {
      const statement = this.#prepare(sql);
      this.#hasWritten ||= statement.mayWrite;
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
      // Any statement may be the first that reads a damaged page.
      throw isDamaged(error) ? explainSqlite(error, this.#file) : error;
    }
  }

  /**
   * Begins a transaction and takes the write lock of the file with it. A transaction that begins with a read could not get the
   * lock later without losing its snapshot.
   */
  async begin(): Promise<void> {
    await this.executeQuery(begin);
    this.#isInTransaction = true;
  }

  async commit(): Promise<void> {
    await this.executeQuery(commit);
    this.#isInTransaction = false;
    this.#tellWritten();
  }

  /** Undoes the transaction, if SQLite has not done so by itself. */
  async rollback(): Promise<void> {
    this.#ended = undefined;
    this.#isInTransaction = false;
    if (this.#database.isTransaction) await this.executeQuery(rollback);
  }

  #tellWritten(): void {
    if (this.#hasWritten) this.#onWritten();
    this.#hasWritten = false;
  }

  /** Drops the prepared statements and reads the schema again, because columns may be different from now on. */
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
    const statement = new Prepared(this.#database.prepare(sql), !readsAlone.test(sql));
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
  /** Whether it may change something, so that the log is longer afterwards. */
  readonly mayWrite: boolean;

  constructor(statement: StatementSync, mayWrite: boolean) {
    this.mayWrite = mayWrite;
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

/** The connections of one process to one file. */
interface SqliteConnections {
  readonly writer: FileConnection;
  /** Reads what is committed, and waits for no lock (sqlite.org/wal.html, Concurrency). Absent for a database in memory. */
  readonly reader?: FileConnection;
}

/** The connections to a file. A database in memory has but one, because a second one would be another database. */
async function openConnections(file: string): Promise<SqliteConnections> {
  const database = await whileBusy(() => openFile(file));
  if (file === ':memory:') return { writer: new FileConnection(file, database) };
  const checkpoint = createIdleCheckpoint(database);
  const writer = new FileConnection(file, database, checkpoint);
  try {
    return {
      writer,
      reader: new FileConnection(file, await whileBusy(() => openFile(file, 'PRAGMA query_only = ON;'))),
    };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * Kysely's driver of a SQLite file. Reads outside of transactions run on a connection of their own: they never wait for a
 * transaction of this process, nor for the lock that another process holds. Everything else takes its turn at the writer.
 */
class SqliteDriver implements Driver {
  readonly #file: string;
  readonly #turns = new Turns();
  #connections: SqliteConnections | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {
    this.#connections = await openConnections(this.#file);
  }

  async acquireConnection(): Promise<Session> {
    if (!this.#connections) throw new Error('the database is closed');
    return new Session(this.#connections, this.#turns);
  }

  async beginTransaction(session: Session): Promise<void> {
    await session.begin();
  }

  async commitTransaction(session: Session): Promise<void> {
    await session.commit();
  }

  async rollbackTransaction(session: Session): Promise<void> {
    await session.rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    const connections = this.#connections;
    this.#connections = undefined;
    connections?.reader?.close();
    connections?.writer.close();
  }
}

/** What one caller does with the connections, from one statement to a whole transaction. */
class Session implements DatabaseConnection {
  readonly #connections: SqliteConnections;
  readonly #turns: Turns;
  #isInTransaction = false;
  /** Whether a statement has changed the schema since the reader last looked at it. */
  #hasNewSchema = false;

  constructor(connections: SqliteConnections, turns: Turns) {
    this.#connections = connections;
    this.#turns = turns;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { reader } = this.#connections;
    if (this.#isInTransaction) return this.#write(query);
    if (reader && query.query.kind === 'SelectQueryNode') return reader.executeQuery(query);
    return this.#turns.run(() => this.#write(query));
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read a page at a time, not streamed');
  }

  async begin(): Promise<void> {
    await this.#turns.take();
    try {
      await this.#connections.writer.begin();
      this.#isInTransaction = true;
    } catch (error) {
      this.#turns.pass();
      throw error;
    }
  }

  async commit(): Promise<void> {
    await this.#connections.writer.commit();
    this.#showSchema();
    this.#end();
  }

  async rollback(): Promise<void> {
    try {
      await this.#connections.writer.rollback();
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#isInTransaction = false;
    this.#turns.pass();
  }

  async #write<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer } = this.#connections;
    const result = await writer.executeQuery<R>(query);
    if (changesSchema(query.sql)) {
      writer.forgetStatements();
      this.#hasNewSchema = true;
      if (!this.#isInTransaction) this.#showSchema();
    }
    return result;
  }

  #showSchema(): void {
    if (this.#hasNewSchema) this.#connections.reader?.forgetStatements();
    this.#hasNewSchema = false;
  }
}

/** Lets one caller at a time write, in the order in which they came. */
class Turns {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  async take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  /** Gives the turn to the next one. */
  pass(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await work();
    } finally {
      this.pass();
    }
  }
}

/** The driver itself lets one statement or transaction write at a time, and reads at the same time. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Writes statements in SQLite's own tongue. */
class Compiler extends SqliteQueryCompiler {
  /** Writes a limit out: SQLite plans a statement again whenever a value for its limit is bound, which takes longer than running it. */
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${limit.value}`);
    else super.visitLimit(node);
  }

  protected override addParameter(parameter: unknown): void {
    super.addParameter(toStorable(parameter));
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

/** Opens a SQLite file that exists, and sets nothing of it. Throws with a sentence when it cannot. */
export function openPlainFile(file: string, { readOnly = false } = {}) {
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
    /** Runs one statement, and gives its rows. Throws at once when another connection holds the lock. */
    run: (statement: string, ...values: readonly (string | number)[]) => {
      try {
        return opened.prepare(statement).all(...values);
      } catch (error) {
        throw isDamaged(error) ? explainSqlite(error, file) : error;
      }
    },
    /** Reads each page, a second for some hundred megabytes. Throws with the sentence of a start when one is damaged. */
    checkPages() {
      const found = String(this.run('pragma quick_check(1)')[0]?.quick_check);
      // As SQLite itself says it of a statement.
      const error = Object.assign(new Error(found), { code: 'ERR_SQLITE_ERROR', errcode: 11 });
      if (found !== 'ok') throw explainSqlite(error, file);
    },
    [Symbol.dispose]: () => opened.close(),
  };
}

/** What each result code means to the person who starts Muster, and the way out (sqlite.org/rescode.html). */
const remedies: Readonly<Record<number, string>> = {
  5: 'another program holds it locked. Stop that program',
  6: 'another program holds it locked. Stop that program',
  8: 'Muster may not write there. Give its user the right to write the file and its folder',
  10: 'the disk reports an error. Check the disk and its mount',
  11: 'it is damaged. Restore a backup, or save what can be read: sqlite3 <file> .recover',
  13: 'the disk is full. Make room on it; a Muster that waits for it goes on by itself',
  14: 'it cannot be opened. Check that it is a file in a folder that Muster’s user may read and write',
  26: 'it is not a SQLite database. Name another file, or restore a backup',
};

/** The error of a start on a SQLite file, as one that names the file, the setting, and the way out. */
function explainSqlite(error: unknown, file: string): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const remedy = isForeignTable(error)
    ? 'it has tables of another program. Name another file, or one that does not exist yet'
    : remedies[toSqliteResult(error) ?? 0];
  if (remedy === undefined) return error instanceof Error ? error : new Error(reason);
  return new Error(`The database ${file} of DATABASE_URL cannot be used: ${remedy} (${reason}).`, { cause: error });
}

/** A connection to a file, as far as emptying its log needs one. */
interface IdleConnection {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(statement: string): { get(): unknown };
}

/** After so long without a write the whole log is copied into the database, in milliseconds. */
const idleTime = 1000;

/** Statements that change nothing. */
const readsAlone =
  /^\s*(?:(?:select|begin|commit|rollback|savepoint|release)\b|with\b(?!.*\b(?:insert|update|delete)\b))/is;

/** Gives the function to call after each write: when none follows for a while, it empties the log. */
export function createIdleCheckpoint(database: IdleConnection): () => void {
  let timer: NodeJS.Timeout | undefined;
  const empty = () => {
    // A reader or writer uses the database at this moment: later, since no write may follow.
    if (database.isOpen && !isEmptied(database)) timer?.refresh();
  };
  return () => {
    timer ??= setTimeout(empty, idleTime).unref();
    timer.refresh();
  };
}

/** Empties the log. False while a reader holds an older moment of the database, or a writer is at work. */
function isEmptied(database: IdleConnection): boolean {
  if (database.isTransaction) return false;
  try {
    // SQLite copies what it may, and tells in its first column that it could not finish (sqlite.org/pragma.html, wal_checkpoint).
    const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return !(typeof row === 'object' && row !== null && 'busy' in row && row.busy === 1);
  } catch (error) {
    // After a fault of the disk the log stays as it is; the next write shows the fault.
    return !isBusy(error);
  }
}

/** Free pages of 4 KiB that stay in a file, because new rows will need them soon. */
const keptFree = 1000;
/** Free pages that are given back in one write. */
const pagesTogether = 500;

/**
 * Gives the free pages of a file back to the disk. `some` leaves a few for new rows and goes in small steps; `all` writes the whole file
 * again, so that nothing of what was deleted is left in it. A file of an older Muster is written again in both cases, once. A reader in the
 * way lets the file shrink later.
 */
async function shrinkFile(
  database: {
    exec(statements: string): void;
    prepare(statement: string): { get(): Record<string, unknown> | undefined };
  },
  how: 'some' | 'all',
  whileBusy: <T>(work: () => T) => Promise<T>,
): Promise<void> {
  const read = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const free = read('freelist_count');
  if (how === 'some' && free <= keptFree) return;
  if (how === 'all' || read('auto_vacuum') === 0) {
    await whileBusy(() => database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM'));
  } else {
    for (let left = free; left > keptFree; ) {
      await whileBusy(() => database.exec(`PRAGMA incremental_vacuum(${Math.min(pagesTogether, left - keptFree)})`));
      await breathe();
      const now = read('freelist_count');
      if (now >= left) break;
      left = now;
    }
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
