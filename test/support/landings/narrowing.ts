import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../src/db/database.ts';
import { type Migration, migrate } from '../../../src/db/migrate.ts';
import { engine } from '../databases/fresh.ts';

/** Something that a step takes from the code that ran before it. */
export interface Narrowing {
  readonly step: string;
  /** `bot_room.card_shown is gone` */
  readonly what: string;
  /** The name of the table or column that is gone; undefined where code that never names it fails too. */
  readonly gone: string | undefined;
}

type Db = Kysely<Record<never, never>>;

/** A table as code that writes to it meets it. */
interface Table {
  /** Columns with their type, and whether a row needs a value for them. */
  readonly columns: ReadonlyMap<string, { readonly type: string; readonly isRequired: boolean }>;
  /** What may stand in it once. */
  readonly uniques: ReadonlySet<string>;
}

/** Runs the steps of a part on an empty database, and says what each takes away from code of the time before it. */
export async function findNarrowings(
  database: Database,
  part: string,
  steps: readonly Migration[],
): Promise<readonly Narrowing[]> {
  const found: Narrowing[] = [];
  const db: Db = database.as();
  let before = await describe(db);
  for (const [index, { name: step }] of steps.entries()) {
    await migrate(database, part, steps.slice(0, index + 1), new Date(0));
    const after = await describe(db);
    found.push(...compare(before, after).map(each => ({ step, ...each })));
    before = after;
  }
  return found;
}

function compare(before: ReadonlyMap<string, Table>, after: ReadonlyMap<string, Table>): Omit<Narrowing, 'step'>[] {
  return [...before].flatMap(([name, table]) => {
    const now = after.get(name);
    if (now === undefined) return [{ what: `${name} is gone`, gone: name }];
    const lost = [...table.columns.keys()].filter(column => !now.columns.has(column));
    const changed = [...table.columns].filter(([column, { type }]) => (now.columns.get(column)?.type ?? type) !== type);
    const required = [...now.columns].filter(
      ([column, { isRequired }]) => isRequired && !table.columns.get(column)?.isRequired,
    );
    const uniques = [...now.uniques].filter(unique => !table.uniques.has(unique));
    return [
      ...lost.map(column => ({ what: `${name}.${column} is gone`, gone: column })),
      ...changed.map(([column]) => ({ what: `${name}.${column} has another type`, gone: undefined })),
      ...required.map(([column]) => ({ what: `${name}.${column} is required`, gone: undefined })),
      ...uniques.map(unique => ({ what: `${name} has ${unique} once`, gone: undefined })),
    ];
  });
}

async function describe(db: Db): Promise<ReadonlyMap<string, Table>> {
  const tables = await db.introspection.getTables();
  const own = tables.filter(each => [undefined, 'public'].includes(each.schema));
  const described = own.map(
    async ({ name, columns }): Promise<[string, Table]> => [
      name,
      {
        columns: new Map(
          columns.map(each => [
            each.name,
            { type: each.dataType, isRequired: !each.isNullable && !each.hasDefaultValue && !each.isAutoIncrementing },
          ]),
        ),
        uniques: await uniquesOf(db, name),
      },
    ],
  );
  return new Map(await Promise.all(described));
}

async function uniquesOf(db: Db, table: string): Promise<ReadonlySet<string>> {
  const ofSqlite = sql<{ words: string }>`
    select (select group_concat(name, ', ') from pragma_index_info(list.name)) || iif(partial, ' of some', '') as words
    from pragma_index_list(${table}) as list where "unique" = 1`;
  const ofPostgres = sql<{ words: string }>`
    select regexp_replace(indexdef, '.* USING \\w+ ', '') as words from pg_indexes
    where schemaname = 'public' and tablename = ${table} and indexdef like 'CREATE UNIQUE%'`;
  const { rows } = await (engine === 'sqlite' ? ofSqlite : ofPostgres).execute(db);
  return new Set(rows.map(each => each.words));
}
