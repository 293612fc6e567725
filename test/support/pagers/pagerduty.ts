import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/*
 * A stand-in for PagerDuty's Events API v2 by its published schema (reference/events-v2/openapiv3.json of PagerDuty/api-schema, and "Send an
 * Alert Event" and "Events API Rate Limits" of its developer documentation), and for its webhooks v3 ("Verifying Signatures").
 */

/** The integration key of the one service. */
export const routingKey = 'e93facc04764012d7bfb002500d5d1a6';
/** Signs its webhooks. */
export const signingSecret = 'pagerduty-signing-secret-0123456789';

/**
 * How the next events are answered. `cut`: they take effect, and the connection breaks before the answer. `swallow`: they do, and no answer
 * comes. `hang`: nothing happens.
 */
export type Fault = 'ok' | 'error' | 'throttle' | 'cut' | 'swallow' | 'hang' | 'not found';

const link = z.object({ href: z.url(), text: z.string().optional() });
const Trigger = z.object({
  routing_key: z.string(),
  event_action: z.literal('trigger'),
  dedup_key: z.string().max(255).optional(),
  client: z.string().optional(),
  client_url: z.url().optional(),
  links: z.array(link).optional(),
  images: z.array(z.object({ src: z.url() })).optional(),
  payload: z.object({
    summary: z.string().min(1).max(1024),
    source: z.string().min(1),
    severity: z.enum(['critical', 'error', 'warning', 'info']),
    timestamp: z.iso.datetime({ offset: true }).optional(),
    component: z.string().optional(),
    group: z.string().optional(),
    class: z.string().optional(),
    custom_details: z.record(z.string(), z.unknown()).optional(),
  }),
});
const Follow = z.object({
  routing_key: z.string(),
  event_action: z.enum(['acknowledge', 'resolve']),
  dedup_key: z.string().min(1).max(255),
});
const Event = z.discriminatedUnion('event_action', [Trigger, Follow]);
/** An event that was accepted. */
type PagerEvent = z.output<typeof Event>;

/** Calls within a minute for one key; size of an event in bytes. */
const limits = { perMinute: 120, bytes: 512 * 1024 };

/** The stand-in, and what it knows. */
export interface FakePagerDuty extends AsyncDisposable {
  readonly url: string;
  /** The events that took effect, oldest first. */
  readonly events: readonly PagerEvent[];
  /** The keys of the alerts that woke somebody, oldest first: each time an alert is opened. */
  readonly woken: readonly string[];
  /** How many requests came. */
  readonly requests: number;
  /** The state of an alert. */
  stateOf(key: string): 'triggered' | 'acknowledged' | 'resolved' | undefined;
  /** Answers so from now on. */
  fail(how: Fault): void;
  /** Somebody acts on an alert there. Returns the body and the headers of the webhook that tells of it. */
  act(key: string, type: 'acknowledged' | 'resolved' | 'annotated', who?: string): Webhook;
}

/** A webhook as it is sent. */
export interface Webhook {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens the stand-in on a free port. `now`: milliseconds, for its limit. */
export async function openFakePagerDuty(now: () => number = () => Date.now()): Promise<FakePagerDuty> {
  const events: PagerEvent[] = [];
  const woken: string[] = [];
  const alerts = new Map<string, 'triggered' | 'acknowledged' | 'resolved'>();
  const calls: number[] = [];
  let requests = 0;
  let fault: Fault = 'ok';

  function take(event: PagerEvent): string {
    events.push(event);
    const key = event.dedup_key ?? `made-up-${events.length}`;
    const state = alerts.get(key);
    if (event.event_action === 'trigger') {
      // A resolved alert is opened anew; an open one is left alone.
      if (state === undefined || state === 'resolved') {
        alerts.set(key, 'triggered');
        woken.push(key);
      }
    } else if (state !== undefined && state !== 'resolved')
      alerts.set(key, event.event_action === 'resolve' ? 'resolved' : 'acknowledged');
    return key;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const body = await text(request);
    const answer = (status: number, said: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    const invalid = (errors: readonly string[]) =>
      answer(400, { status: 'invalid event', message: 'Event object is invalid', errors });
    if (request.method !== 'POST' || request.url !== '/v2/enqueue' || fault === 'not found')
      return void answer(404, {});
    if (fault === 'hang') return;
    if (fault === 'error') return void answer(500, { status: 'error', message: 'Internal Server Error' });
    calls.push(now());
    const lately = calls.filter(each => each > now() - 60_000).length;
    if (fault === 'throttle' || lately > limits.perMinute)
      return void answer(429, {
        status: 'throttle exceeded',
        message: 'Requests for this service are arriving too quickly.',
      });
    if (Buffer.byteLength(body) > limits.bytes) return void answer(413, {});
    let given: unknown;
    try {
      given = JSON.parse(body);
    } catch {
      return void answer(400, {
        status: 'Unrecognized object',
        message: 'Event object format is unrecognized',
        errors: ['JSON parse error'],
      });
    }
    const parsed = Event.safeParse(given);
    if (!parsed.success)
      return void invalid(parsed.error.issues.map(each => `'${each.path.join('.')}' ${each.message}`));
    if (parsed.data.routing_key !== routingKey) return void invalid(['Invalid routing key']);
    const key = take(parsed.data);
    if (fault === 'swallow') return;
    if (fault === 'cut') return void request.socket.destroy();
    answer(202, { status: 'success', message: 'Event processed', dedup_key: key });
  }

  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    woken,
    get requests() {
      return requests;
    },
    stateOf: key => alerts.get(key),
    fail: how => {
      fault = how;
    },
    act: (key, type, who = 'Ann Engineer') => {
      if (type !== 'annotated') alerts.set(key, type);
      return toWebhook(key, type, who);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** A webhook of version 3, as "Webhooks Overview" shows it. */
function toWebhook(key: string, type: string, who: string): Webhook {
  const reference = (kind: string, id: string, summary: string) => ({
    ...{ id, summary, type: `${kind}_reference` },
    self: `https://api.pagerduty.com/${kind}s/${id}`,
    html_url: `https://acme.pagerduty.com/${kind}s/${id}`,
  });
  const incident = {
    ...{ id: 'PGR0VU2', type: 'incident', number: 2, status: type, incident_key: key, title: 'A little bump' },
    ...{ created_at: '2020-04-09T15:16:27Z', service: reference('service', 'PF9KMXH', 'API Service'), assignees: [] },
    ...{ teams: [], priority: null, urgency: 'high', conference_bridge: null, resolve_reason: null },
  };
  const body = JSON.stringify({
    event: {
      id: '5ac64822-4adc-4fda-ade0-410becf0de4f',
      event_type: `incident.${type}`,
      ...{ resource_type: 'incident', occurred_at: '2020-10-02T18:45:22.169Z' },
      agent: reference('user', 'PLH1HKV', who),
      client: { name: 'PagerDuty' },
      data: type === 'annotated' ? { incident: reference('incident', 'PGR0VU2', 'x'), content: 'A note' } : incident,
    },
  });
  return { body, headers: { 'content-type': 'application/json', 'x-pagerduty-signature': sign(body) } };
}

/** The signature of a body, beside one of a secret that is being changed. */
export function sign(body: string, secret = signingSecret): string {
  const hex = (key: string) => createHmac('sha256', key).update(body).digest('hex');
  return `v1=${hex('another-secret')},v1=${hex(secret)}`;
}
