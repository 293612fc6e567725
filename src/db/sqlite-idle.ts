/** A connection to a file, as far as emptying its log needs one. */
interface Connection {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  exec(statements: string): void;
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
    if (!database.isOpen) return;
    // Somebody reads at this moment: later, since no write may follow.
    if (database.isTransaction) return void timer?.refresh();
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log stays as it is. A fault of the disk shows itself at the next write.
    }
  };
  return () => {
    timer ??= setTimeout(empty, idleTime).unref();
    timer.refresh();
  };
}
