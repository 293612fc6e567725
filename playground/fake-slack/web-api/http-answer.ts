import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerCall, type CallOutcome, type EndpointOptions } from './endpoint.ts';

/** Answers one HTTP request to the Web API or a `response_url`. */
export function answerHttp(endpoint: EndpointOptions, request: IncomingMessage, response: ServerResponse): void {
  answer(endpoint, request, response).catch((error: unknown) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { 'content-type': 'text/plain' }).end(`The fake Slack has a bug: ${String(error)}`);
  });
}

async function answer(endpoint: EndpointOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = request;
  await carry(await answerCall(endpoint, { method, path, headers, body: await readBody(request) }), response);
}

async function carry(outcome: CallOutcome, response: ServerResponse): Promise<void> {
  if ('answer' in outcome) {
    const { status, headers, body } = outcome.answer;
    response.writeHead(status, headers).end(body);
  } else if ('halfOf' in outcome) {
    const { status, headers, body } = outcome.halfOf;
    const bytes = Buffer.from(body);
    response.writeHead(status, { ...headers, 'content-length': bytes.length });
    await new Promise<void>(resolve => {
      response.write(bytes.subarray(0, bytes.length / 2), () => resolve());
    });
    response.destroy();
  } else if ('broken' in outcome) {
    response.destroy();
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
