import type { AlertActs } from '../../alerts/owed.ts';
import { submitForAlert } from '../../alerts/submit.ts';
import { type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { resolveFace } from '../../dispatch/surfaces/card-buttons.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import type { Offered } from '../../incident/state/alert-store.ts';
import { setStatus } from './intents.ts';
import { reopenButton } from './reopen.ts';

/** The end and the return of an incident with its alerts, where the team wants them without a person. */
export const statusActs: Pick<AlertActs, 'resolve' | 'reopen'> = {
  resolve: (deps, offered) => change(deps, offered, 'resolved'),
  reopen: (deps, offered) => change(deps, offered, 'active'),
};

async function change(deps: IncidentDeps, offered: Offered, status: 'resolved' | 'active'): Promise<void> {
  const { offer, alerts } = offered;
  // An alert that ends and fires again changes the status each time.
  const since = Math.max(...alerts.map(each => Math.max(each.first_at, each.ended_at)));
  const summary = status === 'resolved' ? 'The alert ended.' : 'The alert fires again.';
  const payload = { incidentID: offer.incident_id, status, summary, mentions: [] };
  const key = `${offer.id}/${status}/${since}`;
  await submitForAlert(deps, setStatus, payload, { offered, key, subject: offer.incident_id });
}

/** The button of a line about an alert. */
export const lineButtons: NonNullable<Feature['onLine']> = (offers, incidentID) => {
  if (offers === 'resolve') return [pressable(resolveFace, { incidentID })];
  return offers === 'reopen' ? [pressable(reopenButton, { incidentID })] : [];
};
