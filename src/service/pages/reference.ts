import { readFileSync } from 'node:fs';
import { html } from 'hono/html';
import { type ApiDocument, type ApiOperation, readApiDocument, type Schema } from './api-document.ts';
import { inward, type PageContent, type PageOptions } from './document.ts';
import type { Html } from './escape.ts';
import { chapters } from './reference-chapters.ts';
import { membersTable, plain, schemaType } from './reference-schema.ts';

interface Entry {
  readonly httpMethod: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

const effects: Readonly<Record<string, string>> = {
  read: 'changes nothing',
  set: 'repeating it changes nothing more',
  create: 'each call has an effect of its own',
};

/** The reference of the API by group and operation, made from the OpenAPI document. */
export function referencePage(options: PageOptions): PageContent {
  const document = readApiDocument();
  const entries = listEntries(document);
  const groups = document.tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const webhooks = Object.entries(document.webhooks).map(([name, { post }]) => ({
    httpMethod: 'POST',
    path: name,
    operation: post,
  }));
  const body = html`<div class="reference">
<nav class="contents" aria-label="Operations"><details><summary>Contents</summary>
${chapters.map(({ id, title }) => html`<h2><a href="#${id}">${title}</a></h2>`)}
${groups.map(group => html`<h2><a href="#${group.name}">${group.name}</a></h2><ul>${group.entries.map(entryLink)}</ul>`)}
<h2><a href="#webhooks">Webhooks</a></h2><h2><a href="#schemas">Objects</a></h2></details></nav>
<div class="operations"><header class="title"><h1>API</h1><p>${document.info.title}. ${plain(document.info.description)}</p>
<p>The same as a document for programs: <a href="${inward(options, '/openapi.json')}">openapi.json</a>.</p></header>
${chapters.map(({ id, title, body }) => html`<section id="${id}" class="group"><h2>${title}</h2><div class="card">${body}</div></section>`)}
${groups.map(group => html`<section id="${group.name}" class="group"><h2>${group.name}</h2>${group.entries.map(entry => operationCard(document, entry))}</section>`)}
<section id="webhooks" class="group"><h2>Webhooks</h2>${webhooks.map(entry => operationCard(document, entry))}</section>
<section id="schemas" class="group"><h2>Objects</h2>${Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      html`<section class="card operation" id="schema-${name}"><h3>${name}</h3>${schema.description === undefined ? '' : html`<p>${plain(schema.description)}</p>`}${membersTable(schema, name, /(Query|Input)$/.test(name) ? 'request' : 'response')}</section>`,
  )}</section></div></div>`;
  return { title: 'API', section: 'reference', body };
}

function listEntries({ paths }: ApiDocument): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([httpMethod, operation]) => ({
      httpMethod: httpMethod.toUpperCase(),
      path,
      operation,
    })),
  );
}

function entryLink({ operation: { operationId } }: Entry): Html {
  return html`<li><a href="#${operationId}">${operationId.slice(operationId.indexOf('.') + 1)}</a></li>`;
}

function operationCard(document: ApiDocument, { httpMethod, path, operation }: Entry): Html {
  const { operationId, summary, parameters, requestBody, responses } = operation;
  const access = operation['x-muster-access'];
  const input = requestBody?.content['application/json'].schema;
  const done = Object.entries(responses).find(([status]) => /^[23]/.test(status));
  const output = done?.[1].content?.['application/json'].schema;
  const inPath = toSchema(parameters.filter(each => each.in === 'path'));
  const inQuery = toSchema(parameters.filter(each => each.in === 'query'));
  return html`<section class="card operation" id="${operationId}">
<h3><a href="#${operationId}"><span class="quiet">${operationId.slice(0, operationId.indexOf('.') + 1)}</span><wbr>${operationId.slice(operationId.indexOf('.') + 1)}</a>${access === '' ? '' : html` <span class="mark role">${access}</span>`}</h3>
<p>${plain(summary)}</p>
<p class="address"><code><b>${httpMethod}</b> ${path}</code></p>
${operation['x-muster-effect'] === '' ? '' : html`<p class="quiet">Needs the role ${access}; ${effects[operation['x-muster-effect']] ?? ''}.</p>`}
${inPath ? html`<h4>In the path</h4>${membersTable(inPath, `the path of ${operationId}`, 'request')}` : ''}
${inQuery ? html`<h4>In the query of the address</h4>${membersTable(inQuery, `the query of ${operationId}`, 'request')}` : ''}
${input ? html`<h4>Request</h4>${membersTable(input, `the request of ${operationId}`, 'request')}` : ''}
${done ? html`<h4>Response <span class="quiet">${done[0]}</span></h4>${output ? membersTable(output, `the response of ${operationId}`, 'response') : html`<p>${plain(done[1].description ?? '')}</p>`}` : ''}
${errorList(document, operation)}${example(operationId)}</section>`;
}

/** One call of each operation and its answer, as `npm run docs` made them, by operation. */
const examples: Readonly<Record<string, { readonly curl: string; readonly answer: string }>> = JSON.parse(
  readFileSync(new URL('reference-examples.json', import.meta.url), 'utf8'),
);

function example(operationId: string): Html | string {
  const found = examples[operationId];
  if (!found) return '';
  return html`<details class="errors"><summary>Example</summary>${block('Call', found.curl)}${block('Answer', found.answer)}</details>`;
}

function block(name: string, text: string): Html {
  return html`<pre class="code" tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>`;
}

/** Parameters as the members of an object, to be shown like one; undefined when there are none. */
function toSchema(parameters: ApiOperation['parameters']): Schema | undefined {
  if (parameters.length === 0) return undefined;
  return {
    properties: Object.fromEntries(parameters.map(({ name, description }) => [name, { type: 'string', description }])),
    required: parameters.filter(each => each.required).map(each => each.name),
  };
}

function errorList(document: ApiDocument, { responses }: ApiOperation): Html | string {
  const errors = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  if (errors.length === 0) return '';
  const rows = errors.map(([status, { $ref }]) => {
    const name = $ref?.split('/').at(-1) ?? '';
    const { description = '' } = document.components.responses[name] ?? {};
    return html`<div><dt>${status} <code>${name.slice(name.indexOf('.') + 1)}</code></dt><dd>${plain(description)}</dd></div>`;
  });
  const problem = errors[0]?.[1].$ref?.includes('/Http.') ? 'HttpProblem' : 'RpcProblem';
  return html`<details class="errors"><summary>${errors.length} errors</summary><p>Their body is ${schemaType({ $ref: problem })}.</p><dl class="facts">${rows}</dl></details>`;
}
