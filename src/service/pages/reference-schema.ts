import { html } from 'hono/html';
import type { Schema } from './api-document.ts';
import type { Html } from './escape.ts';

/**
 * The members of an object as a table, or a word for any other schema. The table says what a request must have and what a
 * response may lack.
 */
export function membersTable(schema: Schema, of: string, way: 'request' | 'response'): Html {
  const { properties, required = [] } = schema;
  if (!properties) return html`<p>${schemaType(schema)}</p>`;
  const members = Object.entries(properties);
  if (members.length === 0) return html`<p class="quiet">No members.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Members of ${of}"><table class="members"><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">${way === 'request' ? 'Needed' : 'There'}</th><th scope="col">Meaning</th></tr></thead><tbody>${members.flatMap(([name, member]) => memberRows(name, member, required.includes(name), way))}</tbody></table></div>`;
}

const presence = { request: 'required', response: 'may be absent' } as const;
const otherwise = { request: '', response: 'always' } as const;

/** The members of an object. Those of unnamed objects within stand below, with their path: `query.limit`. */
function memberRows(name: string, schema: Schema, isRequired: boolean, way: 'request' | 'response'): Html[] {
  const inner = schema.items?.properties ? schema.items : schema;
  const prefix = schema.items?.properties ? `${name}[].` : `${name}.`;
  const below = Object.entries(inner.properties ?? {}).flatMap(([member, each]) =>
    memberRows(`${prefix}${member}`, each, inner.required?.includes(member) ?? false, way),
  );
  const row = html`<tr><th scope="row"><code>${name}</code></th><td>${schemaType(schema)}</td><td>${isRequired === (way === 'request') ? presence[way] : otherwise[way]}</td><td>${remarks(schema)}</td></tr>`;
  return [row, ...below];
}

/** The type in a word. Named objects are links. */
export function schemaType(schema: Schema): Html {
  const { $ref, items, anyOf, type, format } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (items) return html`list of ${schemaType(items)}`;
  if (anyOf) return html`${anyOf.map((each, index) => html`${index > 0 ? ' or ' : ''}${schemaType(each)}`)}`;
  if (isUnset(schema)) return html`<code>""</code>`;
  return html`${format === 'date-time' ? 'time' : (type ?? 'anything')}`;
}

/** Whether the schema takes an empty text alone: a time that is not set. */
function isUnset({ enum: words }: Schema): boolean {
  return words?.length === 1 && words[0] === '';
}

function remarks({ description, enum: words, examples, minLength, maxLength, items }: Schema): Html {
  const listed = (values: readonly unknown[]) =>
    joined(values.map(value => html`<code>${value === '' ? '""' : String(value)}</code>`));
  const parts = [
    words ? html`one of ${listed(words)}` : '',
    examples ? html`such as ${listed(examples)}` : '',
    items?.enum ? html`each one of ${listed(items.enum)}` : '',
    items?.examples ? html`such as ${listed(items.examples)}` : '',
    minLength === 1 ? html`not empty` : '',
    maxLength === undefined ? '' : html`at most ${maxLength} characters`,
  ];
  const facts = joined(parts.filter(part => part !== ''));
  return html`${description === undefined ? '' : html`<span>${plain(description)}</span> `}${facts.length > 0 ? html`<span class="fact">${facts}</span>` : ''}`;
}

function joined(parts: readonly (Html | string)[]): Html[] {
  return parts.map((part, index) => html`${index > 0 ? ', ' : ''}${part}`);
}

/** Text of the document. Text between backticks becomes code. */
export function plain(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
