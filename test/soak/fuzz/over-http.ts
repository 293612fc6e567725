import { type Agent, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { type FuzzAnswer, tooLong } from './check.ts';
import type { FuzzRequest } from './requests.ts';

/** Address and headers that are longer make Node's server end the connection, sometimes before its answer is read. */
const mostHead = 15_000;

/** Node's server ends a connection on which no request came for so long, in milliseconds (`server.keepAliveTimeout`). */
const longestIdle = 5_000;
/** When a connection last brought an answer, on the clock of `performance`. */
const answeredAt = new WeakMap<Socket, number>();

/** Sends a request as it is written, which `fetch` would not. */
export async function overHttp(agent: Agent, port: number, asked: Omit<FuzzRequest, 'way'>): Promise<FuzzAnswer> {
  const { method, path, headers, body } = asked;
  const { promise, resolve, reject } = Promise.withResolvers<FuzzAnswer>();
  const length = body ? { 'content-length': String(body.byteLength) } : {};
  const given = { ...headers, ...length, 'accept-encoding': 'identity' };
  const request = httpRequest({ agent, port, host: '127.0.0.1', method, path, headers: given }, response => {
    const chunks: Buffer[] = [];
    response.on('data', chunk => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      if (request.socket) answeredAt.set(request.socket, performance.now());
      const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string]);
      resolve({
        status: response.statusCode ?? 0,
        headers: new Headers(pairs),
        text: Buffer.concat(chunks).toString('utf8'),
      });
    });
  });
  const words = `${method} ${path.slice(0, 300)} with ${body?.byteLength ?? 0} bytes`;
  const head = path.length + JSON.stringify(given).length;
  request.on('error', cause => {
    const before = request.socket && answeredAt.get(request.socket);
    if (head > mostHead) resolve({ status: tooLong, headers: new Headers(), text: '' });
    // A request and the end of a connection that was idle may cross, where the machine is busy: it goes out on a fresh one.
    else if (before && performance.now() - before >= longestIdle) resolve(overHttp(agent, port, asked));
    else reject(new Error(`no answer (${cause}): ${words}`, { cause }));
  });
  request.end(body ?? '');
  return await promise;
}
