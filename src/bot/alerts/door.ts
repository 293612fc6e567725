import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { senderOf } from '../../contract/sender.ts';
import { isUnavailable } from '../../db/failure.ts';
import { deadlines } from '../../deadlines.ts';
import type { AlertGroup } from '../incident/state/alert-group.ts';
import { createBodyReader, refusalOf } from '../slack/request.ts';
import { createTokenCheck } from './door-token.ts';
import { parseBody } from './parse-body.ts';
import type { AlertSource } from './read/source.ts';
import { UnreadableAlert } from './read/unreadable.ts';

/** Of one delivery. A group of a thousand alerts has about this. */
const limits = { most: 1024 * 1024, timeout: deadlines.requestBody };
/** The most bytes of all deliveries that are arriving, and of all that wait to be stored. */
const bodyRoom = 16 * 1024 * 1024;
/** When a tool may send again what could not be taken, in seconds. */
const retryAfter = { busy: '1', away: '5' };

/** What becomes of a delivery. `grouped`: it is stored, and its group was known to fire. */
export const alertResults = ['stored', 'grouped', 'refused_token', 'refused_body', 'unavailable', 'failed'] as const;
/** One of {@link alertResults}. */
export type AlertResult = (typeof alertResults)[number];

/** What becomes of a delivery that is taken. */
export type Taken = Extract<AlertResult, 'stored' | 'grouped'>;

/** Whether a delivery was taken. */
export function isTaken(result: AlertResult): result is Taken {
  return result === 'stored' || result === 'grouped';
}

/** A delivery that was answered. */
export interface AlertDelivery {
  /** The name of its source; `""` where no source has the name in the address. */
  readonly source: string;
  readonly result: AlertResult;
  /** Why it was not stored, in words for the operator; `""` when it was. */
  readonly why: string;
  readonly at: Date;
}

/** What the door is made with. */
interface DoorDeps {
  readonly sources: readonly AlertSource[];
  /** The group of alerts that a body tells of. Throws an {@link UnreadableAlert}. */
  readonly read: (source: AlertSource, body: unknown) => AlertGroup;
  /** Stores what a group tells. Resolves when it is durable. */
  readonly hear: (source: AlertSource, group: AlertGroup) => Promise<Taken>;
  readonly observe: (delivery: AlertDelivery) => void;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** How a delivery is answered that was not stored. */
interface Refusal {
  readonly status: number;
  /** In words for the person who set the tool up. */
  readonly why: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly result: Exclude<AlertResult, Taken>;
  /** In words for the operator, where the sender may not know as much. */
  readonly reason?: string;
}

/** The one answer to an unknown name, no token and a wrong one. */
const noEntry: Refusal = {
  status: 401,
  why: 'There is no such source, or the token is not its token. Send the token as Authorization: Bearer <token>, as the password of Basic, or at the end of the address: /hooks/alerts/<name>/<token>.',
  headers: { 'www-authenticate': 'Bearer, Basic realm="alerts"' },
  result: 'refused_token',
};
const zipped: Refusal = {
  status: 415,
  why: 'The body has a content-encoding. Send it as it is.',
  result: 'refused_body',
};
const databaseAway: Refusal = {
  status: 503,
  why: 'The database of Muster is away. Send the alert again in a moment.',
  headers: { 'retry-after': retryAfter.away },
  result: 'unavailable',
};

/**
 * Takes what monitoring sends to `/hooks/alerts/<name>`. It looks at the token before it reads the body, and answers 200 once the delivery
 * is stored. A delivery that comes again is stored again: `hear` sees that it tells nothing new. What may succeed later is answered with
 * 503, after which the tools send it again.
 */
export function createAlertDoor({ sources, read, hear, observe, clock, log }: DoorDeps): RequestListener {
  const check = createTokenCheck(sources);
  const bodies = createBodyReader(bodyRoom);
  let waiting = 0;

  /** Neither the answer nor the log has the address: a token may stand in it, also where the name belongs. */
  const refuse = (response: ServerResponse, source: string, refusal: Refusal) => {
    const { status, result, why, reason = why } = refusal;
    log.warn({ status, why: reason, source, ...senderOf(response.req) }, 'alerts: a delivery was refused');
    answer(response, refusal);
    observe({ source, result, why: reason, at: clock() });
  };
  /** Refuses a request whose body has not been read to its end. */
  const hangUp = (response: ServerResponse, source: string, refusal: Refusal) => {
    response.shouldKeepAlive = false;
    refuse(response, source, refusal);
  };

  async function take(request: IncomingMessage, response: ServerResponse, source: AlertSource): Promise<void> {
    const { name } = source;
    const body = await bodies.read(request, limits);
    if (body === 'broken off')
      return log.info({ source: name, why: body, ...senderOf(request) }, 'alerts: a delivery broke off');
    if (!Buffer.isBuffer(body)) return hangUp(response, name, toRefusal(body));
    if (waiting + body.length > bodyRoom) return refuse(response, name, toRefusal('too many'));
    waiting += body.length;
    try {
      const result = await hear(source, read(source, parseBody(body)));
      answer(response, { status: 200 });
      observe({ source: name, result, why: '', at: clock() });
    } catch (error) {
      if (error instanceof UnreadableAlert) refuse(response, name, unreadable(error));
      else if (isUnavailable(error)) refuse(response, name, databaseAway);
      else fail(response, name, error);
    } finally {
      waiting -= body.length;
    }
  }

  function fail(response: ServerResponse, source: string, err: unknown): void {
    log.error({ err, source }, 'alerts: a delivery could not be taken');
    const why = 'Muster could not take the alert. Its log says why.';
    answer(response, { status: 500, why });
    observe({ source, result: 'failed', why, at: clock() });
  }

  return (request, response) => {
    const { method, headers } = request;
    if (method !== 'POST') {
      response.shouldKeepAlive = false;
      return answer(response, { status: 405, why: 'Alerts are sent with POST.', headers: { allow: 'POST' } });
    }
    const { source, name, why } = check(request);
    if (!source) return hangUp(response, name, { ...noEntry, reason: why });
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') return hangUp(response, name, zipped);
    if (Number(headers['content-length'] ?? 0) > limits.most) return hangUp(response, name, toRefusal('too large'));
    void take(request, response, source);
  };
}

/** A body that came too slowly is to be sent again: the way may be bad, and tools give an alert up after a 408. */
function toRefusal(problem: 'too large' | 'too slow' | 'too many'): Refusal {
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
