import type { Database } from './database.ts';
import { isMissingTable } from './failure.ts';
import type { StepTables } from './steps.ts';
import { bigint, integer, type TablesOf, table, text } from './tables.ts';

/**
 * The newest copy that `muster backup` has made of this database. There is one row, or none before the first copy. The bot's schema and the
 * service's have it, whichever comes first.
 */
export const backupTable = table({
  name: 'backup',
  columns: { id: integer<1>({ key: true }), made_at: text(), bytes: bigint() },
  isShared: true,
});
type BackupTables = TablesOf<[typeof backupTable]>;

/** A copy of the database. */
export interface Copy {
  /** When it was made (RFC 3339). */
  readonly madeAt: string;
  /** The size of its file. */
  readonly bytes: number;
}

/** What a database knows of its copies. */
export interface LastBackup {
  /** When the newest was made; while there is none, since when the database is there. */
  readonly since: Date;
  /** Undefined while there is none. */
  readonly bytes: number | undefined;
}

/** What the database knows of its copies; undefined when it is older than the table. Reads, and changes nothing. */
export async function readBackup(database: Database): Promise<LastBackup | undefined> {
  const db = database.as<BackupTables & StepTables>();
  try {
    const row = await db.selectFrom('backup').select(['made_at', 'bytes']).where('id', '=', 1).executeTakeFirst();
    if (row) return { since: new Date(row.made_at), bytes: Number(row.bytes) };
    const first = db.selectFrom('schema_migration').select(({ fn }) => fn.min('applied_at').as('at'));
    const { at } = await first.executeTakeFirstOrThrow();
    return { since: new Date(at), bytes: undefined };
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

/** Notes a copy in the database that was copied. Notes nothing in one that is older than the table. */
export async function noteBackup(database: Database, { madeAt, bytes }: Copy): Promise<void> {
  if (!(await readBackup(database))) return;
  const row = { made_at: madeAt, bytes };
  await database.single<BackupTables, unknown>(db =>
    db
      .insertInto('backup')
      .values({ id: 1, ...row })
      .onConflict(conflict => conflict.column('id').doUpdateSet(row))
      .execute(),
  );
}
