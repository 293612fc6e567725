import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The secret of a pager that {@link openTaking} opens. */
export const takingSecret = 'secret-of-the-pager-that-takes-all';

/** A tool that takes every page. `heard`: all that came, `at` in epoch milliseconds. It ends with its process. */
export async function openTaking() {
  const heard: { readonly body: string; readonly signature: string; readonly at: number }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    heard.push({ body, signature: String(request.headers['gi-signature']), at: Date.now() });
    response.writeHead(request.url === '/gone' ? 410 : 204).end();
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** A pager of that name at a path, as `PAGERS` has it. One at `/gone` refuses every page. */
  const toSetting = (name: string, path = '/page') => `${name}=webhook:${url}${path}|${takingSecret}`;
  return { url, heard, toSetting };
}
