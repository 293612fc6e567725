import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { PagerSetting } from '../../config/pager-settings.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { PageCall } from '../incident/state/pagers.ts';
import { cap } from '../text/words.ts';
import { mustBeTaken, type Pager, type Post, pagerNamed, personName } from './pager.ts';

/*
 * PagerDuty: its Events API v2 and its webhooks v3, as its developer documentation describes them ("Send an Alert Event", "Events API Rate
 * Limits", "Verifying Signatures"; its schema is reference/events-v2 of PagerDuty/api-schema).
 */

/** Most characters of a summary. */
const maxSummary = 1024;
/** The seconds that PagerDuty recommends to wait after a 429. */
const pause = 30;
/** The header of the signatures of a webhook: `v1=<hex>`, several separated by commas. */
const signatureHeader = 'x-pagerduty-signature';

/** Why an event was refused. */
const Refusal = z.object({ message: z.string().catch(''), errors: z.array(z.string()).catch([]) });

/** A webhook of version 3, as far as Muster reads it. `incident_key` is the key of the event that made the incident there. */
const Webhook = z.object({
  event: z.object({
    event_type: z.string(),
    agent: z.object({ summary: personName }).nullish().catch(undefined),
    data: z.object({ incident_key: z.string().nullish() }),
  }),
});
const states = { 'incident.acknowledged': 'acknowledged', 'incident.resolved': 'resolved' } as const;

/** A service of PagerDuty. `url`: where its Events API is, without a trailing slash. */
export function openPagerDuty(
  { name, routingKey, secret }: Extract<PagerSetting, { kind: 'pagerduty' }>,
  { url, post, deadlines }: { readonly url: string; readonly post: Post; readonly deadlines: Deadlines },
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
    isGenuine: (headers, body) => secret !== '' && isSigned(headers[signatureHeader], body, secret),
    hear: body => {
      // PagerDuty sends nothing more to an address that refused three webhooks, and there are dozens of kinds.
      const event = Webhook.safeParse(body).data?.event;
      const state = Object.entries(states).find(([type]) => type === event?.event_type)?.[1];
      const key = event?.data.incident_key ?? '';
      return state && key !== '' ? { state, key, by: event?.agent?.summary ?? '' } : undefined;
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
