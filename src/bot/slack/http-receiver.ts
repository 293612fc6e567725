import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import { createReplayGuard } from './replay-guard.ts';
import { signatureOf } from './signature.ts';

/** How far a request's timestamp may be from our clock, either way, in seconds (docs/slack.md 8: Bolt itself accepts the future). */
const maxSkew = 300;
/** The most bytes of a request from Slack. */
const maxBody = 1_000_000;
/** When an unacknowledged request is answered anyway, in milliseconds: before Slack gives up at 3 s. */
const unanswered = 2_900;

/** Bolt's receiver for HTTP: refuses what is not Slack's, stale, early or replayed, and hands on the rest. */
export interface HttpReceiver extends Receiver {
  handle(request: IncomingMessage, response: ServerResponse): void;
}

/** Observes each request: its kind, the status it was answered with, and how long that took. */
export type ObserveDelivery = (delivery: { kind: string; status: number; ms: number }) => void;

/** What the receiver is made with. */
interface ReceiverDeps {
  readonly signingSecret: string;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly observe: ObserveDelivery;
}

/** Opens the receiver. It has no server of its own: `handle` is mounted at `POST /slack/events`. */
export function createHttpReceiver(deps: ReceiverDeps): HttpReceiver {
  return new SignedReceiver(deps);
}

class SignedReceiver implements HttpReceiver {
  readonly #deps: ReceiverDeps;
  readonly #seen = createReplayGuard();
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
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
      else if (!response.headersSent) {
        chunks.length = 0;
        response.shouldKeepAlive = false;
        this.#refuse(response, 413, `The body has more than ${maxBody} bytes.`);
      }
    });
    request.on('error', error => this.#deps.log.info({ err: error }, 'receiver: a request broke off'));
    request.on('end', () => {
      if (size > maxBody) return;
      void this.#receive(request, response, Buffer.concat(chunks));
    });
  }

  async #receive(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const began = performance.now();
    const payload = parseBody(request.headers['content-type'] ?? '', body.toString('utf8'));
    // Slack looks at the certificate without signing; nothing else is read of such a request.
    if (payload?.ssl_check === '1' && payload.command === undefined) return answer(response, 200, undefined);
    const why = this.#whyNotSlack(request, body);
    if (why) return this.#refuse(response, 401, why);
    if (!payload) return this.#refuse(response, 400, 'The body is neither a form nor JSON.');
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
    const { log, observe } = this.#deps;
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
    }, unanswered);
    const retryNum = Number(request.headers['x-slack-retry-num']);
    try {
      await this.#bolt?.processEvent({
        body: payload,
        ack: async (content?: unknown) => acknowledge(200, content),
        ...(Number.isInteger(retryNum) && retryNum > 0 ? { retryNum } : {}),
      });
    } catch (error) {
      log.warn({ reason: String(error), kind }, 'receiver: could not take a request, answers 500');
      // Slack tries again within the same second at first, and then the signature is the same.
      this.#seen.forget(String(request.headers['x-slack-signature']));
      acknowledge(500, undefined);
    }
  }

  #refuse(response: ServerResponse, status: number, why: string): void {
    this.#deps.log.warn({ status, why }, 'receiver: a request was refused');
    answer(response, status, { error: why });
    this.#deps.observe({ kind: 'refused', status, ms: 0 });
  }

  /** Why a request is not Slack's, or undefined when it is. */
  #whyNotSlack(request: IncomingMessage, body: Buffer): string | undefined {
    const timestamp = request.headers['x-slack-request-timestamp'];
    const signature = request.headers['x-slack-signature'];
    if (typeof timestamp !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(timestamp)) {
      return 'The request is not signed.';
    }
    const { clock, signingSecret } = this.#deps;
    const now = clock();
    const skew = now.getTime() / 1000 - Number(timestamp);
    if (skew > maxSkew) return 'The request is too old. Is this machine’s clock right?';
    if (skew < -maxSkew) return 'The request is from the future. Is this machine’s clock right?';
    const wanted = Buffer.from(signatureOf(signingSecret, timestamp, body));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      return 'The signature does not fit. Is SLACK_SIGNING_SECRET the app’s own?';
    }
    return this.#seen.isNew(signature, now) ? undefined : 'The request has been seen before.';
  }
}

/** What kind of delivery a payload is, for logs and metrics. */
function kindOf(payload: Readonly<Record<string, unknown>>): string {
  if (typeof payload.command === 'string') return 'command';
  return typeof payload.type === 'string' ? payload.type : 'unknown';
}

function parseBody(contentType: string, body: string): Record<string, unknown> | undefined {
  try {
    if (!contentType.startsWith('application/x-www-form-urlencoded')) return toObject(JSON.parse(body));
    const form = new URLSearchParams(body);
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
