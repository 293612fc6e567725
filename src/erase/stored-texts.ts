import { sql } from 'kysely';
import type { Database } from '../db/database.ts';

/** Any table, as this folder sees it. */
type AnyTables = Record<string, Record<string, string | number | null>>;

/** A table with the columns of it that hold text. */
export interface TextTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** It has a column `incident_id`, or is the table of incidents. */
  readonly incidentColumn: string | undefined;
}

/** A row with its texts. */
export interface TextRow {
  /** Where the row stands. */
  readonly address: string | number;
  readonly incidentID: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** Rows that are read together. */
const readTogether = 500;

/** All tables of a database that hold text. */
export async function findTextTables(database: Database): Promise<readonly TextTable[]> {
  const tables = await database.as<AnyTables>().introspection.getTables();
  return tables
    .filter(table => !table.isView && [undefined, 'public'].includes(table.schema))
    .map(table => ({
      name: table.name,
      columns: table.columns.filter(each => each.dataType.toLowerCase() === 'text').map(each => each.name),
      incidentColumn:
        table.name === 'incident'
          ? 'id'
          : table.columns.find(each => each.name === 'incident_id' || each.name === 'subject')?.name,
    }))
    .filter(table => table.columns.length > 0);
}

/** The rows of a table that hold one of the needles in any text. */
export async function* findRows(
  database: Database,
  { name, columns, incidentColumn }: TextTable,
  needles: readonly string[],
): AsyncGenerator<TextRow> {
  const address = sql.ref(database.rowAddress);
  const all = sql.join(
    columns.map(column => sql`coalesce(${sql.ref(column)}, '')`),
    sql` || ' ' || `,
  );
  const holds = needles.flatMap(needle => [
    sql`replace(${all}, ${needle}, '') <> ${all}`,
    sql`replace(lower(${all}), ${needle.toLowerCase()}, '') <> lower(${all})`,
  ]);
  const incident = incidentColumn === undefined ? sql`''` : sql.ref(incidentColumn);
  let last: string | number | undefined;
  for (;;) {
    const behind = last === undefined ? sql`` : sql`and ${address} > ${last}`;
    const { rows } = await sql<Record<string, string | number | null>>`
      select ${address} as row_address, ${incident} as row_incident, ${sql.join(columns.map(each => sql.ref(each)))}
      from ${sql.table(name)} where (${sql.join(holds, sql` or `)}) ${behind}
      order by ${address} limit ${readTogether}`.execute(database.as<AnyTables>());
    for (const { row_address, row_incident, ...texts } of rows) {
      last = row_address ?? 0;
      yield { address: last, incidentID: String(row_incident ?? ''), texts: toTexts(texts) };
    }
    if (rows.length < readTogether) return;
  }
}

function toTexts(values: Readonly<Record<string, string | number | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([column, value]) => [column, String(value ?? '')]));
}

/** Changes texts of a row, unless somebody else has changed them meanwhile. False then. */
export async function changeRow(
  database: Database,
  table: TextTable,
  row: TextRow,
  changes: Readonly<Record<string, string>>,
): Promise<boolean> {
  const sets = Object.entries(changes).map(([column, text]) => sql`${sql.ref(column)} = ${text}`);
  const before = Object.keys(changes).map(column => sql`${sql.ref(column)} = ${row.texts[column] ?? ''}`);
  const { numAffectedRows = 0n } = await database.single<AnyTables, { numAffectedRows?: bigint }>(db =>
    sql`update ${sql.table(table.name)} set ${sql.join(sets)}
      where ${sql.ref(database.rowAddress)} = ${row.address} and ${sql.join(before, sql` and `)}`.execute(db),
  );
  return numAffectedRows > 0n;
}
