import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { NoTables } from './engine.ts';
import { isMissingTable } from './failure.ts';
import { findForeign, type StepTables, stepTable } from './steps.ts';
import { build, drop, type StepList, stepsOf, type Table } from './tables.ts';

/** One forward step of a schema. A database names those that it has seen. */
export interface Migration {
  /** Unique within its part, and its order: `038-alert-counts`. */
  readonly name: string;
  up(db: Kysely<NoTables>): Promise<void>;
}

/** A step that tables name. */
interface Step {
  readonly name: string;
  /** What it does once its tables, columns and indexes are there. */
  readonly fill?: Migration['up'];
}

/** The tables of a part, and its steps. */
interface Schema extends StepList {
  readonly tables: readonly Table[];
  readonly steps: readonly [Step, ...Step[]];
}

/** The steps of a schema, as its tables declare them. Throws when a table names a step that is none. */
export function toMigrations(schema: Schema): readonly Migration[] {
  const { tables, steps } = schema;
  const names = new Set(steps.map(each => each.name));
  const strange = tables.flatMap(stepsOf).filter(each => !names.has(each));
  if (strange.length > 0) throw new Error(`no such step of the schema: ${strange.join(', ')}`);
  return steps.map(({ name, fill }) => ({
    name,
    up: async db => {
      for (const table of tables) await build(db, table, name, schema);
      await fill?.(db);
      for (const table of tables) await drop(db, table, name);
    },
  }));
}

/**
 * Brings one part's tables up to date: runs, in order and in one transaction, the steps that this database has not seen. When
 * several processes start at once, one migrates and the others wait. Where nothing is missing it makes nothing, so that a role that may
 * make no tables can start. Throws when the database has a step that this version does not know.
 */
export async function migrate(
  database: Database,
  part: string,
  migrations: readonly Migration[],
  now: Date,
): Promise<void> {
  const run = async (db: Kysely<NoTables>) => {
    const steps = db.withTables<StepTables>();
    const applied = await steps
      .selectFrom('schema_migration')
      .select(['part', 'name'])
      .where('part', '=', part)
      .execute();
    const foreign = findForeign(applied, { [part]: migrations });
    if (foreign) throw new Error(`The database ${foreign.found}. ${foreign.fix}`);
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
    const longest = { timeout: database.deadlines.database.migrate };
    if (!(await hasSteps(database)))
      await database.withLock('schema', db => build(db, stepTable, '', { steps: [{ name: '' }] }), longest);
    await database.withLock('schema', run, longest);
  } catch (error) {
    throw database.explain(error);
  }
}

/** Whether the table of the steps is there. Postgres refuses `create table if not exists` to a role that may make none, though it exists. */
async function hasSteps(database: Database): Promise<boolean> {
  try {
    await database.as<StepTables>().selectFrom('schema_migration').select(['part', 'name']).limit(1).execute();
    return true;
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
}
