import { z } from 'zod';
import { ifSet, list, means, orNull, text, time } from './fields.ts';
import { Incident } from './incidents.ts';

/** Events that an outgoing webhook tells of (docs/api-rules.md A11). */
const webhookEvents = [
  'grafana.incident.created',
  'grafana.incident.closed',
  'grafana.incident.updated.role',
  'grafana.incident.updated.status',
  'grafana.incident.updated.title',
  'grafana.incident.updated.severity',
  'grafana.incident.added.label',
  'grafana.incident.removed.label',
] as const;
/** One of {@link webhookEvents}. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** Body of an outgoing webhook (docs/api-rules.md A11). `time` is RFC 3339 in whole seconds. */
export const OutgoingWebhookPayload = z.object({
  version: means(text(), 'The version of this form: `v1.0.0`.'),
  id: means(text(), 'The id of the event, `webhook-out-<24 hex digits>`. It stays when the event is sent again.'),
  source: means(text(), 'Always `/grafana/incident`.'),
  time: means(time(), 'When it happened, in whole seconds.'),
  event: means(text(), 'What happened, such as `grafana.incident.created`.'),
  incident: Incident,
});
means(OutgoingWebhookPayload, 'The body of an outgoing webhook.');
export type OutgoingWebhookPayload = z.output<typeof OutgoingWebhookPayload>;

/** Answer to the caller of an incoming webhook; `incident` only when it was asked for (docs/api-rules.md A12). */
export const IncomingWebhookResponse = z.object({
  incident: means(ifSet(orNull(Incident)), 'The incident; only when `includes` asks for it.'),
  processingErrors: means(list(z.string()), 'What of the address could not be used, and what was taken instead.'),
});
means(IncomingWebhookResponse, 'The answer to the caller of an incoming webhook.');
export type IncomingWebhookResponse = z.output<typeof IncomingWebhookResponse>;

/** Below the base path of the RPC services: where an incident is declared by its address alone (docs/api-rules.md A12). */
export const incomingWebhookPath = '/incoming-webhooks/grafana.incident.create';

/** What the address of an incoming webhook may say, and what each parameter means. Only `title` must be there. */
export const incomingWebhookParameters = {
  title: 'High-level description of the incident.',
  severity: 'The severity. When it is absent or unknown, the incident gets the default severity.',
  status: '`active`, which is usual, or `resolved`.',
  drill: '`true` for a drill.',
  labels: 'Labels, separated by commas.',
  roomprefix: 'What the name of its channel begins with.',
  url: 'An address to attach.',
  caption: 'The title of that address.',
  includes: '`incident`: the answer contains the incident.',
} as const;
