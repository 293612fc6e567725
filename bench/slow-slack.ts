import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { FakeSlack } from '../playground/fake-slack/fake-slack.ts';

/** The fake Slack behind a line on which each request to it takes the same time. Disposing ends the line. */
export interface SlowSlack extends AsyncDisposable {
  /** For `SLACK_API_URL`. */
  readonly apiUrl: string;
  /** The Web API methods that were called, oldest first: `chat.update`. */
  readonly calls: string[];
  /** A fresh `response_url`; `answered` resolves when Slack has taken an answer at it. */
  expectAnswer(): { readonly responseUrl: string; readonly answered: Promise<void> };
}

/** Opens the line. `ms`: how long a request takes before Slack has it, in milliseconds. */
export async function openSlowSlack(slack: FakeSlack, ms: number): Promise<SlowSlack> {
  const calls: string[] = [];
  const expected = new Map<string, () => void>();
  const pool = new Pool(new URL(slack.apiUrl).origin);
  let serial = 0;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', method = 'POST', headers } = request;
    const answered = expected.get(path);
    if (!answered) calls.push(path.slice(path.lastIndexOf('/') + 1));
    const [body] = await Promise.all([buffer(request), pause(ms)]);
    if (answered) {
      response.writeHead(200, { 'content-length': 2 }).end('ok');
      expected.delete(path);
      answered();
      return;
    }
    const { 'content-type': type = '', authorization = '' } = headers;
    const reply = await pool.request({
      ...{ path, method: method as 'POST', body },
      headers: { 'content-type': type, authorization },
    });
    const bytes = Buffer.from(await reply.body.bytes());
    response.writeHead(reply.statusCode, {
      'content-type': String(reply.headers['content-type']),
      'content-length': bytes.length,
    });
    response.end(bytes);
  }

  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    apiUrl: `${origin}${new URL(slack.apiUrl).pathname}`,
    calls,
    expectAnswer: () => {
      serial += 1;
      const path = `/commands/${serial}`;
      const { promise, resolve } = Promise.withResolvers<void>();
      expected.set(path, resolve);
      return { responseUrl: `${origin}${path}`, answered: promise };
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await pool.close();
    },
  };
}
