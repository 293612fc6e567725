import { createHmac } from 'node:crypto';
import type { JsonObject } from '../protocol/json.ts';
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
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
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

/** A signed request on its way to the app. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came back over a line: an answer, or the name Slack has for none. */
export type LineAnswer =
  | { readonly status: number; readonly headers: Reply['headers']; readonly body: string }
  | { readonly failed: 'operation_timeout' | 'dispatch_failed' };

/** The way signed requests take to the app: an HTTP connection, or a function in the same process. */
export interface Line {
  /** Whether anybody is at the other end. */
  readonly isOpen: boolean;
  /** Sends a request, to `url` in place of the usual address where the line knows addresses. Never rejects. */
  send(signed: SignedRequest, timeoutMs: number, url?: string): Promise<LineAnswer>;
}

/** What sending needs. */
export interface DeliveriesOptions {
  readonly signingSecret: string;
  readonly line: Line;
  /** Socket Mode connections go before the line; undefined: there are none. */
  readonly sockets: SocketServer | undefined;
  readonly now: () => Date;
  readonly ackTimeoutMs: number;
  readonly onChange: () => void;
}

/** Sends payloads to the app: over a Socket Mode connection when there is one, else signed over its line. */
export class Deliveries {
  readonly sent: Delivery[] = [];
  readonly #options: DeliveriesOptions;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Whether anybody is there to receive. */
  get isConnected(): boolean {
    return this.#options.line.isOpen || this.#socketCount > 0;
  }

  /** Sends a payload for the first time. */
  async send(kind: DeliveryKind, payload: JsonObject): Promise<Reply> {
    if (!this.isConnected) throw new Error('No app is connected: call connectApp(…), or start the app in Socket Mode.');
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

  /** Sends a request as given, never over Socket Mode. */
  async post(raw: RawDelivery): Promise<Reply> {
    return this.#post({ headers: this.#sign(raw), body: raw.body }, raw.url);
  }

  async #dispatch(delivery: Delivery, reason = ''): Promise<Reply> {
    const { kind, payload, body, contentType, retries } = delivery;
    const { sockets } = this.#options;
    if (sockets !== undefined && this.#socketCount > 0) {
      this.sent.push(delivery);
      const type = ({ command: 'slash_commands', interaction: 'interactive', event: 'events_api' } as const)[kind];
      const envelope = { type, payload, retryAttempt: retries, retryReason: reason };
      const acknowledged = await sockets.deliver(envelope, this.#options.ackTimeoutMs);
      this.#options.onChange();
      if (acknowledged === undefined) return { status: 0, body: undefined, headers: {}, failed: 'operation_timeout' };
      return { status: 200, body: acknowledged.payload, headers: {}, failed: undefined };
    }
    const retryHeaders: Record<string, string> =
      retries === 0 ? {} : { 'x-slack-retry-num': String(retries), 'x-slack-retry-reason': reason };
    const headers = this.#sign({ body, contentType, headers: retryHeaders });
    this.sent.push({ ...delivery, headers });
    const answer = await this.#post({ headers, body });
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

  get #socketCount(): number {
    return this.#options.sockets?.connectionCount ?? 0;
  }

  async #post(signed: SignedRequest, url?: string): Promise<Reply> {
    const { line, ackTimeoutMs } = this.#options;
    if (url === undefined && !line.isOpen) throw new Error('No app is known to send to: call connectApp(…).');
    const answer = await line.send(signed, ackTimeoutMs, url);
    if ('failed' in answer) return { status: 0, body: undefined, headers: {}, failed: answer.failed };
    const { status, headers, body } = answer;
    return { status, body: parse(body), headers, failed: status === 200 ? undefined : 'dispatch_failed' };
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
