import { setImmediate } from 'node:timers/promises';
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { definePrepared, type Params } from '../../db/prepared.ts';
import { toCountDb } from '../store/incident-counts.ts';
import { type Db, fold, type Tables } from '../store/tables.ts';
import type { SeverityTerm, Term, TypedTerm } from './ast.ts';
import type { NamedIds, QueryVocabulary } from './named.ts';
import { properties } from './parse.ts';
import { excerpt, invalidQuery } from './tokenize.ts';

type Condition = Expression<SqlBool>;

const incident = expressionBuilder<Tables, 'incident'>();

/** What the words that people type name, looked up before the query runs. */
export interface WordMatches {
  /** User ids of the people with a role whose names have a word that begins so. */
  holdersOf(name: string): readonly string[];
  isInLabel(word: string): boolean;
  /** Incidents with such a note. */
  notedIn(words: string): readonly number[];
}

/** The most people whom one name means. */
const mostHolders = 100;
/** The most searches of notes in one query. */
const mostNotes = 3;
/** The newest timeline items that a search of notes reads, and how many of them in one statement, which holds up others. */
const notesReach = { items: 200_000, atOnce: 500 } as const;
/** The most incidents that a search of notes finds. */
const mostNoted = 1_000;

const readHolders = definePrepared((db: Db, _: Params<Record<never, never>>) =>
  db
    .selectFrom('person')
    .select(['user_id', 'name'])
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('assignment').select('user_id').whereRef('assignment.user_id', '=', 'person.user_id')),
    ),
);

/** Looks up what the words of people in a query name, and throws `invalid_argument` for a role or severity that there is not. */
export async function findTyped(
  db: Db,
  terms: readonly Term[],
  named: NamedIds & QueryVocabulary,
): Promise<WordMatches> {
  const words = terms.flatMap(each => (each.kind === 'word' ? [fold(each.value)] : []));
  const holders = terms.filter(each => each.kind === 'holder');
  for (const { role, at } of holders) {
    if (role === undefined || named.rolesOf(role).length > 0) continue;
    const known = [...properties, 'worst', 'notes', 'person'].join(', ');
    throw invalidQuery(
      `there is no property or role ${excerpt(role)}. Properties are ${known}. Put quotes around text with a colon`,
      at.start,
    );
  }
  await checkSeverities(db, terms, named);
  const needsPeople = words.length + holders.length > 0;
  const names = needsPeople ? (await readHolders(db, {})).map(each => [each.user_id, toWords(each.name)] as const) : [];
  const holdersOf = (name: string) =>
    names.filter(([, known]) => name !== '' && known.includes(toWords(name))).map(([id]) => id);
  for (const { value, at } of holders) {
    if (holdersOf(value).length > mostHolders)
      throw invalidQuery(`${excerpt(value)} fits more than ${mostHolders} people: type more of the name`, at.start);
  }
  const labels =
    // Every label that incidents have is known to the organisation, once.
    words.length > 0 ? (await db.selectFrom('org_label').select('label').execute()).map(each => fold(each.label)) : [];
  const noted = await findNoted(db, terms);
  return {
    holdersOf,
    isInLabel: word => labels.some(each => each.includes(fold(word))),
    notedIn: value => noted.get(value) ?? [],
  };
}

async function checkSeverities(db: Db, terms: readonly Term[], { severities }: QueryVocabulary): Promise<void> {
  const known = new Set(severities.map(each => fold(each.label)));
  const others = terms.filter((each): each is SeverityTerm => each.kind === 'severity' && !known.has(fold(each.value)));
  for (const { value, at } of others) {
    // The options may have listed it once, and incidents keep theirs.
    const had = toCountDb(db).selectFrom('incident_count').select('count').where('severity', '=', value);
    if ((await had.where('count', '>', 0).limit(1).executeTakeFirst()) !== undefined) continue;
    const ranked = [...severities].sort((one, other) => toRank(one.level) - toRank(other.level));
    const list = ranked.map(each => each.label).join(', ');
    throw invalidQuery(`there is no severity ${excerpt(value)}: ${list}`, at.start);
  }
}

/** A name as words with a space before each. */
function toWords(name: string): string {
  return ` ${fold(name)
    .split(/[\s._@:/-]+/)
    .filter(each => each !== '')
    .join(' ')}`;
}

/** The incidents whose notes have the words, the newest first; the last letters of a name that has capitals beyond ASCII count. */
async function findNoted(db: Db, terms: readonly Term[]): Promise<Map<string, number[]>> {
  const noted = new Map<string, number[]>();
  for (const { value, at } of terms.filter(each => each.kind === 'notes')) {
    if (noted.size === mostNotes) throw invalidQuery(`it looks for more than ${mostNotes} texts in notes`, at.start);
    noted.set(value, []);
  }
  if (noted.size === 0) return noted;
  const last = await db
    .selectFrom('activity')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst();
  for (const value of noted.keys()) {
    const found = new Set<number>();
    const oldest = Math.max(0, Number(last?.seq ?? 0) - notesReach.items);
    for (let seq = Number(last?.seq ?? 0); seq > oldest && found.size < mostNoted; seq -= notesReach.atOnce) {
      const rows = await db
        .selectFrom('activity')
        .select('incident_id')
        .distinct()
        .where('seq', '>', seq - notesReach.atOnce)
        .where('seq', '<=', seq)
        .where('kind', '=', 'userNote')
        // Databases fold little more than ASCII, so words count as they are typed too.
        .where(({ or }) => or([contains(sql`lower(body)`, fold(value)), contains(sql.ref('body'), value)]))
        .execute();
      for (const row of rows) found.add(row.incident_id);
      await setImmediate();
    }
    noted.set(value, [...found].slice(0, mostNoted));
  }
  return noted;
}

/** The condition of a term that only people's words have. */
export function toTypedCondition(term: TypedTerm, meaning: WordMatches & NamedIds & QueryVocabulary): Condition {
  switch (term.kind) {
    case 'word':
      return incident.or([
        contains(sql.ref('incident.title_folded'), fold(term.value)),
        ...toOthers(term.value, meaning),
      ]);
    case 'notes': {
      const ids = meaning.notedIn(term.value);
      return ids.length === 0 ? incident.or([]) : incident('incident.id', 'in', ids);
    }
    case 'holder':
      return isHeld(meaning.holdersOf(term.value), term.role === undefined ? undefined : meaning.rolesOf(term.role));
    case 'severity':
      return term.isWorst ? hadWorst(term.value, meaning) : isOf([term.value], meaning);
  }
}

/** The states of an incident as words alone. */
const states: Readonly<Record<string, 'active' | 'resolved'>> = {
  open: 'active',
  active: 'active',
  resolved: 'resolved',
};

/** What a word means in addition to a part of the title. */
function toOthers(word: string, meaning: WordMatches & QueryVocabulary): Condition[] {
  const number = toNumber(word);
  const state = states[fold(word)];
  const isSeverity = meaning.severities.some(each => fold(each.label) === fold(word));
  const holders = meaning.holdersOf(word);
  return [
    ...(number === undefined ? [] : [incident('incident.id', '=', number)]),
    ...(state === undefined ? [] : [incident('incident.status', '=', state)]),
    ...(isSeverity ? [isOf([word], meaning)] : []),
    ...(word === '' || !meaning.isInLabel(word) ? [] : [isLabelled(word)]),
    ...(holders.length === 0 || holders.length > mostHolders ? [] : [isHeld(holders, undefined)]),
  ];
}

/** The number of an incident as people write it: `55`, `#55`, `INC-55`; undefined for any other word. */
export function toNumber(word: string): number | undefined {
  const digits = /^(?:#|inc(?:ident)?[-#]?)?(\d{1,9})$/i.exec(word.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function isLabelled(word: string): Condition {
  return incident.exists(
    incident
      .selectFrom('incident_label')
      .select('incident_label.incident_id')
      .whereRef('incident_label.incident_id', '=', 'incident.id')
      .where(contains(sql.ref('incident_label.label_folded'), fold(word))),
  );
}

function isHeld(people: readonly string[], roles: readonly number[] | undefined): Condition {
  if (people.length === 0) return incident.or([]);
  const held = incident
    .selectFrom('assignment')
    .select('assignment.incident_id')
    .whereRef('assignment.incident_id', '=', 'incident.id')
    .where('assignment.user_id', 'in', people);
  return incident.exists(roles === undefined ? held : held.where('assignment.role_id', 'in', roles));
}

/** The rank of a level: the worst is the least, the unknown one the greatest. */
export function toRank(level: number): number {
  return level < 0 ? Number.MAX_SAFE_INTEGER : level;
}

/** Incidents that had this severity once, and never a worse one. */
function hadWorst(value: string, vocabulary: QueryVocabulary): Condition {
  const own = vocabulary.severities.find(each => fold(each.label) === fold(value));
  const rank = toRank(own?.level ?? -1);
  const worse = vocabulary.severities.filter(each => toRank(each.level) < rank).map(each => each.label);
  return incident.and([
    had([value], vocabulary),
    ...(worse.length === 0 ? [] : [incident.not(had(worse, vocabulary))]),
  ]);
}

/** Has one of these severities, or had it before a change. */
function had(values: readonly string[], vocabulary: QueryVocabulary): Condition {
  const before = toLabels(values, vocabulary).map(each =>
    contains(sql.ref('activity.field_values'), `"previousSeverity":${JSON.stringify(each)}`),
  );
  const changed = incident
    .selectFrom('activity')
    .select('activity.id')
    .whereRef('activity.incident_id', '=', 'incident.id')
    .where('activity.kind', '=', 'incidentSeverityChanged')
    .where(({ or }) => or(before));
  return incident.or([isOf(values, vocabulary), incident.exists(changed)]);
}

function isOf(values: readonly string[], vocabulary: QueryVocabulary): Condition {
  return incident('incident.severity', 'in', toLabels(values, vocabulary));
}

/** Severities as the options write them. One that they no longer list counts as it is written. */
function toLabels(values: readonly string[], { severities }: QueryVocabulary): string[] {
  const folded = new Set(values.map(fold));
  return [...severities.map(each => each.label).filter(each => folded.has(fold(each))), ...values];
}

/** A part of a text, whose wildcards of LIKE are escaped. */
export function contains(column: Expression<unknown>, part: string): Condition {
  return sql<SqlBool>`${column} like ${`%${part.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
}
