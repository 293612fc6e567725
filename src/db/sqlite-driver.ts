import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import { toStorable } from './storable.ts';

/** A connection to a SQLite file. It does one thing after another. */
export interface SqliteConnection {
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  /**
   * Begins a transaction and takes the write lock of the file with it. A transaction that begins with a read could not get the
   * lock later without losing its snapshot.
   */
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** Undoes the transaction, if SQLite has not done so by itself. */
  rollback(): Promise<void>;
  /** Drops the prepared statements and reads the schema again, because columns may be different from now on. */
  forgetStatements(): void;
  close(): void;
}

/** The connections of one process to one file. */
export interface SqliteConnections {
  readonly writer: SqliteConnection;
  /** Reads what is committed, and waits for no lock (sqlite.org/wal.html, Concurrency). Absent for a database in memory. */
  readonly reader?: SqliteConnection;
}

/** Whether a statement may change the columns of those prepared before. */
export function changesSchema(sql: string): boolean {
  return /^\s*(alter|drop)\b/i.test(sql);
}

/**
 * Kysely's driver of a SQLite file. Reads outside of transactions run on a connection of their own: they never wait for a
 * transaction of this process, nor for the lock that another process holds. Everything else takes its turn at the writer.
 */
export class SqliteDriver implements Driver {
  readonly #open: () => Promise<SqliteConnections>;
  readonly #turns = new Turns();
  #connections: SqliteConnections | undefined;

  constructor(open: () => Promise<SqliteConnections>) {
    this.#open = open;
  }

  async init(): Promise<void> {
    this.#connections = await this.#open();
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
export class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Writes statements in SQLite's own tongue. */
export class Compiler extends SqliteQueryCompiler {
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
