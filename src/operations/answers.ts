import type { ServerResponse } from 'node:http';

/** What an address says that leads nowhere. */
export const notFound = { message: 'Not found', error: 'Not found' };

/** What a request is told that comes too early. */
const starting = { message: 'Muster is starting. Send the request again in a moment.', error: 'Muster is starting' };
const headers = { 'retry-after': '5' };

/** The answer to a request that comes too early. */
export function toStartingResponse(): Response {
  return Response.json(starting, { status: 503, headers });
}

/** Gives that answer on Node's own response. */
export function answerStarting(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(starting));
}
