import { isBusy } from './failure.ts';

/** A connection to a file, as far as emptying its log needs one. */
interface Connection {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(statement: string): { get(): unknown };
}

/** After so long without a write the whole log is copied into the database, in milliseconds. */
const idleTime = 1000;

const readsAlone =
  /^\s*(?:(?:select|begin|commit|rollback|savepoint|release)\b|with\b(?!.*\b(?:insert|update|delete)\b))/is;

/** Whether a statement may change something, so that the log is longer afterwards. */
export function mayWrite(sql: string): boolean {
  return !readsAlone.test(sql);
}

/** Gives what is to be called after each write: when none follows for a while, it empties the log. */
export function createIdleCheckpoint(database: Connection): () => void {
  let timer: NodeJS.Timeout | undefined;
  const empty = () => {
    // Somebody uses the database at this moment: later, since no write may follow.
    if (database.isOpen && !isEmptied(database)) timer?.refresh();
  };
  return () => {
    timer ??= setTimeout(empty, idleTime).unref();
    timer.refresh();
  };
}

/** Empties the log. False while a reader holds an older moment of the database, or anybody writes. */
function isEmptied(database: Connection): boolean {
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
