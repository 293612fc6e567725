import type { Rule } from './rules.ts';
import type { Item } from './snapshot.ts';

const events: Readonly<Record<string, string>> = {
  incidentCreated: 'grafana.incident.created',
  incidentTitleChanged: 'grafana.incident.updated.title',
  incidentSeverityChanged: 'grafana.incident.updated.severity',
  roleAssigned: 'grafana.incident.updated.role',
  roleUnassigned: 'grafana.incident.updated.role',
  labelAdded: 'grafana.incident.added.label',
  labelRemoved: 'grafana.incident.removed.label',
};

function toEvent({ kind, fields }: Item): string | undefined {
  if (kind !== 'incidentStatusChanged') return events[kind];
  return fields.status === 'resolved' ? 'grafana.incident.closed' : 'grafana.incident.updated.status';
}

/** What is so of outgoing webhooks, when the endpoints were there before the first incident and hear of all incidents, private ones too. */
export const webhookRules = {
  *'every change that webhooks tell of is told'({ endpoints, incidents, items, events }) {
    if (endpoints.length === 0) return;
    const due = items.map(each => `${each.incident_id} ${toEvent(each)}`).filter(each => !each.endsWith('undefined'));
    const posted = events.map(each => `${each.incident_id} ${each.event}`);
    const count = (all: readonly string[]) => Map.groupBy(all, each => each);
    const [wanted, found] = [count(due), count(posted)];
    for (const key of new Set([...due, ...posted])) {
      const [most, there] = [wanted.get(key)?.length ?? 0, found.get(key)?.length ?? 0];
      if (most !== there) yield `${key}: ${there} events for ${most} changes of ${incidents.length} incidents`;
    }
  },
  *'an event says what it is'({ events }) {
    for (const { id, event, incident_id, body } of events) {
      const told = JSON.parse(body);
      if (told.id !== id || told.event !== event || told.incident.incidentID !== String(incident_id)) yield id;
    }
  },
  *'an event goes to every endpoint once'({ endpoints, events, deliveries }) {
    const wanted = events.flatMap(event => endpoints.map(endpoint => `${event.id} ${endpoint.id}`));
    const found = deliveries.map(each => `${each.event_id} ${each.endpoint_id}`);
    if (wanted.toSorted().join() !== found.toSorted().join()) yield `${found.length} deliveries for ${wanted.length}`;
  },
  *'deliveries are numbered without a gap'({ deliveries, counters }) {
    const count = counters.get('webhook_delivery') ?? -1;
    if (deliveries.some((each, index) => each.seq !== index + 1) || deliveries.length !== count) {
      yield `${deliveries.length} deliveries, counter ${count}`;
    }
  },
} satisfies Record<string, Rule>;
