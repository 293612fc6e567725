import { setImmediate as breathe } from 'node:timers/promises';

/** A connection to a file, as far as shrinking it needs one. */
interface Connection {
  exec(statements: string): void;
  prepare(statement: string): { get(): Record<string, unknown> | undefined };
}

/** Free pages of 4 KiB that stay in a file, because new rows will need them soon. */
const keptFree = 1000;
/** Free pages that are given back in one write. */
const pagesTogether = 500;

/**
 * Gives the free pages of a file back to the disk. `some` leaves a few for new rows and goes in small steps; `all` writes the whole
 * file anew, so that nothing of what was deleted is left in it. A file of an older Muster is written anew in both cases, once. A
 * reader in the way lets the file shrink later.
 */
export async function shrinkFile(
  database: Connection,
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
