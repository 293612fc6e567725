import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import { senderOf } from '../../contract/sender.ts';
import type { Deadlines } from '../../deadlines.ts';
import { createBodyReader, refusalOf, signatureOf } from './request.ts';

/** How far a request's timestamp may be from our clock, either way, in seconds (docs/slack.md 8: Bolt itself accepts the future). */
const maxSkew = 300;
/** The most bytes of a request from Slack. */
const maxBody = 1_000_000;
/** The most bytes of a request that is not signed: room for Slack's look at the certificate (docs/slack.md 8). */
const maxUnsignedBody = 2048;
/** The most members of a form: Slack's have about fifteen, and half a million empty ones take seconds to parse. */
const maxMembers = 200;
/** The most bytes of all bodies that are arriving. */
const bodyRoom = 32 * 1024 * 1024;

/** Observes each request: its kind, the status it was answered with, and how long that took. */
export type ObserveDelivery = (delivery: { kind: string; status: number; ms: number }) => void;

/** What the receiver is made with. */
interface ReceiverDeps {
  readonly signingSecret: string;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly observe: ObserveDelivery;
}

/** What is known of a request before its body is read: when it began, and why it cannot be Slack's, if so. */
interface Head {
  readonly began: number;
  readonly unsigned: string | undefined;
}

/** How a request is refused. */
type Refusal = readonly [status: number, why: string];

/** Opens the receiver. It has no server of its own: `handle` is mounted at `POST /slack/events`. */
export function createHttpReceiver(deps: ReceiverDeps): HttpReceiver {
  return new HttpReceiver(deps);
}

/** Bolt's receiver for HTTP: refuses what is not Slack's, stale, early or replayed, and hands on the rest. */
export class HttpReceiver implements Receiver {
  readonly #deps: ReceiverDeps;
  readonly #seen = createReplayGuard();
  readonly #bodies = createBodyReader(bodyRoom);
  #bolt: App | undefined;

  constructor(deps: ReceiverDeps) {
    this.#deps = deps;
  }

  init(app: App): void {
    this.#bolt = app;
  }

  async start(): Promise<undefined> {}

  async stop(): Promise<undefined> {}

  handle(request: IncomingMessage, response: ServerResponse): void {
    const began = performance.now();
    const unsigned = this.#whyUnsigned(request);
    const length = Number(request.headers['content-length'] ?? 0);
    if (unsigned && length > maxUnsignedBody) this.#hangUp(request, response, [401, unsigned]);
    else void this.#read(request, response, { began, unsigned });
  }

  async #read(request: IncomingMessage, response: ServerResponse, head: Head): Promise<void> {
    const { unsigned } = head;
    const limits = { most: unsigned ? maxUnsignedBody : maxBody, timeout: this.#deps.deadlines.requestBody };
    const body = await this.#bodies.read(request, limits);
    if (Buffer.isBuffer(body)) return this.#receive(request, response, body, head);
    if (body === 'broken off') return this.#breakOff(request);
    this.#hangUp(request, response, unsigned && body === 'too large' ? [401, unsigned] : refusalOf(body, limits));
  }

  /** Checks a request before it reads anything of the body. */
  async #receive(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    { began, unsigned }: Head,
  ): Promise<void> {
    const contentType = request.headers['content-type'] ?? '';
    const why = unsigned ?? this.#whyNotSlack(request, body);
    if (why !== undefined) {
      const short = body.length <= maxUnsignedBody;
      if (short && looksAtCertificate(parseBody(contentType, body))) return answer(response, 200, undefined);
      return this.#refuse(request, response, [401, why]);
    }
    const payload = parseBody(contentType, body);
    if (looksAtCertificate(payload)) return answer(response, 200, undefined);
    if (!payload) return this.#passOver(response);
    if (payload.type === 'url_verification') return answer(response, 200, { challenge: payload.challenge });

    // No listener gets this one: it has no event in it (docs/slack.md 2).
    if (payload.type === 'app_rate_limited') {
      this.#deps.log.warn('receiver: Slack is holding back events, there are too many');
      return answer(response, 200, undefined);
    }
    await this.#process(request, response, payload, began);
  }

  /** Hands a payload to Bolt, and answers when it is acknowledged, fails, or takes too long. */
  async #process(
    request: IncomingMessage,
    response: ServerResponse,
    payload: Record<string, unknown>,
    began: number,
  ): Promise<void> {
    const { deadlines, log, observe } = this.#deps;
    const kind = kindOf(payload);
    let acknowledged = false;
    const acknowledge = (status: number, content: unknown) => {
      if (acknowledged) return;
      acknowledged = true;
      clearTimeout(timer);
      answer(response, status, content);
      observe({ kind, status, ms: performance.now() - began });
    };
    const timer = setTimeout(() => {
      log.error({ kind }, 'receiver: a request was not acknowledged in time');
      acknowledge(200, undefined);
    }, deadlines.acknowledge);
    const retryNum = Number(request.headers['x-slack-retry-num']);
    try {
      await this.#bolt?.processEvent({
        body: payload,
        ack: async (content?: unknown) => acknowledge(200, content),
        ...(Number.isInteger(retryNum) && retryNum > 0 ? { retryNum } : {}),
      });
    } catch (error) {
      log.warn({ err: error, kind }, 'receiver: could not take a request, answers 500');
      // Slack tries again within the same second at first, and then the signature is the same.
      this.#seen.forget(String(request.headers['x-slack-signature']));
      acknowledge(500, undefined);
    }
  }

  /** Slack would only send it again. */
  #passOver(response: ServerResponse): void {
    this.#deps.log.warn('receiver: passed over a body that is neither a form nor JSON');
    answer(response, 200, undefined);
    this.#deps.observe({ kind: 'unknown', status: 200, ms: 0 });
  }

  #breakOff(request: IncomingMessage): void {
    this.#deps.log.info({ why: 'broken off', ...senderOf(request) }, 'receiver: a request broke off');
  }

  #refuse(request: IncomingMessage, response: ServerResponse, [status, why]: Refusal): void {
    this.#deps.log.warn({ status, why, ...senderOf(request) }, 'receiver: a request was refused');
    answer(response, status, { error: why });
    this.#deps.observe({ kind: 'refused', status, ms: 0 });
  }

  /** Refuses a request whose body has not been read to its end. The connection ends with the answer. */
  #hangUp(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    response.shouldKeepAlive = false;
    if (refusal[0] === 503) response.setHeader('retry-after', '1');
    this.#refuse(request, response, refusal);
  }

  /** What the headers alone tell: why a request cannot be Slack's, or undefined. */
  #whyUnsigned({ headers }: IncomingMessage): string | undefined {
    const timestamp = headers['x-slack-request-timestamp'];
    const signature = headers['x-slack-signature'];
    if (typeof timestamp !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(timestamp)) {
      return 'The request is not signed.';
    }
    if (!/^v0=[\da-f]{64}$/.test(signature)) return wrongSignature;
    const skew = this.#deps.clock().getTime() / 1000 - Number(timestamp);
    if (skew > maxSkew) return 'The request is too old. Is this machine’s clock right?';
    if (skew < -maxSkew) return 'The request is from the future. Is this machine’s clock right?';
    return undefined;
  }

  /** Why a request whose headers are right is not Slack's, or undefined when it is. */
  #whyNotSlack({ headers }: IncomingMessage, body: Buffer): string | undefined {
    const signature = String(headers['x-slack-signature']);
    const wanted = signatureOf(this.#deps.signingSecret, String(headers['x-slack-request-timestamp']), body);
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(wanted))) return wrongSignature;
    return this.#seen.isNew(signature, this.#deps.clock()) ? undefined : 'The request has been seen before.';
  }
}

const wrongSignature = 'The signature does not fit. Is SLACK_SIGNING_SECRET the app’s own?';

/** What kind of delivery a payload is, for logs and metrics. */
function kindOf(payload: Readonly<Record<string, unknown>>): string {
  if (typeof payload.command === 'string') return 'command';
  return typeof payload.type === 'string' ? payload.type : 'unknown';
}

/** Slack looks at the certificate without signing. The command beside it says that a request is something else. */
function looksAtCertificate(payload: Record<string, unknown> | undefined): boolean {
  return payload?.ssl_check === '1' && payload.command === undefined;
}

function parseBody(contentType: string, body: Buffer): Record<string, unknown> | undefined {
  try {
    const text = body.toString('utf8');
    if (!contentType.startsWith('application/x-www-form-urlencoded')) return toObject(JSON.parse(text));
    if (text.split('&', maxMembers + 1).length > maxMembers) return undefined;
    const form = new URLSearchParams(text);
    const payload = form.get('payload');
    return payload === null ? Object.fromEntries(form) : toObject(JSON.parse(payload));
  } catch {
    return undefined;
  }
}

function toObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** Answers with a content length, so that head and body leave in one write. */
function answer(response: ServerResponse, status: number, content: unknown): void {
  const isText = typeof content === 'string';
  const body = isText ? content : JSON.stringify(content ?? '');
  if (content === undefined || body === '') {
    response.writeHead(status, { 'content-length': 0 }).end();
    return;
  }
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Digests of one generation, of which there are two. Slack's own limit of 30,000 events an hour makes 5,500 in eleven minutes. */
const maxDigests = 10_000;
/** How long one generation lasts, in milliseconds: longer than a signature is accepted. */
const lifetime = 11 * 60_000;

/** Opens a guard, which tells whether a signature or an id has been seen lately. It holds digests, never the values themselves. */
export function createReplayGuard() {
  let recent = new Set<string>();
  let before = new Set<string>();
  let began = 0;
  const toDigest = (what: string) => hash('sha256', what, 'base64');
  return {
    /** Lets it come again: the first time had no effect. */
    forget: (what: string) => {
      const digest = toDigest(what);
      recent.delete(digest);
      before.delete(digest);
    },
    /** True the first time, false for at least eleven minutes after that, and for 22 at most. */
    isNew: (what: string, now: Date) => {
      const age = now.getTime() - began;
      if (age >= lifetime || recent.size >= maxDigests) {
        before = age < 2 * lifetime ? recent : new Set();
        recent = new Set();
        began = now.getTime();
      }
      const digest = toDigest(what);
      if (recent.has(digest) || before.has(digest)) return false;
      recent.add(digest);
      return true;
    },
  };
}
