import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { PagerSetting } from '../../config/pager-settings.ts';
import { RpcError } from '../../contract/errors.ts';
import { signatureHeader, signWebhook, verifyWebhook, webhookUserAgent } from '../../contract/webhook-signature.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { PageCall, PageNews } from '../incident/acts/pagers.ts';
import type { PageState } from '../schema/pages-sent.ts';
import { andMore, cap, toOneLine } from '../text/words.ts';

/** The news of a page from its pager. `key` names the page. */
export type PagerNews = PageNews & { readonly key: string };

/** A tool that wakes people. */
export interface Pager {
  readonly name: string;
  /** Sends a page; resolves when the tool has taken it. Throws an RpcError. */
  send(call: PageCall, signal: AbortSignal): Promise<void>;
  /** Says that a page is over. Throws an RpcError. */
  close(key: string, signal: AbortSignal): Promise<void>;
  /** Whether a delivery is the tool's own, by its signature. */
  isGenuine(headers: Readonly<Record<string, string | string[] | undefined>>, body: Buffer): boolean;
  /** The news of a page in a delivery; undefined where it says nothing that Muster uses. */
  hear(body: unknown): PagerNews | undefined;
}

/** Sends a body of JSON to an address, once. Redirects are not followed. Throws an RpcError when there is no answer. */
export type Post = (request: {
  readonly url: string;
  /** The pager, as the subject of a sentence. */
  readonly whom: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}) => Promise<PostAnswer>;

interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Most characters of the tool's words that are kept. */
const mostSaid = 300;

/** A pager as the subject of a sentence. */
function pagerNamed(name: string): string {
  return `The pager ${name}`;
}

/**
 * Throws an RpcError unless the tool has taken what was sent. One that asks to wait, or failed, may take it later. `said`: its reason, in its
 * own words. `pause`: the seconds to wait where it does not say.
 */
function mustBeTaken(name: string, { status, headers }: PostAnswer, said = '', pause = 0): void {
  if (status >= 200 && status < 300) return;
  const words = said === '' ? '' : `: ${cap(toOneLine(said), mostSaid)}`;
  if (status === 429) {
    const seconds = Number([headers['retry-after']].flat()[0]);
    const retryAfter = Number.isFinite(seconds) && seconds > 0 ? seconds : pause;
    throw new RpcError('resource_exhausted', `the pager ${name} asks to wait`, { retryAfter, maybeApplied: false });
  }
  if (status === 408 || status === 425 || status >= 500)
    throw new RpcError('unavailable', `the pager ${name} failed (status ${status})${words}`, { maybeApplied: true });
  const how = status >= 300 && status < 400 ? 'leads elsewhere' : 'refused it';
  throw new RpcError('failed_precondition', `the pager ${name} ${how} (status ${status})${words}`, {
    maybeApplied: false,
  });
}

/** A name of a person from a pager, on one line. */
const personName = z
  .string()
  .transform(text => cap(toOneLine(text), 80))
  .catch('');

/*
 * PagerDuty: its Events API v2 and its webhooks v3, as its developer documentation describes them ("Send an Alert Event", "Events API Rate
 * Limits", "Verifying Signatures"; its schema is reference/events-v2 of PagerDuty/api-schema).
 */

/** Most characters of a summary. */
const maxSummary = 1024;
/** The seconds that PagerDuty recommends to wait after a 429. */
const pause = 30;
/** The header of the signatures of a webhook: `v1=<hex>`, several separated by commas. */
const pagerDutySignature = 'x-pagerduty-signature';

/** Why an event was refused. */
const Refusal = z.object({ message: z.string().catch(''), errors: z.array(z.string()).catch([]) });

/** A name with what it is of: `user_reference`, `service_reference`, `integration_reference`. */
const Reference = z.object({ type: z.string().catch(''), summary: personName });

/** A webhook of version 3, as far as Muster reads it. `incident_key` is the key of the event that made the incident there. */
const Webhook = z.object({
  event: z.object({
    event_type: z.string(),
    occurred_at: z.iso.datetime({ offset: true }).optional().catch(undefined),
    /** "The user, service or integration" that did it; null where nobody did. */
    agent: Reference.nullish().catch(undefined),
    data: z.object({ incident_key: z.string().nullish(), assignees: z.array(Reference).catch([]) }),
  }),
});

/** What an event makes of a page ("Webhooks Overview", Event Types). Delegating gives it to the people of another escalation policy. */
const pagerDutyStates: ReadonlyMap<string, PageState> = new Map([
  ['incident.acknowledged', 'acknowledged'],
  ['incident.unacknowledged', 'unacknowledged'],
  ['incident.escalated', 'escalated'],
  ['incident.reassigned', 'reassigned'],
  ['incident.delegated', 'reassigned'],
  ['incident.reopened', 'reopened'],
  ['incident.resolved', 'resolved'],
]);

/** A service of PagerDuty. */
export function openPagerDuty(
  { name, url, routingKey, secret }: Extract<PagerSetting, { kind: 'pagerduty' }>,
  { post, deadlines }: { readonly post: Post; readonly deadlines: Deadlines },
): Pager {
  const enqueue = async (event: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
    const answer = await post({
      ...{ whom: pagerNamed(name), url: `${url}/v2/enqueue` },
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ routing_key: routingKey, ...event }),
      timeout: deadlines.pager,
      signal,
    });
    mustBeTaken(name, answer, readRefusal(answer.body), pause);
  };
  return {
    name,
    send: (call, signal) => enqueue(toTrigger(call), signal),
    close: (key, signal) => enqueue({ event_action: 'resolve', dedup_key: key }, signal),
    isGenuine: (headers, body) => secret !== '' && isSigned(headers[pagerDutySignature], body, secret),
    hear: body => {
      // PagerDuty sends nothing more to an address that refused three webhooks, and there are dozens of kinds.
      const event = Webhook.safeParse(body).data?.event;
      const state = pagerDutyStates.get(event?.event_type ?? '');
      const key = event?.data.incident_key ?? '';
      if (!event || !state || key === '') return undefined;
      const { agent, data, occurred_at: at } = event;
      const isMoved = state === 'escalated' || state === 'reassigned';
      const who = isMoved
        ? andMore(data.assignees.map(each => each.summary).filter(Boolean), 3)
        : (agent?.summary ?? '');
      const isPerson = !isMoved && agent?.type === 'user_reference';
      return { key, state, who, isPerson, ...(at === undefined ? {} : { at: Date.parse(at) }) };
    },
  };
}

function toTrigger({ key, title, why, by, incidentID, links, askedAt }: PageCall) {
  const details = { incident: incidentID, why, by };
  return {
    event_action: 'trigger',
    dedup_key: key,
    client: 'Muster',
    links: links.map(each => ({ href: each.url, text: each.what })),
    payload: {
      summary: cap([title, why].filter(each => each !== '').join(': '), maxSummary),
      source: incidentID === '' ? 'Muster' : `incident ${incidentID}`,
      // A person must be woken: below "error" PagerDuty may wake nobody.
      severity: 'critical',
      timestamp: askedAt.toISOString(),
      custom_details: Object.fromEntries(Object.entries(details).filter(([, value]) => value !== '')),
    },
  };
}

function readRefusal(body: string): string {
  try {
    const { message, errors } = Refusal.parse(JSON.parse(body));
    return [message, ...errors].filter(each => each !== '').join('; ');
  } catch {
    return '';
  }
}

function isSigned(header: string | string[] | undefined, body: Buffer, secret: string): boolean {
  const expected = Buffer.from(`v1=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const shown = [header ?? []].flat().flatMap(each => each.split(','));
  const fits = (each: Buffer) => each.length === expected.length && timingSafeEqual(each, expected);
  return shown.map(each => Buffer.from(each.trim())).some(fits);
}

/** How far from the present an answer may have been signed, in seconds. */
const tolerance = 300;

/** The answer of a tool about a page. */
const Answer = z
  .object({
    key: z.string().min(1).max(200),
    state: z.enum(['acknowledged', 'unacknowledged', 'escalated', 'reassigned', 'reopened', 'resolved']),
    by: personName,
    /** Who has it now, where it was passed on. */
    to: personName,
    /** False: a rule or a tool did it. */
    person: z.boolean().default(true),
    at: z.iso.datetime({ offset: true }).optional(),
  })
  .transform(({ key, state, by, to, person: isPerson, at }) => {
    const who = state === 'escalated' || state === 'reassigned' ? to : by;
    return { key, state, who, isPerson, ...(at === undefined ? {} : { at: Date.parse(at) }) };
  });

/** Any other tool, by a webhook that is signed as those of the service are (docs/api-rules.md A11). It answers in the same way. */
export function openWebhookPager(
  { name, url, secret }: Extract<PagerSetting, { kind: 'webhook' }>,
  { post, deadlines, clock }: { readonly post: Post; readonly deadlines: Deadlines; readonly clock: () => Date },
): Pager {
  const tell = async (told: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
    const body = JSON.stringify({ pager: name, ...told });
    const headers = {
      'content-type': 'application/json',
      'user-agent': webhookUserAgent,
      [signatureHeader]: signWebhook(body, secret, clock()),
    };
    const whom = pagerNamed(name);
    mustBeTaken(name, await post({ whom, url, headers, body, timeout: deadlines.pager, signal }));
  };
  return {
    name,
    send: ({ key, title, why, by, incidentID, links, askedAt }, signal) =>
      tell({ event: 'page', key, incident: { id: incidentID, title }, why, by, links, askedAt }, signal),
    close: (key, signal) => tell({ event: 'over', key }, signal),
    isGenuine: (headers, body) => {
      const header = headers[signatureHeader.toLowerCase()];
      return (
        typeof header === 'string' && verifyWebhook(header, body, secret, { seconds: tolerance, now: clock() }).genuine
      );
    },
    hear: body => Answer.parse(body),
  };
}
