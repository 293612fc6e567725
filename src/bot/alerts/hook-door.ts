import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { senderOf } from '../../contract/sender.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { Deadlines } from '../../deadlines.ts';
import { type BodyLimits, createBodyReader, refusalOf } from '../slack/http-receiver.ts';
import { UnreadableAlert } from './read/unreadable.ts';

/** The most bytes of one delivery. A group of a thousand alerts has about this. */
const maxBody = 1024 * 1024;
/** The most bytes of all deliveries that are arriving, and of all that wait to be stored. */
const bodyRoom = 16 * 1024 * 1024;
/** When a tool may send again what could not be taken, in seconds. */
const retryAfter = { busy: '1', away: '5' };

/** What becomes of a delivery. `grouped`: it is stored, and its group of alerts was known to fire. */
export const hookResults = ['stored', 'grouped', 'refused_token', 'refused_body', 'unavailable', 'failed'] as const;
/** One of {@link hookResults}. */
export type HookResult = (typeof hookResults)[number];

/** What becomes of a delivery that is taken. */
export type Taken = Extract<HookResult, 'stored' | 'grouped'>;

/** Whether a delivery was taken. */
export function isTaken(result: HookResult): result is Taken {
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

/** Who sends a request. */
interface Entry<S> {
  /** Undefined where it is not let in. */
  readonly source: S | undefined;
  /** The name of the source in its address; `""` where no source has that name. */
  readonly name: string;
  /** Why it is not let in, for the log. */
  readonly why: string;
}

/** What a door is made with. */
export interface HookDeps<S> {
  /** What it takes, as the log and its answers say it: `alerts`, `alert`. */
  readonly many: string;
  readonly one: string;
  /** Looks at a request before its body is read. */
  readonly check: (request: IncomingMessage) => Entry<S>;
  /** The one answer to an unknown name and to a request that does not prove whose it is. */
  readonly noEntry: Pick<Refusal, 'why' | 'headers'>;
  /** Stores what a body tells. Resolves when it is durable. Throws an {@link UnreadableAlert}, or {@link NotGenuine}. */
  readonly take: (source: S, body: Buffer, headers: IncomingHttpHeaders) => Promise<Taken>;
  readonly observe: (delivery: HookDelivery) => void;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** A body does not prove that the source sent it. */
export class NotGenuine extends Error {
  override readonly name = 'NotGenuine';
}

/** How a delivery is answered that was not stored. */
interface Refusal {
  readonly status: number;
  /** In words for the person who set the tool up. */
  readonly why: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly result: Exclude<HookResult, Taken>;
  /** In words for the operator, where the sender may not know as much. */
  readonly reason?: string;
}

const zipped: Refusal = {
  status: 415,
  why: 'The body has a content-encoding. Send it as it is.',
  result: 'refused_body',
};

/**
 * Takes what tools send to `/hooks/<many>/<name>`. It checks the sender before it reads the body, and answers 200 once the delivery is stored.
 * A delivery that comes again is stored again: the part behind it sees that it tells nothing new. What may succeed later is answered with 503,
 * after which the tools send it again.
 */
export function createHookDoor<S>({
  many,
  one,
  check,
  noEntry,
  take,
  observe,
  deadlines,
  clock,
  log,
}: HookDeps<S>): RequestListener {
  const bodies = createBodyReader(bodyRoom);
  const limits = { most: maxBody, timeout: deadlines.requestBody };
  const notLetIn = { ...noEntry, status: 401, result: 'refused_token' } as const;
  const databaseAway: Refusal = {
    status: 503,
    why: `The database of Muster is away. Send the ${one} again in a moment.`,
    headers: { 'retry-after': retryAfter.away },
    result: 'unavailable',
  };
  let waiting = 0;

  /** Neither the answer nor the log has the address: a token may stand in it, also where the name belongs. */
  const refuse = (response: ServerResponse, source: string, refusal: Refusal) => {
    const { status, result, why, reason = why } = refusal;
    log.warn({ status, why: reason, source, ...senderOf(response.req) }, `${many}: a delivery was refused`);
    answer(response, refusal);
    observe({ source, result, why: reason, at: clock() });
  };
  /** Refuses a request whose body has not been read to its end. */
  const hangUp = (response: ServerResponse, source: string, refusal: Refusal) => {
    response.shouldKeepAlive = false;
    refuse(response, source, refusal);
  };

  async function hear(request: IncomingMessage, response: ServerResponse, source: S, name: string): Promise<void> {
    const body = await bodies.read(request, limits);
    if (body === 'broken off')
      return log.info({ source: name, why: body, ...senderOf(request) }, `${many}: a delivery broke off`);
    if (!Buffer.isBuffer(body)) return hangUp(response, name, toRefusal(body, limits));
    if (waiting + body.length > bodyRoom) return refuse(response, name, toRefusal('too many', limits));
    waiting += body.length;
    try {
      const result = await take(source, body, request.headers);
      answer(response, { status: 200 });
      observe({ source: name, result, why: '', at: clock() });
    } catch (error) {
      if (error instanceof UnreadableAlert) refuse(response, name, unreadable(error));
      else if (error instanceof NotGenuine) refuse(response, name, { ...notLetIn, reason: error.message });
      else if (isUnavailable(error)) refuse(response, name, databaseAway);
      else fail(response, name, error);
    } finally {
      waiting -= body.length;
    }
  }

  function fail(response: ServerResponse, source: string, err: unknown): void {
    log.error({ err, source }, `${many}: a delivery could not be taken`);
    const why = `Muster could not take the ${one}. Its log says why.`;
    answer(response, { status: 500, why });
    observe({ source, result: 'failed', why, at: clock() });
  }

  return (request, response) => {
    const { method, headers } = request;
    if (method !== 'POST') {
      response.shouldKeepAlive = false;
      const why = `${many.charAt(0).toUpperCase()}${many.slice(1)} are sent with POST.`;
      return answer(response, { status: 405, why, headers: { allow: 'POST' } });
    }
    const { source, name, why } = check(request);
    if (!source) return hangUp(response, name, { ...notLetIn, reason: why });
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') return hangUp(response, name, zipped);
    if (Number(headers['content-length'] ?? 0) > limits.most)
      return hangUp(response, name, toRefusal('too large', limits));
    void hear(request, response, source, name);
  };
}

/** A body that came too slowly is to be sent again: the way may be bad, and tools give an alert up after a 408. */
function toRefusal(problem: 'too large' | 'too slow' | 'too many', limits: BodyLimits): Refusal {
  const [status, why] = refusalOf(problem, limits);
  if (problem === 'too large') return { status, why, result: 'refused_body' };
  return { status: 503, why, headers: { 'retry-after': retryAfter.busy }, result: 'unavailable' };
}

function unreadable({ message }: UnreadableAlert): Refusal {
  return { status: 400, why: message, result: 'refused_body' };
}

function answer(
  response: ServerResponse,
  { status, why, headers }: Pick<Refusal, 'status' | 'headers'> & { why?: string },
): void {
  const body = JSON.stringify(why === undefined ? {} : { error: why });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers })
    .end(body);
}
