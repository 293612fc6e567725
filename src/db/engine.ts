import type { Dialect, Kysely, RawBuilder } from 'kysely';
import type { Logger } from 'pino';
import type { Deadlines } from '../deadlines.ts';

/** How a database is opened. */
export interface OpenOptions {
  /** Is told of a file that has lost changes. */
  readonly log?: Logger;
  /** Hears each time that work fails because the disk is full. */
  readonly onFull?: (error: unknown) => void;
  /** Connections to Postgres for work at most, without those for searches. */
  readonly connections?: number;
  /** A connection to Postgres parses a statement that comes again only once; absent: each time. */
  readonly namesStatements?: boolean;
  /** A statement of work on Postgres ends at its deadline; absent: it takes as long as it needs. */
  readonly limitsStatements?: boolean;
  /** Absent: those of Muster. */
  readonly deadlines?: Deadlines;
}

/** How an engine is opened. */
export type EngineOptions = OpenOptions & { readonly deadlines: Deadlines };

/** How much room a database takes. */
export interface Size {
  readonly bytes: number;
  /** Free bytes on its disk; undefined where that is another machine's. */
  readonly free: number | undefined;
}

/**
 * A lock of a transaction: on the whole of that name, or on some of its parts. A part excludes the same part in other transactions, and
 * the whole. Different parts exclude nothing.
 */
export type Lock = string | { readonly of: string; readonly parts: readonly string[] };

/** How a transaction gets its lock. */
export interface LockOptions {
  /** How long it waits for the lock at most, in milliseconds; absent: `deadlines.database.lock`. */
  readonly timeout?: number;
  /**
   * The work begins before the lock is got: its first statements are sent together with the lock, and Postgres carries them out behind it.
   * For work that learns of the locked things by its statements alone.
   */
  readonly sendsAhead?: boolean;
}

/** A view of a database that shows no table. */
export type NoTables = Record<never, never>;

/** Words that processes on one database tell each other. A word may be lost, so a process that waits for one also looks now and then. */
export interface Words extends AsyncDisposable {
  /** Whether words reach this process. They do not through a pool that gives connections away between statements. */
  isHeard(): boolean;
  /** Hears the words of all processes, its own too. */
  hear(listener: (word: string) => void): void;
  /** Says a word of at most 1,000 characters to all, where `condition` (SQL) holds. Never throws, and waits for nothing. */
  say(word: string, condition: RawBuilder<boolean>): void;
}

/** What differs between the databases that Muster can keep its data in. */
export interface Engine {
  readonly dialect: Dialect;
  /** The column of every table that is a row's address. */
  readonly rowAddress: 'rowid' | 'ctid';
  /** Makes sure that the database can be used at all. Throws with the reason. */
  check(db: Kysely<NoTables>): Promise<void>;
  /** The error of a migration as one that names the database, the setting, and the way out. */
  explain(error: unknown): Error;
  /** Another way into the same database, for searches and pages; absent where there is but one. */
  readonly searchDialect?: Dialect;
  /** Another one, for single statements that wait for no lock; absent where there is but one. */
  readonly singleDialect?: Dialect;
  /**
   * Waits, inside a transaction, for a lock. The lock ends with the transaction. After `timeout` milliseconds it throws an
   * error that `isUnavailable` recognises. Absent on engines that let only one transaction write at a time.
   */
  readonly takeLock?: (transaction: Kysely<NoTables>, lock: Lock, timeout: number) => Promise<void>;
  /** Gives the room of deleted rows back to the disk; absent on engines that see to it themselves. */
  readonly shrink?: (how: 'some' | 'all') => Promise<void>;
  /**
   * Takes a part of the database for this process until it is disposed or the process ends; undefined when another process has
   * it. Absent where several processes may share the database.
   */
  readonly occupy?: (part: string) => Promise<AsyncDisposable | undefined>;
  /** How much room the database takes. */
  size(db: Kysely<NoTables>): Promise<Size>;
  /** Words between the processes on the database, said through `db`; absent where there is but one process. */
  readonly openWords?: (db: Kysely<NoTables>) => Words;
  /** How many connections other processes of Muster have; absent where {@link occupy} tells. */
  readonly countOthers?: (db: Kysely<NoTables>) => Promise<number>;
}
