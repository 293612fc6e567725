import { createHmac } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { JsonObject } from './json.ts';
import type { SocketServer } from './socket.ts';

/** Kinds of payload Slack sends to an app. */
export type DeliveryKind = 'command' | 'interaction' | 'event';

/** One payload sent to the app, kept so that tests can send it again. */
export interface Delivery {
  readonly kind: DeliveryKind;
  readonly payload: JsonObject;
  /** Content type and body of the HTTP form. */
  readonly contentType: string;
  readonly body: string;
  /** HTTP headers of the last time it was sent; empty over Socket Mode. */
  readonly headers: Readonly<Record<string, string>>;
  /** How often it has been sent again after the first time. */
  readonly retries: number;
}

/** What the app answered. */
export interface Reply {
  /** HTTP status; 200 for an acknowledged envelope, 0 when nothing came back. */
  readonly status: number;
  /** The body: parsed when it is JSON, text otherwise. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** `operation_timeout` without an answer in time, `dispatch_failed` with another status than 200. */
  readonly failed: string | undefined;
}

/** A request made by hand: whatever is absent is done as Slack would. */
export interface RawDelivery {
  readonly body: string;
  readonly contentType?: string;
  /** Unix seconds for `x-slack-request-timestamp`. */
  readonly timestamp?: number;
  readonly signature?: string;
  /** Added last, so they win over everything. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where to; the app's request URL when absent. */
  readonly url?: string;
}

/** What sending needs. */
export interface DeliveriesOptions {
  readonly signingSecret: string;
  readonly socket: SocketServer;
  readonly now: () => Date;
  readonly ackTimeoutMs: number;
  readonly onChange: () => void;
}

/** Sends payloads to the app: over a Socket Mode connection when there is one, else signed to its request URL. */
export class Deliveries {
  readonly sent: Delivery[] = [];
  readonly #options: DeliveriesOptions;
  readonly #agent = new Agent({ keepAlive: true });
  #requestUrl: string | undefined;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  connect(requestUrl: string): void {
    this.#requestUrl = requestUrl;
  }

  /** Whether anybody is there to receive. */
  get isConnected(): boolean {
    return this.#requestUrl !== undefined || this.#options.socket.connectionCount > 0;
  }

  /** Sends a payload for the first time. */
  async send(kind: DeliveryKind, payload: JsonObject): Promise<Reply> {
    if (!this.isConnected)
      throw new Error('No app is connected: call connectApp(url), or start the app in Socket Mode.');
    return this.#dispatch({ kind, payload, ...toForm(kind, payload), headers: {}, retries: 0 });
  }

  /** Sends it again as Slack does after a failure: the same payload, freshly signed, with retry headers. */
  async redeliver(delivery: Delivery, reason = 'http_timeout'): Promise<Reply> {
    return this.#dispatch({ ...delivery, retries: delivery.retries + 1 }, reason);
  }

  /** Sends the identical bytes with the identical headers, as somebody who listened in would. */
  async replay(delivery: Delivery): Promise<Reply> {
    return this.post({ body: delivery.body, headers: delivery.headers });
  }

  /** Sends a request as given, always over HTTP. */
  async post(raw: RawDelivery): Promise<Reply> {
    return this.#post(raw.url ?? this.#requestUrl, raw.body, this.#sign(raw));
  }

  /** Ends every connection; nothing is sent any more. */
  close(): void {
    this.#requestUrl = undefined;
    this.#agent.destroy();
  }

  async #dispatch(delivery: Delivery, reason = ''): Promise<Reply> {
    const { kind, payload, body, contentType, retries } = delivery;
    if (this.#options.socket.connectionCount > 0) {
      this.sent.push(delivery);
      const type = ({ command: 'slash_commands', interaction: 'interactive', event: 'events_api' } as const)[kind];
      const envelope = { type, payload, retryAttempt: retries, retryReason: reason };
      const acknowledged = await this.#options.socket.deliver(envelope, this.#options.ackTimeoutMs);
      this.#options.onChange();
      if (acknowledged === undefined) return { status: 0, body: undefined, headers: {}, failed: 'operation_timeout' };
      return { status: 200, body: acknowledged.payload, headers: {}, failed: undefined };
    }
    const retryHeaders: Record<string, string> =
      retries === 0 ? {} : { 'x-slack-retry-num': String(retries), 'x-slack-retry-reason': reason };
    const headers = this.#sign({ body, contentType, headers: retryHeaders });
    this.sent.push({ ...delivery, headers });
    const answer = await this.#post(this.#requestUrl, body, headers);
    this.#options.onChange();
    return answer;
  }

  #sign(raw: RawDelivery): Record<string, string> {
    const timestamp = raw.timestamp ?? Math.floor(this.#options.now().getTime() / 1000);
    const base = `v0:${timestamp}:${raw.body}`;
    const signature =
      raw.signature ?? `v0=${createHmac('sha256', this.#options.signingSecret).update(base).digest('hex')}`;
    return {
      'content-type': raw.contentType ?? 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': signature,
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      ...raw.headers,
    };
  }

  #post(url: string | undefined, body: string, headers: Record<string, string>): Promise<Reply> {
    if (url === undefined) throw new Error('No request URL is known: call connectApp(url).');
    return new Promise(resolve => {
      const fail = (failed: string): void => resolve({ status: 0, body: undefined, headers: {}, failed });
      const signal = AbortSignal.timeout(this.#options.ackTimeoutMs);
      const outgoing = request(url, { method: 'POST', headers, agent: this.#agent, signal }, incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', () => fail('dispatch_failed'));
        incoming.on('end', () => {
          const status = incoming.statusCode ?? 0;
          resolve({
            status,
            body: parse(Buffer.concat(chunks).toString()),
            headers: incoming.headers,
            failed: status === 200 ? undefined : 'dispatch_failed',
          });
        });
      });
      outgoing.on('error', () => fail(signal.aborted ? 'operation_timeout' : 'dispatch_failed'));
      outgoing.end(body);
    });
  }
}

function toForm(kind: DeliveryKind, payload: JsonObject): { contentType: string; body: string } {
  if (kind === 'event') return { contentType: 'application/json', body: JSON.stringify(payload) };
  const fields = kind === 'command' ? Object.entries(payload) : [['payload', JSON.stringify(payload)]];
  const form = new URLSearchParams(fields.map(([name, value]) => [String(name), String(value)]));
  return { contentType: 'application/x-www-form-urlencoded', body: form.toString() };
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
