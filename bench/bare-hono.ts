import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/*
 * What the service is measured against: a Hono app, on the server that the service runs on, which answers each path with bytes
 * that it was given and looks at nothing of the request.
 */

const [answers] = (await once(process, 'message')) as [Readonly<Record<string, string>>];
const app = new Hono();
for (const [path, answer] of Object.entries(answers)) {
  app.post(path, c => c.body(answer, 200, { 'content-type': 'application/json; charset=utf-8' }));
}
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.(port));
process.on('disconnect', () => process.exit());
