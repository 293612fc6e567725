import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { signAsSlack } from '../../support/slack-signature.ts';

/** A request of Slack's, as it is signed and sent. */
export interface Letter {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that was sent before, signed for another moment, with the number of the try when it is not the first. */
export function sign(letter: Letter, secret: string, now: number, retry = 0): Letter {
  const timestamp = String(Math.floor(now / 1000));
  const retries: Record<string, string> =
    retry === 0 ? {} : { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' };
  return {
    body: letter.body,
    headers: {
      ...letter.headers,
      ...retries,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signAsSlack(secret, timestamp, letter.body),
    },
  };
}

/** Hands a request to a receiver in the same process and yields its answer. */
export function handOver(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  letter: Letter,
  url = '/slack/events',
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise(resolve => {
    const request = Object.assign(new EventEmitter(), {
      method: 'POST',
      url,
      headers: letter.headers,
      headersDistinct: Object.fromEntries(Object.entries(letter.headers).map(([name, value]) => [name, [value]])),
      socket: { remoteAddress: '127.0.0.1' },
    });
    const response = {
      req: request,
      headersSent: false,
      shouldKeepAlive: true,
      status: 0,
      writeHead(status: number) {
        this.status = status;
        this.headersSent = true;
        return this;
      },
      end(body?: string) {
        resolve({ status: this.status, body: body ?? '' });
        return this;
      },
    };
    handle(request as unknown as IncomingMessage, response as unknown as ServerResponse);
    request.emit('data', Buffer.from(letter.body));
    request.emit('end');
  });
}

/**
 * What of a request tells whom to answer: the address for answers, whether it is an event, which Slack sends again, and whether it
 * says that there are too many events.
 */
export function readLetter({ headers, body }: Letter): { responseUrl: string; isEvent: boolean; isFlood: boolean } {
  const isEvent = (headers['content-type'] ?? '').startsWith('application/json');
  if (isEvent) return { responseUrl: '', isEvent, isFlood: JSON.parse(body).type === 'app_rate_limited' };
  const form = new URLSearchParams(body);
  const payload = form.get('payload');
  const { response_url: url = '' } = payload === null ? Object.fromEntries(form) : JSON.parse(payload);
  return { responseUrl: url, isEvent, isFlood: false };
}
