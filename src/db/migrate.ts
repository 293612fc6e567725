import type { Kysely } from 'kysely';
import { deadlines } from '../deadlines.ts';
import type { Database } from './database.ts';
import type { NoTables } from './engine.ts';

/** One forward step of a schema. Steps are listed by hand, in order, and never edited once released. */
export interface Migration {
  /** Unique within its part: `001-incidents`. */
  readonly name: string;
  up(db: Kysely<NoTables>): Promise<void>;
}

type MigrationTables = {
  schema_migration: { part: string; name: string; applied_at: string };
};

/**
 * Brings one part's tables up to date: runs, in order and in one transaction, the steps that this database has not seen. When
 * several processes start at once, one migrates and the others wait. Throws when the database has a step that this version does
 * not know, because a newer Muster has written to it.
 */
export async function migrate(
  database: Database,
  part: string,
  migrations: readonly Migration[],
  now: Date,
): Promise<void> {
  const run = async (db: Kysely<NoTables>) => {
    await db.schema
      .createTable('schema_migration')
      .ifNotExists()
      .addColumn('part', 'text', column => column.notNull())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('applied_at', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('schema_migration_pk', ['part', 'name'])
      .execute();
    const steps = db.withTables<MigrationTables>();
    const applied = await steps.selectFrom('schema_migration').select('name').where('part', '=', part).execute();
    const known = new Set(migrations.map(each => each.name));
    const foreign = applied.find(each => !known.has(each.name));
    if (foreign) {
      throw new Error(
        `The database has the step "${foreign.name}" of "${part}", which this version does not know: it was last used by a newer Muster. Start that version, or restore a backup.`,
      );
    }
    const seen = new Set(applied.map(each => each.name));
    for (const migration of migrations) {
      if (seen.has(migration.name)) continue;
      await migration.up(db);
      await steps
        .insertInto('schema_migration')
        .values({ part, name: migration.name, applied_at: now.toISOString() })
        .execute();
    }
  };
  try {
    await database.withLock('schema', run, deadlines.database.migrate);
  } catch (error) {
    throw database.explain(error);
  }
}
