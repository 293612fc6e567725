import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { senderOf } from '../../contract/sender.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { Deadlines } from '../../deadlines.ts';
import { type BodyLimits, type BodyPart, createBodyReader, refusalOf } from '../slack/http-receiver.ts';
import { UnreadableAlert } from './read/unreadable.ts';

/** The most bytes of one delivery. A group of a thousand alerts has about this. */
const maxBody = 1024 * 1024;
/** The most bytes of a delivery where Muster keeps a part alone, and of that part. */
const maxArriving = 32 * 1024 * 1024;
const maxKept = 2 * maxBody;
/** The most bytes of all deliveries that are arriving, and of all that wait to be stored. */
const bodyRoom = 16 * 1024 * 1024;
/** When a tool may send again what could not be taken, in seconds. */
const retryAfter = { busy: '1', away: '5' };

/** The ends of a delivery. `grouped`: it is stored, and its group of alerts was known to fire. */
export const hookResults = ['stored', 'grouped', 'refused_token', 'refused_body', 'unavailable', 'failed'] as const;
/** One of {@link hookResults}. */
export type HookResult = (typeof hookResults)[number];

/** The ends of a delivery that is stored. */
export type StoredResult = 'stored' | 'grouped';

/** Whether a delivery was stored. */
export function isTaken(result: HookResult): result is StoredResult {
  return result === 'stored' || result === 'grouped';
}

/** A delivery that was answered. */
export interface HookDelivery {
  /** The name of its source; `""` where no source has the name in the address. */
  readonly source: string;
  readonly result: HookResult;
  /** Why it was not stored, in words for the operator; `""` when it was. */
  readonly why: string;
  readonly at: Date;
}

/** The sender of a request. */
export interface Sender<S> {
  /** Undefined where it is not let in. */
  readonly source: S | undefined;
  /** The name of the source in its address; `""` where no source has that name. */
  readonly name: string;
  /** Why it is not let in, for the log. */
  readonly why: string;
}

/** The parts of Muster that every door uses. */
export interface DoorParts {
  readonly observe: (delivery: HookDelivery) => void;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

interface HookDeps<S> extends DoorParts {
  /** The words of the log and of its answers for the deliveries: `alerts`, `alert`. */
  readonly many: string;
  readonly one: string;
  /** Looks at a request before its body is read. */
  readonly check: (request: IncomingMessage) => Sender<S>;
  /** The one answer to an unknown name and to a request that does not prove whose it is. */
  readonly noEntry: { readonly why: string; readonly headers?: Readonly<Record<string, string>> };
  /** The part that is kept of a body of more than 1 MB; undefined: such a body is refused. */
  readonly partOf?: (source: S) => BodyPart | undefined;
  /** Stores what a body tells. Resolves when it is durable. Throws an {@link UnreadableAlert}, or {@link NotGenuine}. */
  readonly take: (source: S, body: Buffer, headers: IncomingHttpHeaders) => Promise<StoredResult>;
}

/** A body does not prove that the source sent it. */
export class NotGenuine extends Error {
  override readonly name = 'NotGenuine';
}

/** The answer to a delivery that was not stored. */
interface Refusal {
  readonly status: number;
  /** In words for the person who set the tool up. */
  readonly why: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly result: Exclude<HookResult, StoredResult>;
  /** In words for the operator, where the sender may not know as much. */
  readonly reason?: string;
}

const coded: Refusal = {
  status: 415,
  why: 'The body has a content-encoding. Send it as it is.',
  result: 'refused_body',
};

/** The door of one kind of delivery. */
class HookDoor<S> {
  readonly #deps: HookDeps<S>;
  readonly #bodies = createBodyReader(bodyRoom);
  /** The answer to a sender that is not let in. */
  readonly #notLetIn: Refusal;
  /** The bytes of the deliveries that wait to be stored. */
  #waiting = 0;

  constructor(deps: HookDeps<S>) {
    this.#deps = deps;
    this.#notLetIn = { ...deps.noEntry, status: 401, result: 'refused_token' };
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = request;
    const { many, check } = this.#deps;
    if (method !== 'POST') {
      response.shouldKeepAlive = false;
      const why = `${many.charAt(0).toUpperCase()}${many.slice(1)} are sent with POST.`;
      answer(response, 405, why, { allow: 'POST' });
      return;
    }
    const { source, name, why } = check(request);
    const isCoded = (headers['content-encoding'] ?? 'identity') !== 'identity';
    if (!source) this.#hangUp(response, name, { ...this.#notLetIn, reason: why });
    else if (isCoded) this.#hangUp(response, name, coded);
    else {
      const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
      const limits = this.#limitsOf(source, length);
      const isTooLarge = Number.isFinite(length) && length > (limits.head?.mostArriving ?? limits.most);
      if (isTooLarge) this.#hangUp(response, name, toRefusal('too large', limits));
      else void this.#take(request, response, source, name, limits);
    }
  }

  #limitsOf(source: S, length: number): BodyLimits {
    const timeout = this.#deps.deadlines.requestBody;
    const part = length <= maxBody ? undefined : this.#deps.partOf?.(source);
    if (part === undefined) return { most: maxBody, timeout };
    return { most: maxKept, timeout, head: { take: chunk => part.take(chunk), mostArriving: maxArriving } };
  }

  async #take(
    request: IncomingMessage,
    response: ServerResponse,
    source: S,
    name: string,
    limits: BodyLimits,
  ): Promise<void> {
    const { many, take, log } = this.#deps;
    const body = await this.#bodies.read(request, limits);
    if (body === 'broken off')
      return log.info({ source: name, why: body, ...senderOf(request) }, `${many}: a delivery broke off`);
    if (!Buffer.isBuffer(body)) return this.#hangUp(response, name, toRefusal(body, limits));
    if (this.#waiting + body.length > bodyRoom) return this.#refuse(response, name, toRefusal('too many', limits));
    this.#waiting += body.length;
    try {
      const result = await take(source, body, request.headers);
      answer(response, 200);
      this.#observe(name, result, '');
    } catch (error) {
      this.#refuse(response, name, this.#refusalOf(error, name));
    } finally {
      this.#waiting -= body.length;
    }
  }

  #refusalOf(error: unknown, source: string): Refusal {
    const { many, one, log } = this.#deps;
    if (error instanceof UnreadableAlert) return { status: 400, why: error.message, result: 'refused_body' };
    if (error instanceof NotGenuine) return { ...this.#notLetIn, reason: error.message };
    if (isUnavailable(error)) {
      const why = `The database of Muster is away. Send the ${one} again in a moment.`;
      return { status: 503, why, headers: { 'retry-after': retryAfter.away }, result: 'unavailable' };
    }
    log.error({ err: error, source }, `${many}: a delivery could not be taken`);
    return { status: 500, why: `Muster could not take the ${one}. Its log says why.`, result: 'failed' };
  }

  /** Neither the answer nor the log has the address: it may hold a token, also where the name belongs. */
  #refuse(response: ServerResponse, source: string, { status, result, why, headers, reason = why }: Refusal): void {
    const { many, log } = this.#deps;
    if (result !== 'failed')
      log.warn({ status, why: reason, source, ...senderOf(response.req) }, `${many}: a delivery was refused`);
    answer(response, status, why, headers);
    this.#observe(source, result, reason);
  }

  /** Refuses a request whose body has not been read to its end. */
  #hangUp(response: ServerResponse, source: string, refusal: Refusal): void {
    response.shouldKeepAlive = false;
    this.#refuse(response, source, refusal);
  }

  #observe(source: string, result: HookResult, why: string): void {
    this.#deps.observe({ source, result, why, at: this.#deps.clock() });
  }
}

/**
 * Takes what tools send to `/hooks/<many>/<name>`. It checks the sender before it reads the body, and answers 200 once the delivery is stored.
 * A delivery that comes again is stored again: the part behind it sees that it tells nothing new. What may succeed later is answered with 503,
 * after which the tools send it again.
 */
export function createHookDoor<S>(deps: HookDeps<S>): RequestListener {
  const door = new HookDoor(deps);
  return (request, response) => door.handle(request, response);
}

/** A body that came too slowly must be sent again: the network may be bad, and tools give an alert up after a 408. */
function toRefusal(problem: 'too large' | 'too slow' | 'too many', limits: BodyLimits): Refusal {
  const [status, why] = refusalOf(problem, limits);
  if (problem === 'too large') return { status, why, result: 'refused_body' };
  return { status: 503, why, headers: { 'retry-after': retryAfter.busy }, result: 'unavailable' };
}

function answer(
  response: ServerResponse,
  status: number,
  why?: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(why === undefined ? {} : { error: why });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers })
    .end(body);
}
