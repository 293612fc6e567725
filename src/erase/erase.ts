import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { BotTables } from '../bot/schema/tables.ts';
import type { Database } from '../db/database.ts';
import { raiseDirectory, takeNumber } from '../service/store/counters.ts';
import { toSlug } from '../service/store/slug.ts';
import { fold, serviceLock, type Tables } from '../service/store/tables.ts';
import { toMicros } from '../service/store/time.ts';
import type { Identity } from './identity.ts';
import { createScrubber, type Place, type Scrubber, type Successor } from './scrub.ts';

/** Any table, as this folder sees it. */
type AnyTables = Record<string, Record<string, string | number | null>>;

/** A table with the columns of it that hold text. */
interface TextTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** It has a column `incident_id`, or is the table of incidents. */
  readonly incidentColumn: string | undefined;
}

/** A row with its texts. */
interface TextRow {
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
async function changeRow(
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

/** What an erasure does, or would do. */
export interface Erasure {
  readonly successor: Successor;
  /** Rows by table: how many lose the person. */
  readonly changed: ReadonlyMap<string, number>;
  /** Rows about the person alone, which are deleted, by table. */
  readonly deleted: ReadonlyMap<string, number>;
  /** Rows in which people wrote the name, and it stays: by table, with the incidents they are about. */
  readonly left: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Tables that hold nothing of people, or secrets that nothing may change. */
const untouched = new Set([
  'schema_migration',
  'counter',
  'api_token',
  'reader_secret',
  'reader_end',
  'webhook_endpoint',
  'person',
  'bot_person',
]);
/** Tables of the bot with rows about one person alone, by their Slack id. */
const personal = [
  'bot_person',
  'bot_account',
  'bot_greeting',
  'bot_channel_member',
  'bot_draft',
  'bot_visit',
  'bot_duty',
  'bot_called',
] as const;
/** Columns that hold words of Muster's own about people. */
const machineColumns = new Set(['bot_line.words', 'bot_line.undone_by']);
/** Columns that hold a user's id in the API and nothing else. */
const idColumn = /(^|_)(user_id|created_by|updated_by)$/;
/** Passes over all texts at most: a running Muster may write while one is under way. */
const maxPasses = 5;

/** Who takes the place of a person: a name and ids that say nothing of them. */
function createSuccessor({ userIDs }: Identity): Successor {
  const mark = randomBytes(4).toString('hex');
  return {
    name: `Erased person ${mark}`,
    userIDs: userIDs.map((_, index) => (index === 0 ? `erased:${mark}` : `erased:${mark}-${index + 1}`)),
    slackID: `erased-${mark}`,
  };
}

/** How many intents of a person have not ended. */
export async function countUnfinished(database: Database, { slackIDs }: Identity): Promise<number> {
  const rows = await database
    .as<BotTables>()
    .selectFrom('bot_intent')
    .select('owner')
    .where('state', 'in', ['pending', 'running'])
    .execute();
  return rows.filter(({ owner }) => slackIDs.some(id => owner.endsWith(`/${id}`))).length;
}

/**
 * Takes a person out of everything that the database holds, or with `isDryRun` only counts it. What is interrupted is finished by
 * doing it again: the rows by which the person is found go last.
 */
export async function erase(
  database: Database,
  identity: Identity,
  how: { readonly sharedNames: readonly string[]; readonly now: Date; readonly isDryRun: boolean },
): Promise<Erasure> {
  const successor = createSuccessor(identity);
  const scrubber = createScrubber(identity, successor);
  const tables = (await findTextTables(database)).filter(each => !untouched.has(each.name));
  const isShared = how.sharedNames.length > 0;
  const changed = new Map<string, number>();
  let left = new Map<string, Set<string>>();
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    left = new Map();
    let count = 0;
    for (const table of tables) {
      for await (const row of findRows(database, table, scrubber.needles)) {
        if (isPersonal(table, row, identity)) continue;
        const changes = scrubRow({ scrubber, identity, isShared }, table, row);
        noteLeft(left, scrubber, table, row, changes);
        if (Object.keys(changes).length === 0) continue;
        if (!how.isDryRun) await changeRow(database, table, row, changes);
        count += 1;
        if (pass === 1) changed.set(table.name, (changed.get(table.name) ?? 0) + 1);
      }
    }
    if (how.isDryRun || count === 0) break;
  }
  const deleted = await deletePersonal(database, identity, successor, how);
  return { successor, changed, deleted, left };
}

/** Whether a row is about the person alone: it is deleted. */
function isPersonal({ name }: TextTable, { texts }: TextRow, { slackIDs }: Identity): boolean {
  return personal.some(each => each === name) && slackIDs.includes(texts.user_id ?? '');
}

/** The texts of a row that change. */
function scrubRow(
  {
    scrubber,
    identity,
    isShared,
  }: { readonly scrubber: Scrubber; readonly identity: Identity; readonly isShared: boolean },
  table: TextTable,
  row: TextRow,
): Record<string, string> {
  const isAboutThem = Object.entries(row.texts).some(
    ([column, text]) => scrubber.identifies(text) || (idColumn.test(column) && identity.userIDs.includes(text)),
  );
  const isDoubtful = isShared && !isAboutThem;
  const changes: Record<string, string> = {};
  for (const [column, text] of Object.entries(row.texts)) {
    const place: Place = { kind: kindOf(table.name, column, { row, isAboutThem }), isDoubtful };
    const after = scrubber.scrub(text, place);
    if (after !== text) changes[column] = column.endsWith('_folded') ? fold(after) : after;
  }
  if (table.name === 'incident' && changes.title !== undefined) changes.slug = toSlug(changes.title);
  return changes;
}

/** Muster's words about somebody else may repeat what people wrote, such as a title, so only those about the person count. */
function kindOf(
  table: string,
  column: string,
  { row, isAboutThem }: { readonly row: TextRow; readonly isAboutThem: boolean },
): Place['kind'] {
  if (idColumn.test(column)) return 'id';
  if (!isAboutThem) return 'people';
  const isOwnWords = table === 'activity' && column === 'body' && row.texts.kind !== 'userNote';
  return isOwnWords || machineColumns.has(`${table}.${column}`) ? 'machine' : 'people';
}

function noteLeft(
  left: Map<string, Set<string>>,
  scrubber: Scrubber,
  table: TextTable,
  row: TextRow,
  changes: Readonly<Record<string, string>>,
): void {
  if (!Object.entries({ ...row.texts, ...changes }).some(([, text]) => scrubber.names(text))) return;
  const incidents = left.get(table.name) ?? new Set();
  incidents.add(row.incidentID);
  left.set(table.name, incidents);
}

/** Deletes what is about the person alone, and puts their successor in their place. */
async function deletePersonal(
  database: Database,
  { userIDs, slackIDs }: Identity,
  successor: Successor,
  { now, isDryRun }: { readonly now: Date; readonly isDryRun: boolean },
): Promise<Map<string, number>> {
  const deleted = new Map<string, number>();
  const note = (table: string, count: number) => count > 0 && deleted.set(table, count);
  if (slackIDs.length > 0) {
    for (const table of personal) {
      const rows = await database
        .as<BotTables>()
        .selectFrom(table)
        .select('user_id')
        .where('user_id', 'in', slackIDs)
        .execute();
      note(table, rows.length);
      if (isDryRun) continue;
      await database.single<BotTables, unknown>(db => db.deleteFrom(table).where('user_id', 'in', slackIDs).execute());
    }
  }
  await database.withLock<Tables, void>(serviceLock, async db => {
    const rows = await db.selectFrom('person').select('user_id').where('user_id', 'in', userIDs).execute();
    note('person', rows.length);
    if (isDryRun) return;
    await db.deleteFrom('person').where('user_id', 'in', userIDs).execute();
    await db
      .insertInto('person')
      .values(
        successor.userIDs.map(user_id => ({
          user_id,
          name: successor.name,
          photo_url: '',
          email: '',
          email_folded: '',
          slack_user_id: '',
          slack_team_id: '',
          modified_at: toMicros(now),
        })),
      )
      .execute();
    await raiseDirectory(db);
    await takeNumber(db, 'homescreen');
  });
  return deleted;
}
