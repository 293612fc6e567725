import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { getPath } from 'hono/utils/url';
import { RpcError } from '../../contract/errors.ts';
import type { CallGate } from '../call/admit.ts';
import type { CallOrigin } from '../call/context.ts';
import { quote, toProblem, toRpcError } from '../call/errors.ts';
import { doorReason } from '../call/readers.ts';
import { asksForPage, errorPage } from '../pages/dead-link.ts';
import { doorPage } from '../pages/door.ts';
import { mountPages } from '../pages/pages.ts';
import { bareHeaders } from '../pages/responses.ts';
import { readBody, webBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { mountEndpoints, toPlainPath } from './endpoint-routes.ts';
import { mountIncomingWebhook } from './incoming-webhook.ts';
import { type AskedBody, answerRpc, jsonType, maxRpcBody, parseRpcPath } from './rpc.ts';

/** An address of the APIs behind what a proxy left before it. Reading it there would pass by what the proxy keeps inside. */
const misplaced = /^(\/.+?)\/(?:api|goto)\//;

/**
 * Everything that the service answers over HTTP: RPC calls, endpoints, incoming webhooks, pages. The Hono app, the fast path
 * (rpc-fast-path.ts) and calls from within the process (service.ts) each build a `CallOrigin` of their own and meet in
 * `answerRpc`.
 */
export function createHttpApp(gate: CallGate, bodies: BodyBudget): Hono {
  const app = new Hono({ getPath: request => toPlainPath(getPath(request)) });
  app.use('/api/*', compress({ encoding: 'gzip' }));
  mountIncomingWebhook(app, gate, bodies);
  app.all('/api/plugins/*', async c => {
    const request = c.req.raw;
    const { pluginID, name } = parseRpcPath(c.req.path);
    const origin: CallOrigin = { ...gate.originOf(request), pluginID };
    const asked = name || (/\/resources\/api(?:\/v1)?(?:\/(.*))?$/.exec(c.req.path)?.[1] ?? '');
    const body: AskedBody = room => readBody(webBody(request), maxRpcBody, room);
    const answer = await answerRpc({ gate, bodies }, origin, asked, body, request.method);
    return new Response(answer.body, answer);
  });
  mountEndpoints(app, gate, bodies);
  mountPages(app, gate);
  app.notFound(async c => {
    if (asksForPage(c.req.raw)) return await nowhere(gate, c.req.raw);
    const [, below] = misplaced.exec(c.req.path) ?? [];
    const message =
      below === undefined ? 'Not found' : `Not found: the proxy must take ${quote(below)} off the address.`;
    return c.json({ message, error: message }, 404, bareHeaders);
  });
  app.onError(error => toResponse(error, gate));
  return app;
}

/** The page for an address where nothing is. People who may not read get the page that they get for every other address. */
async function nowhere(gate: CallGate, request: Request): Promise<Response> {
  let error = new RpcError('not_found', 'Not found');
  if (gate.options.pages === 'slack') {
    const asked = gate.admit(gate.originOf(request), { access: 'reader', effect: 'read' });
    error = await asked.then(
      () => error,
      refusal => toRpcError(refusal, gate.log),
    );
  }
  return error.reason === doorReason ? await doorPage(gate.options) : await errorPage(gate.options, request, error);
}

function toResponse(error: unknown, gate: CallGate): Response {
  const { status, body, headers } = toProblem(toRpcError(error, gate.log));
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, ...bareHeaders, 'content-type': jsonType },
  });
}
