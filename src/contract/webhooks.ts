import { z } from 'zod';
import { list, orNull, text } from './fields.ts';
import { Incident } from './incidents.ts';

/** Events that an outgoing webhook tells of (api-behaviour.md A11). */
export const webhookEvents = [
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

/** Body of an outgoing webhook (api-behaviour.md A11). `time` is RFC 3339 in whole seconds. */
export const OutgoingWebhookPayload = z.object({
  version: text(),
  id: text(),
  source: text(),
  time: text(),
  event: text(),
  incident: Incident,
});
/** Body of an outgoing webhook. */
export type OutgoingWebhookPayload = z.output<typeof OutgoingWebhookPayload>;

/** Answer to the caller of an incoming webhook; `incident` only when it was asked for (api-behaviour.md A12). */
export const IncomingWebhookResponse = z.object({
  incident: orNull(Incident),
  processingErrors: list(z.string()),
});
/** Answer to the caller of an incoming webhook. */
export type IncomingWebhookResponse = z.output<typeof IncomingWebhookResponse>;
