import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { commonErrors } from '../../contract/errors.ts';
import { type ApiOperation, readApiDocument, type Schema } from '../../contract/openapi-document.ts';
import { inward, type PageContent, type PageOptions } from './document.ts';
import type { Html } from './escape.ts';
import { listChapters } from './reference-chapters.ts';
import { membersTable, plain } from './reference-schema.ts';

/** Where on the page each table of a response stands, and each long list of words, by the id of the section; later ones lead there. */
interface Shown {
  readonly responses: Map<string, string>;
  readonly lists: Map<string, string>;
}

interface Entry {
  readonly httpMethod: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

const effects: Readonly<Record<string, string>> = {
  read: 'Changes nothing.',
  set: 'Repeating it changes nothing more.',
  create: 'Each call has an effect of its own.',
};

/** The reference of the API by group and operation, made from the OpenAPI document. What several operations share stands once. */
export function referencePage(options: PageOptions): PageContent {
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
  const shown: Shown = { responses: new Map(), lists: new Map() };
  const part = (id: string, title: string, cards: readonly Html[]) =>
    html`<section id="${id}" class="group"><h2>${title}</h2>${cards}</section>`;
  const objects = Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<section class="card operation" id="${name}"><h3>${name}</h3>${schema.description === undefined ? '' : html`<p>${plain(schema.description)}</p>`}${membersTable(schema, /(Query|Input)$/.test(name) ? 'request' : 'response', name, shown.lists)}</section>`,
  );
  const body = html`<div class="reference">
<nav class="contents" aria-label="Operations"><details><summary>Contents</summary>
${chapters.map(({ id, title }) => html`<h2><a href="#${id}">${title}</a></h2>`)}
${groups.map(({ name, all }) => html`<h2><a href="#${name}">${name}</a></h2><ul>${all.map(entryLink)}</ul>`)}
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

function entryLink({ operation: { operationId } }: Entry): Html {
  return html`<li><a href="#${operationId}">${operationId.slice(operationId.indexOf('.') + 1)}</a></li>`;
}

function operationCard({ httpMethod, path, operation }: Entry, shown: Shown): Html {
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

function response(id: string, done: ApiOperation['responses'][string], { responses, lists }: Shown): Html {
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

/** The errors that an operation has besides those of all operations. */
function ownErrors({ responses }: ApiOperation): Html | string {
  const own = Object.entries(responses).flatMap(([status, { $ref }]) => {
    const name = $ref?.slice($ref.lastIndexOf('.') + 1);
    return name === undefined || commonErrors.some(each => each === name) ? [] : [`${status} ${name}`];
  });
  return own.length === 0 ? '' : html` Besides <a href="#errors">the errors of all</a>: ${own.join(', ')}.`;
}
