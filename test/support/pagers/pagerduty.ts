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

/** What PagerDuty knows, and how it answers: all of the stand-in but its wire. */
interface PagerDuty {
  /** The events that took effect, oldest first. */
  readonly events: readonly PagerEvent[];
  /** The keys of the alerts that woke somebody, oldest first: each time an alert is opened. */
  readonly woken: readonly string[];
  /** The state of an alert. */
  stateOf(key: string): 'triggered' | 'acknowledged' | 'resolved' | undefined;
  /** Takes the body of a request. */
  take(body: string): { readonly status: number; readonly said: unknown };
  /** Something happens to an alert there. Returns the body and the headers of the webhook that tells of it. */
  act(key: string, type: Happening, who?: Agent): Webhook;
}

/** The events of webhooks ("Webhooks Overview", Event Types), as far as tests use them. */
type Happening =
  | ('acknowledged' | 'unacknowledged' | 'escalated' | 'reassigned' | 'delegated' | 'reopened' | 'resolved')
  | 'annotated';
/** Who did it: a person by their name, something else, or nobody. Of what is passed on, the person who has it then. */
type Agent = string | { readonly service: string } | null;

/** The stand-in on a port. */
export interface FakePagerDuty extends Omit<PagerDuty, 'take'>, AsyncDisposable {
  readonly url: string;
  /** How many requests came. */
  readonly requests: number;
  /** Answers so from now on. */
  fail(how: Fault): void;
}

/** A webhook as it is sent. */
export interface Webhook {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes the stand-in without a wire. `now`: milliseconds, for its limit. */
export function createPagerDuty(now: () => number): PagerDuty {
  const events: PagerEvent[] = [];
  const woken: string[] = [];
  const alerts = new Map<string, 'triggered' | 'acknowledged' | 'resolved'>();
  const calls: number[] = [];
  let happened = 0;

  function happen(event: PagerEvent): string {
    events.push(event);
    const key = event.dedup_key ?? `made-up-${events.length}`;
    const state = alerts.get(key);
    if (event.event_action === 'trigger') {
      // A resolved alert is opened again; an open one is left alone.
      if (state === undefined || state === 'resolved') {
        alerts.set(key, 'triggered');
        woken.push(key);
      }
    } else if (state !== undefined && state !== 'resolved')
      alerts.set(key, event.event_action === 'resolve' ? 'resolved' : 'acknowledged');
    return key;
  }

  const invalid = (errors: readonly string[]) => ({
    status: 400,
    said: { status: 'invalid event', message: 'Event object is invalid', errors },
  });
  return {
    events,
    woken,
    stateOf: key => alerts.get(key),
    take: body => {
      calls.push(now());
      if (calls.filter(each => each > now() - 60_000).length > limits.perMinute) return throttled;
      if (Buffer.byteLength(body) > limits.bytes) return { status: 413, said: {} };
      const given = parse(body);
      if (given === undefined) return unrecognized;
      const parsed = Event.safeParse(given);
      if (!parsed.success) return invalid(parsed.error.issues.map(each => `'${each.path.join('.')}' ${each.message}`));
      if (parsed.data.routing_key !== routingKey) return invalid(['Invalid routing key']);
      const key = happen(parsed.data);
      return { status: 202, said: { status: 'success', message: 'Event processed', dedup_key: key } };
    },
    act: (key, type, who = 'Ann Engineer') => {
      if (type !== 'annotated') alerts.set(key, type === 'acknowledged' || type === 'resolved' ? type : 'triggered');
      happened += 1;
      // Two things never happen in one moment.
      return toWebhook(key, type, { who, at: now() + happened });
    },
  };
}

const throttled = {
  status: 429,
  said: { status: 'throttle exceeded', message: 'Requests for this service are arriving too quickly.' },
};
const unrecognized = {
  status: 400,
  said: {
    status: 'Unrecognized object',
    message: 'Event object format is unrecognized',
    errors: ['JSON parse error'],
  },
};

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Opens the stand-in on a free port. `now`: milliseconds, for its limit. */
export async function openFakePagerDuty(now: () => number = () => Date.now()): Promise<FakePagerDuty> {
  const { events, woken, stateOf, act, take } = createPagerDuty(now);
  let requests = 0;
  let fault: Fault = 'ok';

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const body = await text(request);
    const answer = ({ status, said }: { readonly status: number; readonly said: unknown }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    if (request.method !== 'POST' || request.url !== '/v2/enqueue' || fault === 'not found')
      return void answer({ status: 404, said: {} });
    if (fault === 'hang') return;
    if (fault === 'error')
      return void answer({ status: 500, said: { status: 'error', message: 'Internal Server Error' } });
    if (fault === 'throttle') return void answer(throttled);
    const taken = take(body);
    if (taken.status === 202 && fault === 'swallow') return;
    if (taken.status === 202 && fault === 'cut') return void request.socket.destroy();
    answer(taken);
  }

  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ events, woken, stateOf, act },
    get requests() {
      return requests;
    },
    fail: how => {
      fault = how;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** A webhook of version 3, as "Webhooks Overview" shows it. */
function toWebhook(key: string, type: Happening, { who, at }: { readonly who: Agent; readonly at: number }): Webhook {
  const reference = (kind: string, id: string, summary: string) => ({
    ...{ id, summary, type: `${kind}_reference` },
    self: `https://api.pagerduty.com/${kind}s/${id}`,
    html_url: `https://acme.pagerduty.com/${kind}s/${id}`,
  });
  const incident = {
    ...{ id: 'PGR0VU2', type: 'incident', number: 2, status: type, incident_key: key, title: 'A little bump' },
    ...{ created_at: '2020-04-09T15:16:27Z', service: reference('service', 'PF9KMXH', 'API Service') },
    assignees: typeof who === 'string' ? [reference('user', 'PTUXL6G', who)] : [],
    ...{ teams: [], priority: null, urgency: 'high', conference_bridge: null, resolve_reason: null },
  };
  const body = JSON.stringify({
    event: {
      id: '5ac64822-4adc-4fda-ade0-410becf0de4f',
      event_type: `incident.${type}`,
      ...{ resource_type: 'incident', occurred_at: new Date(at).toISOString() },
      agent:
        who === null || typeof who === 'string'
          ? who && reference('user', 'PLH1HKV', who)
          : reference('service', 'PF9KMXH', who.service),
      client: { name: 'PagerDuty' },
      data: type === 'annotated' ? { incident: reference('incident', 'PGR0VU2', 'x'), content: 'A note' } : incident,
    },
  });
  return { body, headers: { 'content-type': 'application/json', 'x-pagerduty-signature': sign(body) } };
}

/** The signature of a body, and one with a secret that is being changed. */
export function sign(body: string, secret = signingSecret): string {
  const hex = (key: string) => createHmac('sha256', key).update(body).digest('hex');
  return `v1=${hex('another-secret')},v1=${hex(secret)}`;
}
