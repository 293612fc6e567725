import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import type { NoTables } from './engine.ts';

/** The newest copy that `muster backup` has made of this database. There is one row, or none before the first copy. */
type BackupTables = {
  backup: { id: 1; made_at: string; bytes: number };
};

/** A copy of the database. */
export interface Copy {
  /** When it was made (RFC 3339). */
  readonly madeAt: string;
  /** The size of its file. */
  readonly bytes: number;
}

/** What a database knows of its copies. */
export interface LastBackup {
  /** When the newest was made; while there is none, since when the database could have had one. */
  readonly since: Date;
  /** Undefined while there is none. */
  readonly bytes: number | undefined;
}

/** Makes the table of the newest copy: a step of the bot's schema and of the service's, whichever comes first. */
export async function createBackups(db: Kysely<NoTables>): Promise<void> {
  await db.schema
    .createTable('backup')
    .ifNotExists()
    .addColumn('id', 'integer', column => column.primaryKey())
    .addColumn('made_at', 'text', column => column.notNull())
    .addColumn('bytes', 'bigint', column => column.notNull())
    .execute();
}

/** What the database knows of its copies; undefined when it is older than the table. Reads, and changes nothing. */
export async function readBackup(database: Database): Promise<LastBackup | undefined> {
  const db = database.as<BackupTables>();
  const { rows: steps } = await sql<{ since: string | null }>`
    select min(applied_at) as since from schema_migration where name like '%-backups'`.execute(db);
  const since = steps[0]?.since;
  if (!since) return undefined;
  const row = await db.selectFrom('backup').select(['made_at', 'bytes']).where('id', '=', 1).executeTakeFirst();
  return { since: new Date(row?.made_at ?? since), bytes: row && Number(row.bytes) };
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
