import { fold } from '../store/tables.ts';
import { parseTime, toMicros, toStartOfMonth } from '../store/time.ts';
import { type Query, rangeProperties, type Term } from './ast.ts';
import { parseQuery, properties, type TextToken, toTerm, toTitle } from './parse.ts';
import { excerpt, invalidQuery } from './tokenize.ts';

/** The reader who types a query. */
interface Typist {
  /** Spans such as `7d` end here. */
  readonly now: Date;
  /** Whether it is known who reads. Only a known reader can ask for e-mail addresses: an answer confirms whose they are. */
  readonly isKnown: boolean;
}

/** Words for the two states of an incident. */
const statuses: Readonly<Record<string, string>> = {
  ...{ active: 'active', open: 'active', ongoing: 'active' },
  ...{ resolved: 'resolved', closed: 'resolved', done: 'resolved' },
};

/**
 * Reads what a person types on a page: the language of docs/api-rules.md A7 and the words of people, which are described there too. Throws
 * only `invalid_argument`, with `invalid query: <reason>`.
 */
export function parseTyped(text: string, typist: Typist): Query {
  return parseQuery(text, {
    word: token => toSpan(token, typist.now) ?? { ...toTitle(token), kind: 'word', value: token.text },
    property: (name, first, second) => toTyped(name, first, typist) ?? toTerm(name, first, second),
  });
}

/** `7d` alone: declared since so long ago. Undefined for any other word, and for a quoted one. */
function toSpan(token: TextToken, now: Date): Term | undefined {
  const isSpan = token.kind === 'word' && /^\d{1,5}[hdw]$/i.test(token.text);
  return isSpan
    ? { kind: 'range', property: 'declared', ...readRange('declared', token, now), at: token.at }
    : undefined;
}

/** A term with people's own meaning; undefined when it means what it means to the API. */
function toTyped({ text: name, at: { start } }: TextToken, first: TextToken, typist: Typist): Term | undefined {
  const at = { start, end: first.at.end };
  const value = first.text;
  const range = rangeProperties.find(each => each === name);
  if (range) return { kind: 'range', property: range, ...readRange(range, first, typist.now), at };
  switch (name) {
    case 'notes':
      return { kind: 'notes', value, at };
    case 'person':
      return { kind: 'holder', role: undefined, value, at };
    case 'severity':
    case 'worst':
      return { kind: 'severity', isWorst: name === 'worst', value, at };
    case 'status': {
      const status = statuses[fold(value)];
      if (status !== undefined) return { kind: 'exact', property: 'status', value: status, at };
      throw invalidQuery(`there is no status ${excerpt(value)}: an incident is open or resolved`, first.at.start);
    }
    case 'user.email':
    case 'createdby':
      if (typist.isKnown) return undefined;
      throw invalidQuery(`${name} is not for readers without a name: type a person's name, as in person:ana`, start);
    default:
      return properties.includes(name) ? undefined : { kind: 'holder', role: name, value, at };
  }
}

interface Stretch {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Reads `7d`, `2026-11-01`, or two times with `..` or a comma between; one of them may be left out. */
function readRange(property: string, { text, at }: TextToken, now: Date): Stretch {
  const ends = text.split(/\.\.|,/).map(each => each.trim());
  const [first = '', last] = ends;
  const read = (end: string) => {
    const stretch = end === '' ? { from: undefined, to: undefined } : readStretch(end, now);
    if (stretch) return stretch;
    throw invalidQuery(`${excerpt(end)} of ${property} is no time: ${forms(property)}`, at.start);
  };
  if (ends.length > 2 || text === '' || ends.every(each => each === ''))
    throw invalidQuery(`${property} needs a time: ${forms(property)}`, at.start);
  if (last === undefined) {
    const { from, to } = read(first);
    return { from, to: from === to ? undefined : to };
  }
  const [from, to] = [read(first).from, read(last).to];
  if (from !== undefined && to !== undefined && to < from)
    throw invalidQuery(`${property} ends before it begins: the earlier time comes first`, at.start);
  return { from, to };
}

function forms(property: string): string {
  return `type ${property}:7d, ${property}:24h, ${property}:2026-11-01 or ${property}:2026-11-01..2026-11-10`;
}

const units: Readonly<Record<string, number>> = { m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 };

/** The first and the last microsecond of a day or month; the moment itself, twice, of a time or of so long ago. */
function readStretch(text: string, now: Date): Stretch | undefined {
  const [, count = '', unit = ''] = /^(\d{1,5})(m|min|h|d|w)$/i.exec(text) ?? [];
  const seconds = units[unit.toLowerCase()];
  const moment = seconds === undefined ? parseTime(text) : toMicros(now) - Number(count) * seconds * 1_000_000;
  if (moment !== undefined) return { from: moment, to: moment };
  const ago = ['today', 'yesterday'].indexOf(text.toLowerCase());
  const day = ago < 0 ? text : new Date(now.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
  const [, year, month, date] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(day) ?? [];
  const from = parseTime(`${year}-${month}-${date ?? '01'}T00:00:00Z`);
  if (from === undefined) return undefined;
  const after = date === undefined ? toStartOfMonth(from / 1000, 1) : from / 1000 + 86_400_000;
  return { from, to: after * 1000 - 1 };
}
