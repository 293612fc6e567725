import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import { z } from 'zod';
import { senderOf } from '../../contract/sender.ts';
import type { Deadlines } from '../../deadlines.ts';
import { isObject, type JsonObject } from '../../json-object.ts';
import { MessageWire } from './source-message.ts';

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

type Refusal = readonly [status: number, why: string];

/**
 * Bolt's receiver for HTTP: refuses what is not Slack's, stale, early or replayed, and hands on the rest. It has no server of its own: `handle` is
 * mounted at `POST /slack/events`.
 */
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
    // Slack tries an event again, within the same second at first: then the signature is the same.
    const giveBack = (status: number) => {
      this.#seen.forget(String(request.headers['x-slack-signature']));
      acknowledge(status, undefined);
    };
    const timer = setTimeout(() => {
      log.error({ kind }, 'receiver: a request was not acknowledged in time');
      // What is not stored yet ends with this process. Slack repeats nothing but events.
      if (payload.type === 'event_callback') giveBack(503);
      else acknowledge(200, undefined);
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
      giveBack(500);
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

/** Slack looks at the certificate without signing. A command says that the request is something else. */
function looksAtCertificate(payload: Record<string, unknown> | undefined): boolean {
  return payload?.ssl_check === '1' && payload.command === undefined;
}

function parseBody(contentType: string, body: Buffer): JsonObject | undefined {
  try {
    let text = body.toString('utf8');
    if (contentType.startsWith('application/x-www-form-urlencoded')) {
      if (text.split('&', maxMembers + 1).length > maxMembers) return undefined;
      const form = new URLSearchParams(text);
      const payload = form.get('payload');
      if (payload === null) return Object.fromEntries(form);
      text = payload;
    }
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
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

/** Digests of one of two generations. Slack's own limit of 30,000 events an hour makes 5,500 in eleven minutes. */
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

/** Why a body was not read to its end. */
type BodyProblem = 'too large' | 'too slow' | 'too many' | 'broken off';

/** How much may be read, and for how long. */
export interface BodyLimits {
  /** The most bytes of one body. */
  readonly most: number;
  /** Milliseconds in which a body must have arrived. */
  readonly timeout: number;
  /** Keeps a part of the body: `most` bytes at most, while `mostArriving` may arrive. */
  readonly head?: BodyPart & { readonly mostArriving: number };
}

/** Sees the bytes of a body as they arrive. */
export interface BodyPart {
  /** The bytes of a chunk that are kept. */
  take(chunk: Buffer): Buffer;
}

/** The status and the words that answer a request whose body was not read. */
export function refusalOf(
  problem: Exclude<BodyProblem, 'broken off'>,
  { most, timeout, head }: BodyLimits,
): readonly [status: number, why: string] {
  switch (problem) {
    case 'too large':
      return [413, `The body has more than ${head?.mostArriving ?? most} bytes.`];
    case 'too slow':
      return [408, `The body did not arrive within ${timeout / 1000} s.`];
    case 'too many':
      return [503, 'Too many bodies arrive at once.'];
  }
}

/** A body below so many bytes is small, as its `content-length` says. Commands and most presses are. */
const smallBody = 16 * 1024;
/** The bytes that are kept for small bodies. */
const roomForSmall = 1024 * 1024;

/** Makes a reader of the bodies of requests, whose unfinished bodies hold at most `room` bytes together: larger ones leave room for small ones. */
export function createBodyReader(room: number) {
  const held = { all: 0, large: 0 };
  return {
    /** The bytes of a body, or why it was not read. After a problem the rest of the body is not kept. */
    read(request: IncomingMessage, { most, timeout, head }: BodyLimits) {
      const { promise, resolve } = Promise.withResolvers<Buffer | BodyProblem>();
      const chunks: Buffer[] = [];
      const isLarge = !(Number(request.headers['content-length']) < smallBody);
      let [size, arrived] = [0, 0];
      const hold = (bytes: number) => {
        size += bytes;
        held.all += bytes;
        if (isLarge) held.large += bytes;
      };
      const end = (result: Buffer | BodyProblem) => {
        clearTimeout(timer);
        request.off('data', take);
        hold(-size);
        resolve(result);
      };
      const take = (arriving: Buffer) => {
        const chunk = head ? head.take(arriving) : arriving;
        arrived += arriving.length;
        hold(chunk.length);
        if (size > most || (head && arrived > head.mostArriving)) end('too large');
        else if (held.all > room || (isLarge && held.large > room - roomForSmall)) end('too many');
        else chunks.push(chunk);
      };
      const timer = setTimeout(end, timeout, 'too slow');
      request.on('data', take);
      request.once('end', () => end(Buffer.concat(chunks)));
      request.once('error', () => end('broken off'));
      return promise;
    },
  };
}

/** Slack's signature of a request: its header `x-slack-signature` (docs/slack.md 8). `timestamp` is in Unix seconds. */
export function signatureOf(signingSecret: string, timestamp: string, body: string | Uint8Array): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}

/*
 * The shapes of what Slack delivers, as far as Muster and Bolt read them without looking. Members that are not named may be
 * anything.
 */

/** Bolt goes by these members before it looks at the type, so no other payload may have them. */
const none = z.undefined().optional();
const notAnEvent = { event: none };
const notACommand = { ...notAnEvent, command: none, name: none };
const notAnAction = { ...notACommand, actions: none };

const maybeText = z.string().nullish();
const place = z.object({ id: z.string() });
const team = z.object({ id: maybeText, enterprise_id: maybeText }).nullish();
const user = z.object({ id: z.string(), team_id: maybeText });
/** Who acted, and where. */
const acting = { user, team, enterprise: z.object({}).nullish() };

/** Everything a press may carry, whatever was pressed. */
export const Pressed = z.object({
  action_id: z.string(),
  block_id: z.string().default(''),
  action_ts: z.string(),
  value: z.string().optional(),
  selected_user: z.string().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
});

const Field = z.object({
  value: maybeText,
  selected_option: z.object({ value: z.string() }).nullish(),
  selected_options: z.array(z.object({ value: z.string() })).nullish(),
  selected_user: maybeText,
  selected_date_time: z.number().nullish(),
});

const Command = z.object({
  ...notAnEvent,
  command: z.string().startsWith('/'),
  text: z.string(),
  trigger_id: z.string(),
  team_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
});

const shapes: Readonly<Record<string, z.ZodType>> = {
  event_callback: z.object({
    authorizations: z.array(z.object({})).nullish(),
    event: z.object({
      type: z.string(),
      channel: z.union([z.string(), z.object({})]).optional(),
      user: z.union([z.string(), z.object({})]).optional(),
      item: z.object({}).optional(),
    }),
  }),
  block_actions: z.object({
    ...notACommand,
    ...acting,
    actions: z.array(Pressed).min(1),
    trigger_id: z.string(),
    response_url: z.string().optional(),
    channel: place.nullish(),
    message: z.object({ ts: z.string() }).nullish(),
    view: place.nullish(),
    container: z.object({}).nullish(),
  }),
  view_submission: z.object({
    ...notAnAction,
    ...acting,
    view: z.object({
      id: z.string(),
      callback_id: z.string(),
      private_metadata: z.string(),
      state: z.object({ values: z.record(z.string(), z.record(z.string(), Field)) }),
    }),
  }),
  shortcut: z.object({ ...notAnAction, ...acting, callback_id: z.string(), trigger_id: z.string() }),
  message_action: z.object({
    ...notAnAction,
    ...acting,
    callback_id: z.string(),
    trigger_id: z.string(),
    channel: place,
    message: MessageWire,
  }),
};

/** Why Muster does not know a payload: its type, or the members that are not as they should be. Undefined when it does. */
export function whyUnknown(payload: Readonly<Record<string, unknown>>): string | undefined {
  const { type, command, event } = payload;
  const isCommand = command !== undefined && event === undefined;
  const shape = isCommand
    ? Command
    : typeof type === 'string' && Object.hasOwn(shapes, type)
      ? shapes[type]
      : undefined;
  if (!shape) return typeof type === 'string' ? `its type is ${JSON.stringify(type.slice(0, 60))}` : 'it has no type';
  const { error } = z.safeParse(shape, payload);
  if (!error) return undefined;
  const members = error.issues.map(issue => issue.path.join('.').slice(0, 60));
  return `these members are not as they should be: ${[...new Set(members)].slice(0, 5).join(', ')}`;
}
