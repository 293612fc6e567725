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
export const maxQuery = 10_000;
/** The most characters of one value in a query. */
export const maxQueryValue = 2_000;
/** The most conditions of a query. */
export const maxQueryTerms = 200;
/** How deep groups and negations of a query may nest. */
export const maxQueryDepth = 50;

const groupWords = ['or', 'any', 'and', 'not'] as const;
const properties = [...partialProperties, ...exactProperties, 'isdrill', 'field', ...rangeProperties];

/**
 * Reads a query in the language of docs/api-rules.md A7: terms separated by spaces must all hold; `or(…)` and `any(…)`,
 * `and(…)`, `not(…)` and a leading `-` group them. Throws only `invalid_argument`, with `invalid query: <reason>`.
 */
export function parseQuery(text: string): Query {
  if (text.length > maxQuery) throw invalidQuery(`it is longer than ${maxQuery} characters`);
  if (text.includes('\0')) throw invalidQuery('it holds a NUL character', text.indexOf('\0'));
  return new Parser(tokenize(text), text.length).parse();
}

class Parser {
  readonly #tokens: readonly QueryToken[];
  readonly #length: number;
  #next = 0;
  #terms = 0;
  #pairs = 0;

  constructor(tokens: readonly QueryToken[], length: number) {
    this.#tokens = tokens;
    this.#length = length;
  }

  parse(): Query {
    const items = this.#list(0);
    const rest = this.#tokens[this.#next];
    if (rest)
      throw invalidQuery(
        'a closing parenthesis has no opening one; put quotes around text with parentheses',
        rest.at.start,
      );
    return this.#and(items, { start: 0, end: this.#length });
  }

  /** Reads up to a closing parenthesis, which it leaves unread, or up to the end. */
  #list(depth: number): Node[] {
    const items: Node[] = [];
    for (let token = this.#tokens[this.#next]; token && token.kind !== 'close'; token = this.#tokens[this.#next]) {
      items.push(this.#node(token, depth));
    }
    return items;
  }

  #node(token: QueryToken, depth: number): Node {
    if (depth >= maxQueryDepth) throw invalidQuery(`it nests deeper than ${maxQueryDepth} levels`, token.at.start);
    this.#next++;
    switch (token.kind) {
      case 'minus':
        return this.#negation(token, depth);
      case 'word':
        return this.#tokens[this.#next]?.kind === 'open' ? this.#group(token, depth) : this.#term(toTitle(token));
      case 'quoted':
        return this.#term(toTitle(token));
      case 'property':
        return this.#term(toTerm(token, this.#value(), () => this.#value()));
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
    const items = this.#list(depth + 1);
    const close = this.#tokens[this.#next++];
    if (!close) throw invalidQuery(`the parenthesis of ${name}( is never closed`, open?.at.start);
    const [first] = items;
    if (!first) throw invalidQuery(`${name}( ) is empty`, word.at.start);
    const at = { start: word.at.start, end: close.at.end };
    if (name === 'and') return this.#and(items, at);
    if (name !== 'not') return { kind: 'or', items, at };
    const within = { start: first.at.start, end: items.at(-1)?.at.end ?? first.at.end };
    return { kind: 'not', item: items.length === 1 ? first : this.#and(items, within), at };
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

type TextToken = Extract<QueryToken, { text: string }>;

function toTitle(token: TextToken): Term {
  return { kind: 'partial', property: 'title', value: token.text, at: token.at };
}

function toTerm(name: TextToken, first: TextToken, second: () => TextToken): Term {
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
 * Reads `from,to`, either of which may be empty. Refuses anything but RFC 3339 times; `offset` is the range's place in the
 * query, for the message.
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
