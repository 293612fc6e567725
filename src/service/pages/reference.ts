import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { commonErrors, errorCodes } from '../../contract/errors.ts';
import { type ApiDocument, type ApiOperation, readApiDocument, type Schema } from '../../contract/openapi-document.ts';
import type { ServiceOptions } from '../call/options.ts';
import { inward, type PageContent } from './document.ts';
import type { Html } from './escape.ts';

/** The section of each table of a response, and of each long list of words, by its id; later ones lead there. */
interface Sections {
  readonly responses: Map<string, string>;
  readonly lists: Map<string, string>;
}

interface Operation {
  readonly httpMethod: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

const effects: Readonly<Record<string, string>> = {
  read: 'Changes nothing.',
  set: 'Repeating it changes nothing more.',
  create: 'Each call has an effect of its own.',
};

/** The reference of the API by group and operation, made from the OpenAPI document. What several operations share is there once. */
export function referencePage(options: ServiceOptions): PageContent {
  const document = readApiDocument();
  const { info, tags, paths, components } = document;
  const chapters = listChapters(document);
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => ({ httpMethod: verb.toUpperCase(), path, operation })),
  );
  const groups = tags.map(({ name }) => ({ name, all: entries.filter(each => each.operation.tags.includes(name)) }));
  const webhooks = Object.entries(document.webhooks).map(([name, { post }]) => ({
    ...{ httpMethod: 'POST', path: name, operation: post },
  }));
  const shown: Sections = { responses: new Map(), lists: new Map() };
  const part = (id: string, title: string, cards: readonly Html[]) =>
    html`<section id="${id}" class="group"><h2>${title}</h2>${cards}</section>`;
  const objects = Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<section class="card operation" id="${name}"><h3>${name}</h3>${schema.description === undefined ? '' : html`<p>${plain(schema.description)}</p>`}${membersTable(schema, /(Query|Input)$/.test(name) ? 'request' : 'response', name, shown.lists)}</section>`,
  );
  const body = html`<div class="reference">
<nav class="contents" aria-label="Operations"><details><summary>Contents</summary>
${chapters.map(({ id, title }) => html`<h2><a href="#${id}">${title}</a></h2>`)}
${groups.map(({ name, all }) => html`<h2><a href="#${name}">${name}</a></h2><ul>${all.map(({ operation: { operationId } }) => html`<li><a href="#${operationId}">${operationId.slice(operationId.indexOf('.') + 1)}</a></li>`)}</ul>`)}
<h2><a href="#webhooks">Webhooks</a></h2><h2><a href="#schemas">Objects</a></h2></details></nav>
<div class="operations"><header class="title"><h1>API</h1><p>${info.title}. ${plain(info.description)}</p>
<p>Members of a response are always there, unless it says otherwise. The same as a document for programs: <a href="${inward(options, '/openapi.json')}">openapi.json</a>.</p></header>
${chapters.map(({ id, title, body }) => part(id, title, [html`<div class="card">${body}</div>`]))}
${groups.map(({ name, all }) =>
  part(
    name,
    name,
    all.map(entry => operationCard(entry, shown)),
  ),
)}
${part(
  'webhooks',
  'Webhooks',
  webhooks.map(entry => operationCard(entry, shown)),
)}
${part('schemas', 'Objects', objects)}</div></div>`;
  return { title: 'API', section: 'reference', body };
}

function operationCard({ httpMethod, path, operation }: Operation, shown: Sections): Html {
  const { operationId, summary, parameters, requestBody, responses } = operation;
  const access = operation['x-muster-access'];
  const [status, done] = Object.entries(responses).find(([status]) => /^[23]/.test(status)) ?? [];
  const request = (title: string, schema: Schema | undefined) =>
    schema ? html`<h4>${title}</h4>${membersTable(schema, 'request', operationId, shown.lists)}` : '';
  const of = (place: string) => toSchema(parameters.filter(each => each.in === place));
  return html`<section class="card operation" id="${operationId}">${[
    html`<h3><a href="#${operationId}">${operationId}</a>${access === '' ? '' : html` <span class="mark role">${access}</span>`}</h3>`,
    html`<p>${plain(summary)}</p><p class="address"><code><b>${httpMethod}</b> ${path}</code></p>`,
    html`<p class="quiet">${effects[operation['x-muster-effect']] ?? ''}${ownErrors(operation)}</p>`,
    request('In the path', of('path')),
    request('In the query of the address', of('query')),
    request('Request', requestBody?.content['application/json'].schema),
    done ? html`<h4>Response <span class="quiet">${status}</span></h4>${response(operationId, done, shown)}` : '',
    example(operationId),
  ]}</section>`;
}

function response(id: string, done: ApiOperation['responses'][string], { responses, lists }: Sections): Html {
  const schema = done.content?.['application/json'].schema;
  if (!schema) return html`<p>${plain(done.description)}</p>`;
  const first = responses.get(JSON.stringify(schema));
  responses.set(JSON.stringify(schema), first ?? id);
  if (first !== undefined) return html`<p>The members of <a href="#${first}">${first}</a>.</p>`;
  return membersTable(schema, 'response', id, lists);
}

/** One call of each operation and its answer, as `npm run docs` made them, by operation. */
const examples: Readonly<Record<string, { readonly curl: string; readonly answer: string }>> = JSON.parse(
  readFileSync(new URL('reference-examples.json', import.meta.url), 'utf8'),
);

function example(operationId: string): Html | string {
  const found = examples[operationId];
  if (!found) return '';
  // Quotes need no escape between tags, and there are thousands of them.
  const text = `${found.curl}\n\n${found.answer}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return html`<details class="errors"><summary>Example</summary><pre class="code" tabindex="0" role="group" aria-label="Call and answer"><code>${raw(text)}</code></pre></details>`;
}

/** Parameters as the members of an object, to be shown like one; undefined when there are none. */
function toSchema(parameters: ApiOperation['parameters']): Schema | undefined {
  if (parameters.length === 0) return undefined;
  return {
    properties: Object.fromEntries(parameters.map(({ name, description }) => [name, { type: 'string', description }])),
    required: parameters.filter(each => each.required).map(each => each.name),
  };
}

/** The errors of an operation that not all operations have. */
function ownErrors({ responses }: ApiOperation): Html | string {
  const own = Object.entries(responses).flatMap(([status, { $ref }]) => {
    const name = $ref?.slice($ref.lastIndexOf('.') + 1);
    return name === undefined || commonErrors.some(each => each === name) ? [] : [`${status} ${name}`];
  });
  return own.length === 0 ? '' : html` Besides <a href="#errors">the errors of all</a>: ${own.join(', ')}.`;
}

/** What the table says of a member that is required, and of any other. */
const presence = {
  request: { required: 'required', other: '' },
  response: { required: '', other: 'may be absent' },
} as const;

/** A list of so many words is in the first table that has it, and later tables lead there. */
const longList = 8;

/**
 * The members of an object as a table, or a word for any other schema. It is a section with an id; `lists` knows the sections of the long
 * lists of words. End tags that HTML lets out are left out, because a reference has hundreds of rows.
 */
function membersTable(schema: Schema, way: 'request' | 'response', id: string, lists: Map<string, string>): Html {
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

/** Writes a list of words, or leads to its section. */
type WriteWords = (words: readonly string[]) => Html;

/** The members of an object. Those of unnamed objects within are below, with their path: `query.limit`. */
function memberRows(
  { properties = {}, required = [] }: Schema,
  way: 'request' | 'response',
  above: string,
  listed: WriteWords,
): Html[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const there = presence[way][required.includes(name) ? 'required' : 'other'];
    const row = html`<tr><th scope="row">${above}${name}<td>${schemaType(member)}<td>${there}<td>${remarks(member, listed)}`;
    const { items = member } = member;
    const below = memberRows(items, way, `${above}${name}${items === member ? '' : '[]'}.`, listed);
    return [row, ...below];
  });
}

/** The type in a word. Named objects are links. */
function schemaType({ $ref, items, anyOf, type, format, enum: words }: Schema): Html {
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
  listed: WriteWords,
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

/** Properties of the query language, and what each matches. */
const properties = [
  ['checkout, "slow queries"', 'a part of the title'],
  ['status:active, severity:critical', 'the status or the label of a severity'],
  ['label:payments, field:service:checkout', 'the text of a label under any key, or under one'],
  ['isdrill:true', 'drills alone; `false` leaves them out'],
  ['role:commander user.email:ana@example.com', 'who holds which role'],
  ['createdby:ana@example.com', 'who declared it'],
  ['context:grafana.example.com', 'a part of an attached address'],
  ['declared:2026-09-01T00:00:00Z,', 'a time from, until; also `started:`, `resolved:`, `ended:`'],
  ['or(label:db label:cache), not(status:active), -isdrill:true', 'one of them; not this'],
] as const;

/** What holds for all operations, above them (docs/api-rules.md A1, A7, B, C1): the chapters in their order. */
function listChapters({ components }: ApiDocument) {
  // Calls and endpoints have the same errors; only their bodies differ.
  const errors = Object.entries(errorCodes).flatMap(([name, { status }]) => {
    const { description } = components.responses[`Rpc.${name}`] ?? components.responses[`Http.${name}`] ?? {};
    const everywhere = commonErrors.some(each => each === name) ? '' : ' Only where an operation says so.';
    return description === undefined ? [] : [[`${status} \`${name}\``, description + everywhere] as const];
  });
  return [
    {
      id: 'authentication',
      title: 'Authentication',
      body: html`<p>${plain('Every call carries a token: `Authorization: Bearer glsa_…`. `muster tokens create <name> --role <role>` makes one. A token has one of three roles, and each operation says which it needs: Viewer reads, Editor changes, Admin also changes roles.')}</p>`,
    },
    {
      id: 'paging',
      title: 'Paging',
      body: html`<p>${plain('Lists are answered a page at a time. Send no `cursor` for the first page. While `cursor.hasMore` is true in the answer, send the same request with that `cursor`. It belongs to its query: with another query it is refused. `limit` 0 means 100 items, and the most is 1000.')}</p>`,
    },
    {
      id: 'errors',
      title: 'Errors',
      body: html`<p>${plain('A call that fails has a status from 400 on and a text in `error`; it changed nothing. Where a body says `retryable`, the same call may succeed in a moment. Operations that have an effect of their own each time may have had it when the connection broke off: look before you repeat them.')}</p>
<p>The body is ${schemaType({ $ref: 'RpcProblem' })} for RPC calls, ${schemaType({ $ref: 'HttpProblem' })} for all others.</p>${definitions(errors)}`,
    },
    {
      id: 'query-language',
      title: 'Query language',
      body: html`<p>${plain('`queryString` of a list and the search of the pages take terms with spaces between them; all must hold. A value with spaces stands in quotes. Case does not matter.')}</p>
${definitions(properties.map(([query, meaning]) => [`\`${query}\``, meaning]))}`,
    },
  ];
}

function definitions(rows: readonly (readonly [term: string, meaning: string])[]): Html {
  return html`<dl class="examples">${rows.map(([term, meaning]) => html`<div><dt>${plain(term)}</dt><dd>${plain(meaning)}</dd></div>`)}</dl>`;
}
