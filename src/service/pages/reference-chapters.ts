import { html } from 'hono/html';
import { commonErrors, errorCodes } from '../../contract/errors.ts';
import type { ApiDocument } from '../../contract/openapi-document.ts';
import type { Html } from './escape.ts';
import { plain, schemaType } from './reference-schema.ts';

/** What holds for all operations, above them (docs/api-rules.md A1, A7, B, C1). */
interface Chapter {
  /** The anchor on the page. */
  readonly id: string;
  readonly title: string;
  readonly body: Html;
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

/** The chapters in their order. */
export function listChapters({ components }: ApiDocument): readonly Chapter[] {
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
      body: html`<p>${plain('Every call carries a token: `Authorization: Bearer glsa_…`. `muster tokens create <name>` makes one. A token has one of three roles, and each operation says which it needs: Viewer reads, Editor changes, Admin also changes roles.')}</p>`,
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
