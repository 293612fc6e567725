import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { AppHandler } from '../../playground/fake-slack/to-app/direct-line.ts';

/** Turns a Node request listener into an `AppHandler`, so that it needs no server. */
export function toAppHandler(handle: (request: IncomingMessage, response: ServerResponse) => void): AppHandler {
  return ({ headers, body }) =>
    new Promise(resolve => {
      const request = new IncomingMessage(new Socket());
      request.method = 'POST';
      request.url = '/slack/events';
      Object.assign(request.headers, headers);
      const response = new DirectResponse(request, resolve);
      handle(request, response);
      request.push(body);
      request.push(null);
    });
}

/** A response that collects its body and hands it over at `end`. */
class DirectResponse extends ServerResponse {
  readonly #parts: Buffer[] = [];
  readonly #done: (answer: Awaited<ReturnType<AppHandler>>) => void;

  constructor(request: IncomingMessage, done: (answer: Awaited<ReturnType<AppHandler>>) => void) {
    super(request);
    this.#done = done;
  }

  override writeHead(status: number, ...rest: readonly unknown[]): this {
    const headers = rest.find(part => typeof part === 'object') ?? {};
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    return super.writeHead(status);
  }

  override write(chunk: unknown): boolean {
    this.#keep(chunk);
    return true;
  }

  override end(chunk?: unknown): this {
    this.#keep(chunk);
    const headers = Object.entries(this.getHeaders()).map(([name, value]) => [name, String(value)]);
    this.#done({
      status: this.statusCode,
      headers: Object.fromEntries(headers),
      body: Buffer.concat(this.#parts).toString(),
    });
    return this;
  }

  #keep(chunk: unknown): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#parts.push(Buffer.from(chunk));
  }
}
