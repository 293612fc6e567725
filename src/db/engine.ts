import type { Dialect, Kysely } from 'kysely';

/** What differs between the databases that Muster can keep its data in. */
export interface Engine {
  readonly dialect: Dialect;
  /** Makes sure that the database can be used at all. Throws with the reason. */
  check(db: Kysely<Record<never, never>>): Promise<void>;
  /**
   * Waits, inside a transaction, until no other transaction has the turn of that name; the turn ends with the transaction.
   * Throws an error that `isUnavailable` knows after `patience` milliseconds. Absent where only one transaction can write at
   * a time anyway.
   */
  readonly takeLock?: (transaction: Kysely<Record<never, never>>, name: string, patience: number) => Promise<void>;
  /**
   * Takes a part of the database for this process until it is disposed or the process ends; undefined when another process has
   * it. Absent where several processes may share the database.
   */
  readonly occupy?: (part: string) => Promise<AsyncDisposable | undefined>;
}
