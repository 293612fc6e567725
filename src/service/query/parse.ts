import { parseTime } from '../store/time.ts';
import {
  type And,
  exactProperties,
  type Node,
  partialProperties,
  type Query,
  type RangeProperty,
  rangeProperties,
  type Span,
  type Term,
} from './ast.ts';
import { excerpt, invalidQuery, type QueryToken, tokenize } from './tokenize.ts';

/** The most characters of a query. */
const maxQuery = 10_000;
/** The most characters of one value in a query. */
const maxQueryValue = 2_000;
/** The most conditions of a query. */
export const maxQueryTerms = 200;
/** How deep groups and negations of a query may nest. */
const maxQueryDepth = 50;

const groupWords = ['or', 'any', 'and', 'not'] as const;
/** The names before a colon. */
export const properties: readonly string[] = [
  ...partialProperties,
  ...exactProperties,
  'isdrill',
  'field',
  ...rangeProperties,
];

/** What words and properties mean. */
interface Reading {
  word(token: TextToken): Term;
  /** The term of a property and its value; `second` takes the next value. */
  property(name: TextToken, first: TextToken, second: () => TextToken): Term;
}

/**
 * Reads a query in the language of docs/api-rules.md A7: terms separated by spaces must all hold; `or(…)` and `any(…)`,
 * `and(…)`, `not(…)` and a leading `-` group them, and so do `AND`, `OR` and `NOT` between them. Throws only `invalid_argument`, with `invalid query: <reason>`.
 */
export function parseQuery(text: string, reading: Reading = { word: toTitle, property: toTerm }): Query {
  if (text.length > maxQuery) throw invalidQuery(`it is longer than ${maxQuery} characters`);
  if (text.includes('\0')) throw invalidQuery('it holds a NUL character', text.indexOf('\0'));
  return new Parser(tokenize(text), text.length, reading).parse();
}

class Parser {
  readonly #tokens: readonly QueryToken[];
  readonly #length: number;
  readonly #reading: Reading;
  #next = 0;
  #terms = 0;
  #pairs = 0;

  constructor(tokens: readonly QueryToken[], length: number, reading: Reading) {
    this.#tokens = tokens;
    this.#length = length;
    this.#reading = reading;
  }

  parse(): Query {
    const items = this.#list(0, 'and');
    const rest = this.#tokens[this.#next];
    if (rest)
      throw invalidQuery(
        'a closing parenthesis has no opening one; put quotes around text with parentheses',
        rest.at.start,
      );
    return this.#and(items, { start: 0, end: this.#length });
  }

  /** Reads up to a closing parenthesis, which it leaves unread, or up to the end. `space` is what a space between terms means. */
  #list(depth: number, space: 'and' | 'or'): Node[] {
    const alternatives: [Node[], ...Node[][]] = [[]];
    let items = alternatives[0];
    for (let token = this.#tokens[this.#next]; token && token.kind !== 'close'; token = this.#tokens[this.#next]) {
      const word = this.#joining(token);
      if (word === undefined) {
        items.push(this.#node(token, depth));
        continue;
      }
      this.#next++;
      const before = items.at(-1);
      if (before === undefined) throw invalidQuery(`${word} has nothing before it`, token.at.start);
      const after = this.#expectTerm(word, token.at);
      if (isOr(word) && space === 'and') {
        items = [];
        alternatives.push(items);
      } else if (!isOr(word) && space === 'or') items[items.length - 1] = this.#joined(before, after, depth);
    }
    if (alternatives.length === 1) return items;
    return [{ kind: 'or', items: alternatives.map(each => this.#only(each)), at: spanOf(alternatives.flat()) }];
  }

  /** A word that joins the terms around it: `AND`, `OR`, `&&`, `||`. In small letters, words are words of a title. */
  #joining(token: QueryToken): string | undefined {
    if (token.kind !== 'word') return undefined;
    const next = this.#tokens[this.#next + 1];
    const isGroup = next?.kind === 'open' && next.at.start === token.at.end;
    if (['AND', 'OR', '&&', '||'].includes(token.text) && !isGroup) return token.text;
    const isBeside = this.#tokens[this.#next - 1]?.kind === 'value' || next?.kind === 'property';
    if (/^(and|or|not)$/i.test(token.text) && token.text !== 'NOT' && isBeside && next?.kind !== 'open') {
      const word = token.text.toUpperCase();
      throw invalidQuery(
        `${excerpt(token.text)} between terms is written ${word}, or ${word.toLowerCase()}( … ); put quotes around a word of the title`,
        token.at.start,
      );
    }
    return undefined;
  }

  /** The terms that `AND` joins where a space means "or". */
  #joined(first: Node, second: QueryToken, depth: number): Node {
    const items = [first];
    for (let token = second; ; ) {
      items.push(this.#node(token, depth));
      const next = this.#tokens[this.#next];
      const word = next && this.#joining(next);
      if (next === undefined || word === undefined || isOr(word)) return this.#only(items);
      this.#next++;
      token = this.#expectTerm(word, next.at);
    }
  }

  #expectTerm(word: string, at: Span): QueryToken {
    const token = this.#tokens[this.#next];
    if (token && token.kind !== 'close' && this.#joining(token) === undefined) return token;
    throw invalidQuery(`${word} has nothing after it`, at.start);
  }

  #only(items: Node[]): Node {
    const [first, ...others] = items;
    return first && others.length === 0 ? first : this.#and(items, spanOf(items));
  }

  #node(token: QueryToken, depth: number): Node {
    if (depth >= maxQueryDepth) throw invalidQuery(`it nests deeper than ${maxQueryDepth} levels`, token.at.start);
    this.#next++;
    switch (token.kind) {
      case 'minus':
        return this.#negation(token, depth);
      case 'word':
        if (this.#tokens[this.#next]?.kind === 'open') return this.#group(token, depth);
        if (token.text !== 'NOT') return this.#term(this.#reading.word(token));
        this.#expectTerm(token.text, token.at);
        return this.#negation(token, depth);
      case 'quoted':
        return this.#term(this.#reading.word(token));
      case 'property':
        return this.#term(this.#reading.property(token, this.#value(), () => this.#value()));
      case 'open':
      case 'close':
      case 'value':
        throw looseParenthesis(token.at);
    }
  }

  #negation(minus: QueryToken, depth: number): Node {
    const token = this.#tokens[this.#next];
    if (!token) throw invalidQuery('a minus has nothing to negate', minus.at.start);
    const item = this.#node(token, depth + 1);
    return { kind: 'not', item, at: { start: minus.at.start, end: item.at.end } };
  }

  #group(word: TextToken, depth: number): Node {
    const open = this.#tokens[this.#next++];
    const name = groupWords.find(each => each === word.text.toLowerCase());
    if (name === undefined) throw looseParenthesis(open?.at ?? word.at);
    const items = this.#list(depth + 1, name === 'or' || name === 'any' ? 'or' : 'and');
    const close = this.#tokens[this.#next++];
    if (!close) throw invalidQuery(`the parenthesis of ${name}( is never closed`, open?.at.start);
    const [first] = items;
    if (!first) throw invalidQuery(`${name}( ) is empty`, word.at.start);
    const at = { start: word.at.start, end: close.at.end };
    if (name === 'and') return this.#and(items, at);
    if (name !== 'not') return { kind: 'or', items, at };
    return { kind: 'not', item: this.#only(items), at };
  }

  /** A list looks for each of its roles with each of its people, so those pairs count too. */
  #and(items: readonly Node[], at: Span): And {
    const count = (property: string) =>
      items.filter(each => each.kind === 'exact' && each.property === property).length;
    this.#pairs += count('role') * count('user.email');
    if (this.#pairs > maxQueryTerms) throw invalidQuery('it combines too many roles and people', at.start);
    return { kind: 'and', items, at };
  }

  #term(term: Term): Term {
    if (++this.#terms > maxQueryTerms) throw invalidQuery(`it has more than ${maxQueryTerms} terms`, term.at.start);
    if ('value' in term && typeof term.value === 'string' && term.value.length > maxQueryValue) {
      throw invalidQuery(`a value is longer than ${maxQueryValue} characters`, term.at.start);
    }
    return term;
  }

  #value(): TextToken {
    const token = this.#tokens[this.#next++];
    if (token?.kind !== 'value') throw invalidQuery('a value is missing', token?.at.start ?? this.#length);
    return token;
  }
}

/** A token with text. */
export type TextToken = Extract<QueryToken, { text: string }>;

function isOr(word: string): boolean {
  return word === 'OR' || word === '||';
}

function spanOf(items: readonly Node[]): Span {
  return { start: items[0]?.at.start ?? 0, end: items.at(-1)?.at.end ?? 0 };
}

/** A word or quoted text as a part of the title. */
export function toTitle(token: TextToken): Term {
  if (token.kind === 'word' && /^![a-z][a-z0-9_.]*:/i.test(token.text))
    throw invalidQuery(
      `${excerpt(token.text)} begins with !, which is written NOT; put quotes around text`,
      token.at.start,
    );
  return { kind: 'partial', property: 'title', value: token.text, at: token.at };
}

/** A property with its value, as the API has it. */
export function toTerm(name: TextToken, first: TextToken, second: () => TextToken): Term {
  if (name.text === 'field') {
    const value = second();
    return { kind: 'field', slug: first.text, value: value.text, at: { start: name.at.start, end: value.at.end } };
  }
  const at = { start: name.at.start, end: first.at.end };
  const partial = partialProperties.find(each => each === name.text);
  if (partial) return { kind: 'partial', property: partial, value: first.text, at };
  const exact = exactProperties.find(each => each === name.text);
  if (exact) return { kind: 'exact', property: exact, value: first.text, at };
  const range = rangeProperties.find(each => each === name.text);
  if (range) return { kind: 'range', property: range, ...readRange(range, first.text, first.at.start), at };
  if (name.text === 'isdrill') return { kind: 'drill', value: readBoolean(first), at };
  throw invalidQuery(
    `unknown property ${excerpt(name.text)}; known are ${properties.join(', ')}. Put quotes around text with a colon`,
    name.at.start,
  );
}

function readBoolean(token: TextToken): boolean {
  const value = token.text.toLowerCase();
  if (value !== 'true' && value !== 'false') {
    throw invalidQuery(`isdrill is true or false, not ${excerpt(token.text)}`, token.at.start);
  }
  return value === 'true';
}

function looseParenthesis(at: Span): Error {
  return invalidQuery(
    `a parenthesis may only follow ${groupWords.join(', ')}; put quotes around text with parentheses`,
    at.start,
  );
}

/**
 * Reads `from,to`; each of the two may be empty. Refuses anything but RFC 3339 times; `offset` is the range's place in the query, for the
 * message.
 */
function readRange(
  property: RangeProperty,
  text: string,
  offset: number,
): { from: number | undefined; to: number | undefined } {
  const [from, to, ...more] = text.split(',').map(each => each.trim());
  if (from === undefined || to === undefined || more.length > 0 || (from === '' && to === '')) {
    throw invalidQuery(
      `${property} needs two times with a comma between, of which one may be empty, as in ${property}:2026-01-31T00:00:00Z,`,
      offset,
    );
  }
  return { from: readTime(property, from, offset), to: readTime(property, to, offset) };
}

function readTime(property: RangeProperty, text: string, offset: number): number | undefined {
  if (text === '') return undefined;
  const time = parseTime(text);
  if (time === undefined) {
    throw invalidQuery(`${excerpt(text)} of ${property} is not a time like 2026-01-31T14:05:00Z`, offset);
  }
  return time;
}
