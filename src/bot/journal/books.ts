import type { Db } from './rows.ts';

/** What all statements of the journal share. */
export interface Books {
  readonly db: Db;
  /** Runs work in the journal's turn, so that no two replicas decide who does what at the same time. */
  withLock<T>(work: (trx: Db) => Promise<T>): Promise<T>;
  readonly clock: () => Date;
  /** The name that the leases of this process bear. */
  readonly owner: string;
}
