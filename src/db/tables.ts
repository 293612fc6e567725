import { type ColumnDefinitionBuilder, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { NoTables } from './engine.ts';

/*
 * A table is declared once: the type of its rows (`RowOf`) and its `create table` follow. Columns, tables and indexes that came after the first
 * step of their list name theirs as `since`; what goes again names that step too (CONTRIBUTING.md, A step of the schema).
 */

/** What else is said of a column. */
interface ColumnOptions<Value> {
  /** The one column of the table's key. */
  readonly key?: true;
  readonly unique?: true;
  /** What rows have that do not say it: also those that are older than the column. */
  readonly default?: Value & (string | number);
  /** `table.column` of another row: when that is deleted, this one is too. */
  readonly references?: `${string}.${string}`;
  /** The step that adds the column. */
  readonly since?: string;
  /** The step that drops the column. Code that knows no value of it, `integer<never>`, does not see it any more. */
  readonly until?: string;
}

interface Column<Value> {
  readonly type: 'text' | 'integer' | 'bigint' | 'double precision';
  readonly isNullable: boolean;
  readonly options: ColumnOptions<unknown>;
  /** Only a type. */
  readonly value?: Value;
}

const column =
  <Most>(type: Column<Most>['type']) =>
  <Value extends Most = Most>(options: ColumnOptions<Value> = {}): Column<Value> => ({
    type,
    isNullable: false,
    options,
  });

/** A column of text, which is compared and ordered by its bytes. */
export const text = column<string>('text');
/** A column of whole numbers of 64 bits. */
export const integer = column<number>('integer');
/** A column of whole numbers of 64 bits, as `integer` but by another name in SQLite. */
export const bigint = column<number>('bigint');
/** A column of fractions. */
export const double = column<number>('double precision');

/** The column may also hold null. */
export function nullable<Value>(of: Column<Value>): Column<Value | null> {
  return { ...of, isNullable: true };
}

/** The columns of an index, or expressions in their place; and what else is said of it. */
type Index<Name> =
  | readonly (Name | RawBuilder<unknown>)[]
  | {
      readonly on: readonly (Name | RawBuilder<unknown>)[];
      /** It holds these rows alone. */
      readonly where?: RawBuilder<unknown>;
      readonly unique?: true;
      /** The step that adds the index. */
      readonly since?: string;
    };

type Columns = Readonly<Record<string, Column<unknown>>>;

/** A table, with its name and columns as types. */
export interface Table<Name extends string = string, Own extends Columns = Columns> {
  readonly name: Name;
  /** In the order in which the database has them: new ones come last. */
  readonly columns: Own;
  /** The columns of its key, where that has several. */
  readonly key?: readonly string[];
  /** The name of the key's constraint; absent: `<table>_pk`, and `<table>_pkey` where Postgres names the key of one column. */
  readonly keyName?: string;
  /** Its indexes, by their names in the database. */
  readonly indexes?: Readonly<Record<string, Index<string>>>;
  /** Other parts of a database have the table too, so it may be there. */
  readonly isShared?: true;
  /** The step that makes the table, and the one that drops it. */
  readonly since?: string;
  readonly until?: string;
}

/** A table whose key and indexes name columns of its own. */
interface Declaration<Name extends string, Own extends Columns> extends Table<Name, Own> {
  readonly key?: readonly NoInfer<keyof Own & string>[];
  readonly indexes?: Readonly<Record<string, Index<NoInfer<keyof Own & string>>>>;
}

/** Declares a table. */
export function table<const Name extends string, Own extends Columns>(
  declaration: Declaration<Name, Own>,
): Table<Name, Own> {
  return declaration;
}

/** A row of a table. */
export type RowOf<Declared extends Table> = {
  -readonly [Name in keyof Declared['columns'] as Declared['columns'][Name] extends Column<never>
    ? never
    : Name]: Declared['columns'][Name] extends Column<infer Value> ? Value : never;
};

/** Tables by their names, as Kysely sees them. */
export type TablesOf<List extends readonly Table[]> = {
  [Each in List[number] as Each['name']]: RowOf<Each>;
};

/** A part's steps, as its tables see them. */
export interface StepList {
  /** In order. The first is the baseline: it makes all that names no other one. */
  readonly steps: readonly [{ readonly name: string }, ...{ readonly name: string }[]];
  /** SQLite lets the key of a table be null, unless the table forbids it or it is an `integer`. These tables do not forbid it. */
  readonly keysMayBeNull?: boolean;
}

/** Carries out a step as far as a table declares it: all but what the step drops. */
export async function build(db: Kysely<NoTables>, declared: Table, step: string, list: StepList): Promise<void> {
  const { name, columns, indexes = {}, since = list.steps[0].name } = declared;
  const added = Object.entries(columns).filter(([, { options }]) => (options.since ?? since) === step);
  if (since === step) await createTable(db, declared, added, list);
  else
    for (const [column, each] of added)
      await db.schema.alterTable(name).addColumn(column, each.type, define(each, list)).execute();
  for (const [index, declaration] of Object.entries(indexes)) {
    const all = 'on' in declaration ? declaration : { on: declaration };
    if ((all.since ?? since) !== step) continue;
    const on = all.on.map(each => (typeof each === 'string' ? sql.ref(each) : each));
    const where = all.where ? sql` where ${all.where}` : sql``;
    const unique = sql.raw(all.unique ? 'unique ' : '');
    await sql`create ${unique}index ${sql.id(index)} on ${sql.table(name)} (${sql.join(on)})${where}`.execute(db);
  }
}

async function createTable(
  db: Kysely<NoTables>,
  { name, key, keyName, isShared }: Table,
  columns: readonly (readonly [string, Column<unknown>])[],
  list: StepList,
): Promise<void> {
  let made = db.schema.createTable(name);
  if (isShared) made = made.ifNotExists();
  for (const [column, each] of columns) made = made.addColumn(column, each.type, define(each, list));
  if (key) made = made.addPrimaryKeyConstraint(keyName ?? `${name}_pk`, key as never);
  await made.execute();
  if (keyName && !key && db.getExecutor().adapter instanceof PostgresAdapter)
    await sql`alter table ${sql.table(name)} rename constraint ${sql.id(`${name}_pkey`)} to ${sql.id(keyName)}`.execute(
      db,
    );
}

function define({ type, isNullable, options }: Column<unknown>, { keysMayBeNull = false }: StepList) {
  const { key, unique, references, default: usual } = options;
  return (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => {
    let defined = column;
    if (!isNullable && !(key && (keysMayBeNull || type === 'integer'))) defined = defined.notNull();
    if (key) defined = defined.primaryKey();
    if (unique) defined = defined.unique();
    if (usual !== undefined) defined = defined.defaultTo(sql.lit(usual));
    if (references) defined = defined.references(references).onDelete('cascade');
    return defined;
  };
}

/** Drops what a step drops of a table. */
export async function drop(db: Kysely<NoTables>, { name, columns, until }: Table, step: string): Promise<void> {
  if (until === step) await db.schema.dropTable(name).execute();
  for (const [column, each] of Object.entries(columns))
    if (each.options.until === step) await db.schema.alterTable(name).dropColumn(column).execute();
}

/** The steps that a table names. */
export function stepsOf({ columns, indexes = {}, since, until }: Table): readonly string[] {
  const named = [
    ...Object.values(columns).flatMap(each => [each.options.since, each.options.until]),
    ...Object.values(indexes).map(each => ('on' in each ? each.since : undefined)),
  ];
  return [since, until, ...named].filter(each => each !== undefined);
}
