import { toEvidence } from '../../alerts/evidence.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { alertsTitle, gravest } from '../../incident/board/alert-words.ts';
import type { Offered } from '../../incident/state/alert-store.ts';
import { maxLabel } from '../../incident/state/title-and-labels.ts';
import { cap } from '../../text/words.ts';
import type { DeclarationWish } from './declaration.ts';

/** The key of the declaration of an offer: one offer is one incident, however many people press. */
export function alertKey(offer: string): string {
  return `${offer}/declare`;
}

/** Labels that an incident gets from its alerts, at most. */
const mostLabels = 10;

/** What a declaration takes from the offer of alerts that it is about, where its author set nothing else; nothing without an offer. */
export async function withAlerts(deps: Pick<IncidentDeps, 'alerts' | 'settings'>, wish: DeclarationWish) {
  const offered = wish.alert === '' ? undefined : await deps.alerts.read(wish.alert);
  if (offered === undefined) return {};
  const { labels, link, caption, startedAt } = fromAlerts(offered, deps.settings);
  return {
    evidence: toEvidence(offered, deps.settings),
    ...(wish.labels.length === 0 ? { labels: [...labels] } : {}),
    ...(wish.attachURL === '' ? { attachURL: link, attachCaption: caption } : {}),
    ...(wish.startedAt === '' ? { startedAt } : {}),
  };
}

/** The words of a declaration from an offer's alerts. */
export function fromAlerts({ offer, alerts }: Offered, settings: IncidentDeps['settings']) {
  const [first] = alerts;
  const names = settings.alertLabels.get(offer.source) ?? [];
  const labels = alerts.flatMap(({ told }) =>
    names.flatMap(name => (told.labels[name] ? [cap(`${name}:${told.labels[name]}`, maxLabel)] : [])),
  );
  const link = first?.told.links.find(each => each.what !== 'silence' && each.what !== 'runbook');
  return {
    title: alertsTitle(alerts),
    severity: gravest(alerts, settings),
    labels: [...new Set(labels)].slice(0, mostLabels),
    summary: alerts.length === 1 ? (first?.told.summary ?? '') : '',
    link: link?.url ?? '',
    caption: link ? `${link.what.charAt(0).toUpperCase()}${link.what.slice(1)} of the alert` : '',
    startedAt: first?.told.startedAt ?? '',
  };
}
