import { Agent, request } from 'node:http';
import type { Line, LineAnswer, SignedRequest } from './deliveries.ts';

/** Sends requests to the app's request URL over HTTP, on kept-alive connections. */
export class HttpLine implements Line {
  readonly #agent = new Agent({ keepAlive: true });
  #requestUrl: string | undefined;

  get isOpen(): boolean {
    return this.#requestUrl !== undefined;
  }

  connect(requestUrl: string): void {
    this.#requestUrl = requestUrl;
  }

  async send({ headers, body }: SignedRequest, timeoutMs: number, url = this.#requestUrl): Promise<LineAnswer> {
    if (url === undefined) return { failed: 'dispatch_failed' };
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { method: 'POST', headers, agent: this.#agent, signal };
    for (;;) {
      const answer = await new Promise<LineAnswer | 'idle'>(resolve => {
        const outgoing = request(url, options, incoming => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', () => resolve({ failed: 'dispatch_failed' }));
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text });
          });
        });
        outgoing.on('error', (error: NodeJS.ErrnoException) => {
          // The app ended an idle connection at the moment at which it was used again, and took nothing.
          if (outgoing.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted) resolve('idle');
          else resolve({ failed: signal.aborted ? 'operation_timeout' : 'dispatch_failed' });
        });
        outgoing.end(body);
      });
      if (answer !== 'idle') return answer;
    }
  }

  /** Ends every connection. Nothing is sent afterwards. */
  close(): void {
    this.#requestUrl = undefined;
    this.#agent.destroy();
  }
}
