import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { getPath } from 'hono/utils/url';
import type { Calls, Origin } from '../call/context.ts';
import { toProblem, toRpcError } from '../call/errors.ts';
import { mountPages } from '../pages/pages.ts';
import { readBody } from './body.ts';
import { mountEndpoints, withSingleSlashes } from './endpoints.ts';
import { mountIncomingWebhook } from './incoming-webhook.ts';
import { answerRpc, maxBody, toOperation } from './rpc.ts';

/** Everything that the service answers over HTTP: RPC calls, endpoints, incoming webhooks, pages. */
export function createHttpApp(calls: Calls): Hono {
  const app = new Hono({ getPath: request => withSingleSlashes(getPath(request)) });
  app.use('/api/*', compress({ encoding: 'gzip' }));
  mountIncomingWebhook(app, calls);
  app.all('/api/plugins/*', async c => {
    const request = c.req.raw;
    const { pluginID, name } = toOperation(c.req.path);
    const origin: Origin = { ...calls.originOf(request), pluginID };
    const operation = request.method === 'POST' ? name : '';
    const answer = await answerRpc(calls, origin, operation, () => readBody(request, maxBody));
    return new Response(answer.body, answer);
  });
  mountEndpoints(app, calls);
  mountPages(app, calls);
  app.notFound(c => c.json({ message: 'Not found', error: 'Not found' }, 404));
  app.onError(error => toResponse(error, calls));
  return app;
}

function toResponse(error: unknown, calls: Calls): Response {
  const { status, body, headers } = toProblem(toRpcError(error, calls.log));
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return new Response(JSON.stringify(body), { status, headers: { ...headers, ...type } });
}
