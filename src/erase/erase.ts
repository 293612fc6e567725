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

/*
 * Erasing reads each text of the database that may hold the person, asks the {@link Scrubber} for the text without them, and writes that
 * text unless the row has changed meanwhile. The scrubber replaces a text that is an id, an address or a name of the person as a whole; in
 * other texts it replaces their ids, addresses and full names where they are words of their own, in a JSON text string by string. In people's words
 * a name of one word goes only behind an `@`; else it is reported (`left`). Where another person has the same name, it leaves the name alone,
 * unless the row also holds an id or an address that is theirs.
 */

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
  'reader_sign_out',
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
  const mark = randomBytes(4).toString('hex');
  const successor: Successor = {
    name: `Erased person ${mark}`,
    userIDs: identity.userIDs.map((_, index) => (index === 0 ? `erased:${mark}` : `erased:${mark}-${index + 1}`)),
    slackID: `erased-${mark}`,
  };
  const scrubber = new Scrubber(identity, successor);
  const tables = (await findTextTables(database)).filter(each => !untouched.has(each.name));
  const isShared = how.sharedNames.length > 0;
  const changed = new Map<string, number>();
  let left = new Map<string, Set<string>>();
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    left = new Map();
    let count = 0;
    for (const table of tables) {
      const isPersonal = personal.some(each => each === table.name);
      for await (const row of findRows(database, table, scrubber.needles)) {
        if (isPersonal && identity.slackIDs.includes(row.texts.user_id ?? '')) continue;
        const changes = scrubRow(scrubber, table.name, row.texts, isShared);
        if (Object.values({ ...row.texts, ...changes }).some(text => scrubber.names(text)))
          left.set(table.name, (left.get(table.name) ?? new Set()).add(row.incidentID));
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

/** The texts of a row that change, by column. `isShared`: another person has one of their names. */
function scrubRow(
  scrubber: Scrubber,
  table: string,
  texts: TextRow['texts'],
  isShared: boolean,
): Record<string, string> {
  const isAboutThem = Object.entries(texts).some(
    ([column, text]) =>
      scrubber.identifies(text) || (idColumn.test(column) && scrubber.identity.userIDs.includes(text)),
  );
  const isAmbiguous = isShared && !isAboutThem;
  const toOrigin = (column: string): TextOrigin => {
    if (idColumn.test(column)) return 'id';
    // Muster's words about another person may repeat what people wrote, such as a title, so only those about this person count.
    if (!isAboutThem) return 'people';
    const isOwnWords = table === 'activity' && column === 'body' && texts.kind !== 'userNote';
    return isOwnWords || machineColumns.has(`${table}.${column}`) ? 'machine' : 'people';
  };
  const changes: Record<string, string> = {};
  for (const [column, text] of Object.entries(texts)) {
    const after = scrubber.scrub(text, toOrigin(column), isAmbiguous);
    if (after !== text) changes[column] = column.endsWith('_folded') ? fold(after) : after;
  }
  if (table === 'incident' && changes.title !== undefined) changes.slug = toSlug(changes.title);
  return changes;
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

/** Where a text comes from. `id`: it is a user id alone. `machine`: Muster wrote it. `people`: people wrote it. */
type TextOrigin = 'id' | 'machine' | 'people';

/** The person in the place of an erased one: a name and ids that say nothing of them. */
interface Successor {
  readonly name: string;
  /** One for each user id of the person, in their order. */
  readonly userIDs: readonly string[];
  /** In place of a Slack id within a text. */
  readonly slackID: string;
}

/** Takes one person out of texts, as the head of this file says. */
export class Scrubber {
  readonly identity: Identity;
  /** What a text holds that the person may be in, in any spelling. */
  readonly needles: readonly string[];
  readonly #successor: Successor;
  readonly #successors: ReadonlyMap<string, string>;
  /** Ids that are no words. A short id such as "7" or "alice" is a word of many texts, so it counts only in a column of ids. */
  readonly #clearIDs: readonly string[];
  readonly #spellings: readonly string[];
  /** Their ids and addresses within a text, each with its replacement, in the order in which they are replaced. */
  readonly #identifiers: readonly (readonly [RegExp | undefined, (found: string) => string])[];
  /** Their names in words that people wrote: a name of several words anywhere, others only behind an @. */
  readonly #names: readonly (RegExp | undefined)[];
  /** Any of their names as a word of its own. */
  readonly #anyName: RegExp | undefined;

  constructor(identity: Identity, successor: Successor) {
    const { userIDs, slackIDs, names, emails, photoURLs } = identity;
    this.identity = identity;
    this.#successor = successor;
    this.#successors = new Map(userIDs.map((id, index) => [id, successor.userIDs[index] ?? successor.name]));
    this.#clearIDs = userIDs.filter(
      id => id.includes(':') || id.includes('@') || (id.length >= 8 && /\d/.test(id) && /\p{L}/u.test(id)),
    );
    // A name as it is, and as Slack’s mrkdwn escapes it.
    const escapeMrkdwn = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    this.#spellings = [...new Set(names.flatMap(name => [name, escapeMrkdwn(name)]))];
    const toName = () => successor.name;
    this.#identifiers = [
      [anyOf(photoURLs, each => each), () => ''],
      [anyOf(slackIDs, each => `<@(?:${each})(?:\\|[^<>]*)?>`), toName],
      [wordOf(this.#clearIDs, '[\\p{L}\\p{N}_:-]'), id => this.#successors.get(id) ?? successor.name],
      [wordOf(slackIDs, '[\\p{L}\\p{N}]'), () => successor.slackID],
      [wordOf(emails, '[\\p{L}\\p{N}_.+-]', 'giu'), toName],
    ];
    const letter = '[\\p{L}\\p{N}_]';
    this.#anyName = wordOf(this.#spellings, letter, 'giu');
    const fullNames = this.#spellings.filter(name => /\s/.test(name));
    this.#names = [
      wordOf(fullNames, letter, 'giu'),
      anyOf(this.#spellings, each => `@(?:${each})(?!${letter})`, 'giu'),
    ];
    const needles = [...userIDs, ...slackIDs, ...emails, ...photoURLs, ...this.#spellings];
    this.needles = [...new Set(needles.flatMap(each => [each, JSON.stringify(each).slice(1, -1)]))];
  }

  /**
   * The text without the person; the text as it was where they are not in it. `isAmbiguous`: another person has the name too, and nothing in
   * the row says which of them a text means.
   */
  scrub(text: string, origin: TextOrigin, isAmbiguous: boolean): string {
    if (text === '') return text;
    const whole = this.#scrubWhole(text, origin, isAmbiguous);
    if (whole !== undefined) return whole;
    return isJson(text) ? this.#scrubJson(text, isAmbiguous) : this.#scrubWords(text, origin, isAmbiguous);
  }

  /** Whether a text holds their name as words of its own. */
  names(text: string): boolean {
    return this.#anyName !== undefined && text.search(this.#anyName) >= 0;
  }

  /** Whether a text holds an id or an address that is theirs alone. */
  identifies(text: string): boolean {
    const { slackIDs, photoURLs, emails } = this.identity;
    return (
      [...this.#clearIDs, ...slackIDs, ...photoURLs].some(each => text.includes(each)) ||
      emails.some(each => text.toLowerCase().includes(each.toLowerCase()))
    );
  }

  #scrubWhole(text: string, origin: TextOrigin, isAmbiguous: boolean): string | undefined {
    if (origin === 'id' || this.#clearIDs.includes(text)) {
      const id = this.#successors.get(text);
      if (id !== undefined) return id;
    }
    const { slackIDs, photoURLs, emails } = this.identity;
    const isOne = (values: readonly string[]) => values.some(each => each.toLowerCase() === text.toLowerCase());
    if (slackIDs.includes(text) || isOne(emails) || photoURLs.includes(text)) return '';
    return !isAmbiguous && isOne(this.#spellings) ? this.#successor.name : undefined;
  }

  #scrubWords(text: string, origin: TextOrigin, isAmbiguous: boolean): string {
    const { name } = this.#successor;
    let left = text;
    for (const [pattern, by] of this.#identifiers) left = replace(left, pattern, by);
    if (isAmbiguous) return left;
    if (origin === 'machine') return replace(left, this.#anyName, () => name);
    for (const pattern of this.#names) left = replace(left, pattern, () => name);
    const { text: words, foot } = splitNoteBody(left);
    return foot === '' ? left : `${words}\n\n${replace(foot, this.#anyName, () => name)}`;
  }

  /** Each string of a JSON text by itself, so that everything else stays as it was written. */
  #scrubJson(text: string, isAmbiguous: boolean): string {
    let key = '';
    let left = '';
    let read = 0;
    for (const [start, end] of findJsonStrings(text)) {
      const written = text.slice(start, end);
      const value: string = JSON.parse(written);
      const isKey = /^\s*:/.test(text.slice(end, end + 20));
      if (isKey) key = value;
      const isID = !isKey && /user_?id$/i.test(key);
      const scrubbed = this.scrub(value, isID ? 'id' : 'people', isAmbiguous);
      left += text.slice(read, start) + (scrubbed === value ? written : JSON.stringify(scrubbed));
      read = end;
    }
    return left + text.slice(read);
  }
}

/**
 * Where the strings of a JSON text begin and end, with their quotes. A regular expression keeps its place at each character of a string,
 * and runs out of room in a long one.
 */
function* findJsonStrings(text: string): Generator<readonly [start: number, end: number]> {
  /** Whether an odd number of backslashes precedes a character. */
  const isEscaped = (at: number) => {
    let first = at;
    while (text[first - 1] === '\\') first -= 1;
    return (at - first) % 2 === 1;
  };
  for (let start = text.indexOf('"'); start >= 0; ) {
    let quote = text.indexOf('"', start + 1);
    while (quote >= 0 && isEscaped(quote)) quote = text.indexOf('"', quote + 1);
    if (quote < 0) return;
    yield [start, quote + 1];
    start = text.indexOf('"', quote + 1);
  }
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
function wordOf(words: readonly string[], edge: string, flags = 'gu'): RegExp | undefined {
  return anyOf(words, each => `(?<!${edge})(?:${each})(?!${edge})`, flags);
}

/** A pattern around any of the words, the longest first, so that a name wins over its beginning; undefined when there are no words. */
function anyOf(words: readonly string[], around: (words: string) => string, flags = 'gu'): RegExp | undefined {
  if (words.length === 0) return undefined;
  const sorted = words.toSorted((one, other) => other.length - one.length);
  const alternatives = sorted.map(each => each.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('|');
  return new RegExp(around(alternatives), flags);
}

function replace(text: string, pattern: RegExp | undefined, by: (found: string) => string): string {
  return pattern ? text.replace(pattern, by) : text;
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

interface TextRow {
  /** The row's address in its table. */
  readonly address: string | number;
  readonly incidentID: string;
  readonly texts: Readonly<Record<string, string>>;
}

const readTogether = 500;

async function findTextTables(database: Database): Promise<readonly TextTable[]> {
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
async function* findRows(
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
      yield {
        address: last,
        incidentID: String(row_incident ?? ''),
        texts: Object.fromEntries(Object.entries(texts).map(([column, text]) => [column, String(text ?? '')])),
      };
    }
    if (rows.length < readTogether) return;
  }
}

/** Changes texts of a row, unless they have changed meanwhile: then the next pass reads them. */
async function changeRow(
  database: Database,
  table: TextTable,
  row: TextRow,
  changes: Readonly<Record<string, string>>,
): Promise<void> {
  const sets = Object.entries(changes).map(([column, text]) => sql`${sql.ref(column)} = ${text}`);
  const before = Object.keys(changes).map(column => sql`${sql.ref(column)} = ${row.texts[column] ?? ''}`);
  await database.single<AnyTables, unknown>(db =>
    sql`update ${sql.table(table.name)} set ${sql.join(sets)}
      where ${sql.ref(database.rowAddress)} = ${row.address} and ${sql.join(before, sql` and `)}`.execute(db),
  );
}
