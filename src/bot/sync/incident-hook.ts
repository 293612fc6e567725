import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { z } from 'zod';
import { senderOf } from '../../contract/sender.ts';
import { signatureHeader, verifyWebhook } from '../../contract/webhook-signature.ts';
import type { Deadlines } from '../../deadlines.ts';
import { createReplayGuard } from '../slack/replay-guard.ts';
import { createBodyReader, refusalOf } from '../slack/request.ts';

/** How far from the present a webhook may have been signed, in seconds. */
const tolerance = 300;
/** The most bytes of a webhook: as many as the official verifier reads (docs/api-rules.md A11). */
const maxBody = 1024 * 1024;
/** The most bytes of all webhooks that are arriving. */
const bodyRoom = 16 * 1024 * 1024;

/** Takes a request at `POST /hooks/incident`. */
export type HookHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** The part of a webhook that Muster reads. */
const Told = z.object({ incident: z.object({ incidentID: z.string().min(1).max(200) }) });

/**
 * Takes the outgoing webhooks of the incident API. Refuses, before it parses the body, a webhook that was not signed with the secret within
 * five minutes. Uses the incident's id alone: Muster then reads the incident, so a webhook that comes twice, late or in the wrong order
 * changes nothing.
 */
export function createIncidentHook(deps: {
  readonly secret: string;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
  /** That incident may have changed. Returns at once. */
  readonly hear: (incidentID: string) => void;
}): HookHandler {
  const { secret, deadlines, clock, log } = deps;
  const limits = { most: maxBody, timeout: deadlines.requestBody };
  const bodies = createBodyReader(bodyRoom);
  const seen = createReplayGuard();

  const refuse = (response: ServerResponse, status: number, why: string) => {
    log.warn({ status, why, ...senderOf(response.req) }, 'hook: a webhook was refused');
    answer(response, status, why);
  };
  /** Refuses a request whose body has not been read to its end. */
  const hangUp = (response: ServerResponse, status: number, why: string) => {
    response.shouldKeepAlive = false;
    refuse(response, status, why);
  };

  async function take(request: IncomingMessage, response: ServerResponse, signature: string): Promise<void> {
    const body = await bodies.read(request, limits);
    if (body === 'broken off')
      return log.info({ why: 'broken off', ...senderOf(request) }, 'hook: a request broke off');
    if (!Buffer.isBuffer(body)) return hangUp(response, ...refusalOf(body, limits));
    const now = clock();
    const verdict = verifyWebhook(signature, body, secret, { seconds: tolerance, now });
    if (!verdict.genuine)
      return refuse(response, 401, `${verdict.reason}. Is INCIDENT_WEBHOOK_SECRET the sender’s own?`);
    if (!seen.isNew(signature, now)) return refuse(response, 401, 'The webhook has been seen before.');
    const incidentID = readIncident(body);
    if (incidentID === undefined) return refuse(response, 400, 'The webhook names no incident.');
    answer(response, 200, '');
    deps.hear(incidentID);
  }

  return (request, response) => {
    const signature = request.headers[signatureHeader.toLowerCase()];
    if (typeof signature !== 'string') return hangUp(response, 401, 'The request is not signed.');
    if (Number(request.headers['content-length'] ?? 0) > limits.most) {
      return hangUp(response, ...refusalOf('too large', limits));
    }
    void take(request, response, signature);
  };
}

function readIncident(body: Buffer): string | undefined {
  try {
    return Told.parse(JSON.parse(body.toString('utf8'))).incident.incidentID;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, why: string): void {
  const body = why === '' ? '' : JSON.stringify({ error: why });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}
