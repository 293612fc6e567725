import { createHmac } from 'node:crypto';
import type { JsonObject } from '../protocol/json.ts';
import type { SocketServer } from './socket.ts';

/** Kinds of payload Slack sends to an app. */
export type DeliveryKind = 'command' | 'interaction' | 'event';

/** One payload that was sent to the app. Tests can send it again. */
export interface Delivery {
  readonly kind: DeliveryKind;
  readonly payload: JsonObject;
  /** Content type and body of the HTTP form. */
  readonly contentType: string;
  readonly body: string;
  /** HTTP headers of the last attempt; empty over Socket Mode. */
  readonly headers: Readonly<Record<string, string>>;
  /** How often it was sent again. */
  readonly retries: number;
}

/** The app's answer to a delivery. */
export interface Reply {
  /** HTTP status; 200 for an acknowledged envelope, 0 without an answer. */
  readonly status: number;
  /** The body: parsed when it is JSON, text otherwise. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Slack's error: `operation_timeout` without an answer in time, `dispatch_failed` for a status other than 200. */
  readonly failed: string | undefined;
}

/** A request made by hand. Slack's own value stands in for each absent part. */
export interface RawDelivery {
  readonly body: string;
  readonly contentType?: string;
  /** Unix seconds for `x-slack-request-timestamp`. */
  readonly timestamp?: number;
  readonly signature?: string;
  /** Added last: they replace any other header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The address; the app's request URL when absent. */
  readonly url?: string;
}

/** A signed request on its way to the app. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of sending: the app's answer, or Slack's name for the failure. */
export type LineAnswer =
  | { readonly status: number; readonly headers: Reply['headers']; readonly body: string }
  | { readonly failed: 'operation_timeout' | 'dispatch_failed' };

/** Carries signed requests to the app: over HTTP, or to a function in the same process. */
export interface Line {
  /** Whether an app is connected. */
  readonly isOpen: boolean;
  /** Sends a request. `url` replaces the usual address where the line has one. Never rejects. */
  send(signed: SignedRequest, timeoutMs: number, url?: string): Promise<LineAnswer>;
}

/** What `Deliveries` needs. */
export interface DeliveriesOptions {
  readonly signingSecret: string;
  readonly line: Line;
  /** Socket Mode. It takes precedence over the line; `undefined` when the app cannot use it. */
  readonly sockets: SocketServer | undefined;
  readonly now: () => Date;
  readonly ackTimeoutMs: number;
  readonly onChange: () => void;
  readonly observe?: ObserveDelivery | undefined;
  /** How many deliveries are remembered; all when absent. */
  readonly remembers?: number | undefined;
}

/** Hears of each payload as it is sent, also when it is sent again; the function it returns hears of the app's answer. */
export type ObserveDelivery = (delivery: Delivery) => (reply: Reply) => void;

/** Sends payloads to the app: over Socket Mode when a connection is open, else as signed requests over the line. */
export class Deliveries {
  readonly sent: Delivery[] = [];
  readonly #options: DeliveriesOptions;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Whether an app can receive deliveries. */
  get isConnected(): boolean {
    return this.#options.line.isOpen || this.#socketCount > 0;
  }

  /** Sends a payload for the first time. */
  async send(kind: DeliveryKind, payload: JsonObject): Promise<Reply> {
    return this.begin(toDelivery(kind, payload));
  }

  /** Sends a delivery for the first time. */
  async begin(delivery: Delivery): Promise<Reply> {
    if (!this.isConnected) throw new Error('No app is connected: call connectApp(…), or start the app in Socket Mode.');
    return this.#dispatch(delivery);
  }

  /** Sends a payload again as Slack does after a failure: freshly signed, with retry headers. */
  async redeliver(delivery: Delivery, reason = 'http_timeout'): Promise<Reply> {
    return this.#dispatch({ ...delivery, retries: delivery.retries + 1 }, reason);
  }

  /** Sends identical bytes and headers, as an eavesdropper would. */
  async replay(delivery: Delivery): Promise<Reply> {
    return this.post({ body: delivery.body, headers: delivery.headers });
  }

  /** Sends a request made by hand. It never uses Socket Mode. */
  async post(raw: RawDelivery): Promise<Reply> {
    return this.#post({ headers: this.#sign(raw), body: raw.body }, raw.url);
  }

  async #dispatch(delivery: Delivery, reason?: string): Promise<Reply> {
    const end = this.#options.observe?.(delivery);
    const reply = await this.#carry(delivery, reason);
    end?.(reply);
    return reply;
  }

  async #carry(delivery: Delivery, reason = ''): Promise<Reply> {
    const { kind, payload, body, contentType, retries } = delivery;
    const { sockets } = this.#options;
    if (sockets !== undefined && this.#socketCount > 0) {
      remember(this.sent, delivery, this.#options.remembers);
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
    remember(this.sent, { ...delivery, headers }, this.#options.remembers);
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

/** A payload before it is sent for the first time. */
export function toDelivery(kind: DeliveryKind, payload: JsonObject): Delivery {
  return { kind, payload, ...toForm(kind, payload), headers: {}, retries: 0 };
}

/** Adds a record to those that are remembered, and forgets the oldest beyond that many. */
export function remember<T>(records: T[], record: T, most = Number.POSITIVE_INFINITY): void {
  records.push(record);
  if (records.length > most) records.shift();
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
