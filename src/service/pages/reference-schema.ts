import { html } from 'hono/html';
import type { Schema } from '../../contract/openapi-document.ts';
import type { Html } from './escape.ts';

/** Whose members: a request must have some, and a response may lack some. */
type Way = 'request' | 'response';

/** What the table says of a member that is required, and of any other. */
const presence = {
  request: { required: 'required', other: '' },
  response: { required: '', other: 'may be absent' },
} as const;

/** Lists of so many words stand in the first table that has them, and later ones lead there. */
const longList = 8;

/**
 * The members of an object as a table, or a word for any other schema. It stands in a section with an id; `lists` knows the sections in
 * which the long lists of words stand. End tags that HTML lets out are left out, because a reference has hundreds of rows.
 */
export function membersTable(schema: Schema, way: Way, id: string, lists: Map<string, string>): Html {
  const { items = schema } = schema;
  if (!items.properties) return html`<p>${schemaType(schema)}</p>`;
  const rows = memberRows(items, way, items === schema ? '' : '[].', words => {
    const name = words.join(', ');
    const first = words.length < longList ? undefined : lists.get(name);
    if (first === undefined) lists.set(name, id);
    return first === undefined || first === id ? html`<code>${name}</code>` : html`<a href="#${first}">the same</a>`;
  });
  if (rows.length === 0) return html`<p class="quiet">No members.</p>`;
  return html`<div class="scroll" tabindex="0"><table class="members"><thead><tr><th scope="col">Member<th scope="col">Type<th scope="col">Presence<th scope="col">Meaning<tbody>${rows}</table></div>`;
}

/** Writes a list of words, or leads to where it stands. */
type Listed = (words: readonly string[]) => Html;

/** The members of an object. Those of unnamed objects within stand below, with their path: `query.limit`. */
function memberRows({ properties = {}, required = [] }: Schema, way: Way, above: string, listed: Listed): Html[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const there = presence[way][required.includes(name) ? 'required' : 'other'];
    const row = html`<tr><th scope="row">${above}${name}<td>${schemaType(member)}<td>${there}<td>${remarks(member, listed)}`;
    const { items = member } = member;
    const below = memberRows(items, way, `${above}${name}${items === member ? '' : '[]'}.`, listed);
    return [row, ...below];
  });
}

/** The type in a word. Named objects are links. */
export function schemaType({ $ref, items, anyOf, type, format, enum: words }: Schema): Html {
  const name = $ref?.split('/').at(-1);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  if (items) return html`list of ${schemaType(items)}`;
  if (anyOf) return html`${anyOf.map((each, index) => html`${index > 0 ? ' or ' : ''}${schemaType(each)}`)}`;
  // A time that is not set.
  if (words?.length === 1 && words[0] === '') return html`<code>""</code>`;
  return html`${format === 'date-time' ? 'time' : (type ?? 'anything')}`;
}

function remarks(
  { description = '', enum: words, examples, minLength, maxLength, items }: Schema,
  listed: Listed,
): Html {
  const one = (before: string, values: readonly unknown[] | undefined) =>
    values ? [html`${before} ${listed(values.map(value => (value === '' ? '""' : String(value))))}`] : [];
  const facts = [
    ...[...one('one of', words), ...one('such as', examples)],
    ...[...one('each one of', items?.enum), ...one('such as', items?.examples)],
    ...(minLength === 1 ? ['not empty'] : []),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ];
  const fact = facts.map((each, index) => html`${index > 0 ? ', ' : ' '}${each}`);
  return html`${plain(description)}${fact}`;
}

/** Text of the document. Text between backticks becomes code. */
export function plain(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
