import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { senderOf } from '../../contract/sender.ts';
import { acceptsGzip } from '../call/accept-encoding.ts';
import type { CallGate } from '../call/admit.ts';
import type { CallOrigin } from '../call/context.ts';
import { brokenOff, readBody, type UnreadBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { type AskedBody, answerRpc, maxRpcBody, parseRpcPath } from './rpc.ts';

/** Answers a request of Node's server if it is an RPC call; false leaves it to the Hono app. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The fewest characters of an answer that is zipped. */
const worthZipping = 1024;
const zip = promisify(gzip);

/**
 * Answers RPC calls straight from Node's request. The answers are those of the Hono app at half the cost, because no web
 * `Request` and `Response` are made and no middleware runs.
 */
export function createRpcFastPath(gate: CallGate, bodies: BodyBudget): FastPath {
  return (request, response) => {
    if (request.method !== 'POST' || request.url === undefined) return false;
    const { pluginID, name } = parseRpcPath(request.url);
    if (name === '') return false;
    const { socket } = request;
    const origin: CallOrigin = {
      trusted: false,
      pluginID,
      header: each => findHeader(request, each),
      gone: () => socket.destroyed,
      sender: () => senderOf(request),
    };
    const body: AskedBody = room => readBody(toUnread(request), maxRpcBody, room);
    answerRpc({ gate, bodies }, origin, name, body)
      .then(answer => send(answer, request, response))
      .catch(err => {
        gate.log.error({ err }, 'service: could not send an answer');
        response.destroy();
      });
    return true;
  };
}

/**
 * A header by its lower-case name. Of several `Authorization` headers Node gives the first and drops the others, where a proxy
 * may have looked at the last. They are given together, as the Hono app sees them, and no token reads like that.
 */
function findHeader({ headers, rawHeaders }: IncomingMessage, name: string): string | undefined {
  if (name !== 'authorization') return toHeader(headers[name]);
  const isValue = (_: string, index: number) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name;
  return rawHeaders.filter(isValue).join(', ');
}

function toHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

async function send(
  { status, headers, body }: Awaited<ReturnType<typeof answerRpc>>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const always = { ...headers, vary: 'Accept-Encoding' };
  if (body.length < worthZipping || !acceptsGzip(toHeader(request.headers['accept-encoding']))) {
    response.writeHead(status, { ...always, 'content-length': Buffer.byteLength(body) }).end(body);
    return;
  }
  const zipped = await zip(body);
  response
    .writeHead(status, { ...always, 'content-encoding': 'gzip', 'content-length': zipped.byteLength })
    .end(zipped);
}

function toUnread(request: IncomingMessage): UnreadBody {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-encoding': encoding } = request.headers;
  return {
    length: length === undefined ? (chunked === undefined ? 0 : undefined) : Number(length),
    encoding,
    read: take => readBytes(request, take),
  };
}

/** After an error the rest of the body is discarded. */
async function readBytes(request: IncomingMessage, take: (bytes: number) => void): Promise<Buffer> {
  if (request.destroyed) throw brokenOff();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let isWanted = true;
  request.on('data', (chunk: Buffer) => {
    if (!isWanted) return;
    try {
      take(chunk.byteLength);
      chunks.push(chunk);
    } catch (error) {
      isWanted = false;
      chunks.length = 0;
      reject(error);
    }
  });
  request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  request.once('error', error => reject(brokenOff(error)));
  // A body that has come whole is closed too: an error for each would cost more than reading it.
  request.once('close', () => {
    if (!request.complete) reject(brokenOff());
  });
  return await promise;
}
