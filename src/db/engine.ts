import type { Dialect, Kysely } from 'kysely';

/** A view of a database that shows no table. */
export type NoTables = Record<never, never>;

/** What differs between the databases that Muster can keep its data in. */
export interface Engine {
  readonly dialect: Dialect;
  /** Makes sure that the database can be used at all. Throws with the reason. */
  check(db: Kysely<NoTables>): Promise<void>;
  /**
   * Waits, inside a transaction, until no other transaction has the turn of that name; the turn ends with the transaction.
   * Throws an error that `isUnavailable` knows after `patience` milliseconds. Absent where only one transaction can write at
   * a time anyway.
   */
  readonly takeLock?: (transaction: Kysely<NoTables>, name: string, patience: number) => Promise<void>;
}
