import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type BotTables, botTables } from '../bot/schema/tables.ts';
import { splitNoteBody } from '../contract/note-forms.ts';
import type { Database } from '../db/database.ts';
import { raiseDirectory, takeNumber } from '../service/store/counters.ts';
import { toSlug } from '../service/store/slug.ts';
import { fold, serviceLock, type Tables } from '../service/store/tables.ts';
import { toMicros } from '../service/store/time.ts';
import type { Identity } from './identity.ts';

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
/** Tables of the bot with rows about one person alone: all that have that person's Slack id as `user_id`. */
const personal = botTables
  .filter(
    (each): each is Extract<(typeof botTables)[number], { readonly columns: { readonly user_id: unknown } }> =>
      'user_id' in each.columns,
  )
  .map(each => each.name);
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

/** Where a text stands, which decides how much of it may be the person's name. */
interface Place {
  /** `id`: a user id alone. `machine`: words that Muster wrote. `people`: words that people wrote. */
  readonly kind: 'id' | 'machine' | 'people';
  /** Somebody else has the same name, and nothing beside the text says whom it means. */
  readonly isDoubtful: boolean;
}

/** Takes one person out of texts. */
interface Scrubber {
  /** The text without the person; the same text when they are not in it. */
  scrub(text: string, place: Place): string;
  /** Whether a text holds their name as words of its own. */
  names(text: string): boolean;
  /** Whether a text holds an id or an address that is theirs alone. */
  identifies(text: string): boolean;
  /** What a text holds that the person may be in, in any spelling. */
  readonly needles: readonly string[];
}

/** Who stands in the place of an erased person. */
interface Successor {
  readonly name: string;
  /** One for each user id of the person, in their order. */
  readonly userIDs: readonly string[];
  /** In place of a Slack id within a text. */
  readonly slackID: string;
}

/** Makes the scrubber of a person. */
export function createScrubber(identity: Identity, successor: Successor): Scrubber {
  const { userIDs, slackIDs, names, emails, photoURLs } = identity;
  const successors = new Map(userIDs.map((id, index) => [id, successor.userIDs[index] ?? successor.name]));
  // A short id such as "7" or "alice" is a word of many texts, so it counts only where an id stands.
  const clearIDs = userIDs.filter(isClear);
  const ids = oneOf(clearIDs, '[\\p{L}\\p{N}_:-]');
  const slackWords = oneOf(slackIDs, '[\\p{L}\\p{N}]');
  const mentions = slackIDs.length > 0 ? new RegExp(`<@(?:${alternatives(slackIDs)})(?:\\|[^>]*)?>`, 'gu') : undefined;
  const addresses = oneOf(emails, '[\\p{L}\\p{N}_.+-]', 'giu');
  const photos = photoURLs.length > 0 ? new RegExp(alternatives(photoURLs), 'gu') : undefined;
  const spellings = [...new Set(names.flatMap(name => [name, escapeMrkdwn(name)]))];
  const word = '[\\p{L}\\p{N}_]';
  const nameWords = oneOf(spellings, word, 'giu');
  const fullNames = oneOf(
    spellings.filter(name => /\s/.test(name)),
    word,
    'giu',
  );
  const called = spellings.length > 0 ? new RegExp(`@(?:${alternatives(spellings)})(?!${word})`, 'giu') : undefined;

  const isAll = (values: readonly string[], text: string) =>
    values.some(value => value.toLowerCase() === text.toLowerCase());

  function scrubWhole(text: string, { kind, isDoubtful }: Place): string | undefined {
    if (kind === 'id' || clearIDs.includes(text)) {
      const id = successors.get(text);
      if (id !== undefined) return id;
    }
    if (slackIDs.includes(text) || isAll(emails, text) || photoURLs.includes(text)) return '';
    return !isDoubtful && isAll(spellings, text) ? successor.name : undefined;
  }

  function scrubWords(text: string, { kind, isDoubtful }: Place): string {
    let left = replace(text, photos, () => '');
    left = replace(left, mentions, () => successor.name);
    left = replace(left, ids, id => successors.get(id) ?? successor.name);
    left = replace(left, slackWords, () => successor.slackID);
    left = replace(left, addresses, () => successor.name);
    if (isDoubtful) return left;
    if (kind === 'machine') return replace(left, nameWords, () => successor.name);
    left = replace(left, fullNames, () => successor.name);
    left = replace(left, called, () => successor.name);
    const { text: words, foot } = splitNoteBody(left);
    return foot === '' ? left : `${words}\n\n${replace(foot, nameWords, () => successor.name)}`;
  }

  function scrub(text: string, place: Place): string {
    if (text === '') return text;
    const whole = scrubWhole(text, place);
    if (whole !== undefined) return whole;
    return isJson(text) ? scrubJson(text, place) : scrubWords(text, place);
  }

  /** Each string of a JSON text by itself, so that everything else stays as it was written. */
  function scrubJson(text: string, place: Place): string {
    let key = '';
    let left = '';
    let read = 0;
    for (const [start, end] of findJsonStrings(text)) {
      const written = text.slice(start, end);
      const value: string = JSON.parse(written);
      const isKey = /^\s*:/.test(text.slice(end, end + 20));
      if (isKey) key = value;
      const isID = !isKey && /user_?id$/i.test(key);
      const scrubbed = scrub(value, isID ? { ...place, kind: 'id' } : { ...place, kind: 'people' });
      left += text.slice(read, start) + (scrubbed === value ? written : JSON.stringify(scrubbed));
      read = end;
    }
    return left + text.slice(read);
  }

  return {
    scrub,
    names: text => nameWords !== undefined && text.search(nameWords) >= 0,
    identifies: text =>
      [...clearIDs, ...slackIDs, ...photoURLs].some(each => text.includes(each)) ||
      emails.some(each => text.toLowerCase().includes(each.toLowerCase())),
    needles: [
      ...new Set(
        [...userIDs, ...slackIDs, ...emails, ...photoURLs, ...spellings].flatMap(each => [
          each,
          JSON.stringify(each).slice(1, -1),
        ]),
      ),
    ],
  };
}

/**
 * Where the strings of a JSON text begin and end, with their quotes. A regular expression keeps its place at each character of a string,
 * and runs out of room in a long one.
 */
function* findJsonStrings(text: string): Generator<readonly [start: number, end: number]> {
  for (let start = text.indexOf('"'); start >= 0; ) {
    let quote = text.indexOf('"', start + 1);
    while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
    if (quote < 0) return;
    yield [start, quote + 1];
    start = text.indexOf('"', quote + 1);
  }
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Whether an id can be nothing but an id. */
function isClear(id: string): boolean {
  return id.includes(':') || id.includes('@') || (id.length >= 8 && /\d/.test(id) && /\p{L}/u.test(id));
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Finds any of the words, with none of these characters before or behind it; undefined when there are no words. */
function oneOf(words: readonly string[], edge: string, flags = 'gu'): RegExp | undefined {
  if (words.length === 0) return undefined;
  return new RegExp(`(?<!${edge})(?:${alternatives(words)})(?!${edge})`, flags);
}

/** Longest first, so that a name wins over its beginning. */
function alternatives(words: readonly string[]): string {
  return words
    .toSorted((one, other) => other.length - one.length)
    .map(each => each.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join('|');
}

function replace(text: string, pattern: RegExp | undefined, by: (found: string) => string): string {
  return pattern ? text.replace(pattern, by) : text;
}

/** As Slack's mrkdwn spells it. */
function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

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
