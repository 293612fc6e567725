import { RpcError } from '../../contract/errors.ts';
import type { Span } from './ast.ts';

/** The smallest pieces of a query. A `property` is followed by its `value`; a `field` by two: slug and value. */
export type QueryToken =
  | { readonly kind: 'open' | 'close' | 'minus'; readonly at: Span }
  | { readonly kind: 'word' | 'quoted' | 'property' | 'value'; readonly text: string; readonly at: Span };

const space = /\s/;
const propertyStart = /[a-z][a-z0-9_.]*:/iy;

/**
 * Cuts a query into tokens (docs/api-rules.md A7). A quote means something only where a word or value begins, so that `don't` is
 * one word; a minus only before what it negates. Throws `invalid query` for an open quote, text stuck to a closing quote, and
 * a property without a value.
 */
export function tokenize(text: string): QueryToken[] {
  const tokens: QueryToken[] = [];
  let here = 0;
  while (here < text.length) {
    const start = here;
    const character = text.charAt(here);
    if (space.test(character)) {
      here++;
    } else if (character === '(' || character === ')') {
      tokens.push({ kind: character === '(' ? 'open' : 'close', at: { start, end: ++here } });
    } else if (character === '-' && !endsWord(text, here + 1)) {
      tokens.push({ kind: 'minus', at: { start, end: ++here } });
    } else if (isQuote(character)) {
      const quoted = readQuoted(text, here);
      expectEnd(text, quoted.end);
      tokens.push({ kind: 'quoted', text: quoted.text, at: { start, end: quoted.end } });
      here = quoted.end;
    } else {
      here = readWord(text, here, tokens);
    }
  }
  return tokens;
}

function readWord(text: string, start: number, tokens: QueryToken[]): number {
  propertyStart.lastIndex = start;
  const property = propertyStart.exec(text)?.[0];
  if (property === undefined) {
    const end = wordEnd(text, start);
    tokens.push({ kind: 'word', text: text.slice(start, end), at: { start, end } });
    return end;
  }
  const name = property.slice(0, -1).toLowerCase();
  let here = start + property.length;
  tokens.push({ kind: 'property', text: name, at: { start, end: here } });
  if (name === 'field') here = readSlug(text, here, tokens);
  return readValue(text, here, name, tokens);
}

function readSlug(text: string, start: number, tokens: QueryToken[]): number {
  const quoted = isQuote(text.charAt(start)) ? readQuoted(text, start) : undefined;
  let end = quoted?.end ?? start;
  if (!quoted) while (!endsWord(text, end) && text.charAt(end) !== ':') end++;
  const slug = quoted?.text ?? text.slice(start, end);
  if (slug === '' || text.charAt(end) !== ':') {
    throw invalidQuery('"field" needs a name and a value, as in field:service:checkout', start);
  }
  tokens.push({ kind: 'value', text: slug, at: { start, end } });
  return end + 1;
}

function readValue(text: string, start: number, name: string, tokens: QueryToken[]): number {
  if (isQuote(text.charAt(start))) {
    const quoted = readQuoted(text, start);
    expectEnd(text, quoted.end);
    tokens.push({ kind: 'value', text: quoted.text, at: { start, end: quoted.end } });
    return quoted.end;
  }
  const end = wordEnd(text, start);
  if (end === start) throw invalidQuery(`${excerpt(name)} needs a value right after the colon`, start);
  tokens.push({ kind: 'value', text: text.slice(start, end), at: { start, end } });
  return end;
}

function readQuoted(text: string, start: number): { text: string; end: number } {
  const close = text.indexOf(text.charAt(start), start + 1);
  if (close === -1) throw invalidQuery(`the quote ${text.charAt(start)} is never closed`, start);
  return { text: text.slice(start + 1, close), end: close + 1 };
}

function expectEnd(text: string, end: number): void {
  if (endsWord(text, end)) return;
  throw invalidQuery(
    'a space is missing after the closing quote; a text that has one kind of quote goes in the other',
    end,
  );
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (!endsWord(text, end)) end++;
  return end;
}

function endsWord(text: string, at: number): boolean {
  const character = text.charAt(at);
  return character === '' || character === '(' || character === ')' || space.test(character);
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'";
}

/** The error for a query, with the place in it where there is one. `offset` counts from 0, the message from 1. */
export function invalidQuery(reason: string, offset?: number): RpcError {
  const place = offset === undefined ? '' : ` (at character ${offset + 1})`;
  return new RpcError('invalid_argument', `invalid query: ${reason}${place}`);
}

/** A piece of the query within a sentence: quoted and short. */
export function excerpt(text: string): string {
  const characters = [...text];
  return characters.length > 40 ? `"${characters.slice(0, 40).join('')}…"` : `"${text}"`;
}
