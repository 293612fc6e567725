import { toEvidence } from '../../alerts/evidence.ts';
import { originOf, submitForAlert } from '../../alerts/submit.ts';
import { OnOffer, readWaitingOffer } from '../../dispatch/answers/waiting-offer.ts';
import { defineButton } from '../../dispatch/feature/feature.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { submitAlone } from '../../incident/acts/submit-alone.ts';
import { summarySources } from '../../incident/notes/summary.ts';
import { makeRoom } from '../../incident/room/make.ts';
import type { Offered } from '../../incident/state/alert-store.ts';
import { provisionalID } from '../../journal/provisional-id.ts';
import type { Declaration } from './declaration.ts';
import { form } from './form.ts';
import { declareIncident } from './intents.ts';
import { alertKey, fromAlerts } from './of-alert.ts';
import { roomSubmission } from './room-of.ts';

/** Opens the form, filled with the alerts of an offer. */
export const declareAlertButton = defineButton({
  id: 'alert.declare',
  label: 'Declare',
  style: 'primary',
  value: OnOffer,
  run: async (ctx, { value: { offer } }) => {
    const offered = await readWaitingOffer(ctx, offer);
    if (!offered) return;
    const { title, severity, summary } = fromAlerts(offered, ctx.deps.settings);
    const filled = { title, severity, summary };
    await ctx.openForm(form, { notice: '', more: false, alert: offer }, filled);
  },
});

/** Declares the incident of an offer in the name of its source, once. While the API is down its room is made. */
export async function declareForAlert(deps: IncidentDeps, offered: Offered): Promise<void> {
  const { settings, slack } = deps;
  const { teamId } = slack.identity;
  const { offer } = offered;
  const { title, severity, labels, summary, link, caption, startedAt } = fromAlerts(offered, settings);
  const now = new Date(offer.begun_at).toISOString();
  const note = { incidentID: '', eventTime: now, saidBy: '', addedBy: '', permalink: '' };
  const wish: Declaration = {
    ...{ title, severity, labels: [...labels], isDrill: false, isResolved: false, startedAt, endedAt: '' },
    ...{ attachURL: link, attachCaption: caption, takeCommand: false, makeChannel: true, isPrivate: false },
    ...{ roomPrefix: settings.channelPrefix, commanderID: '', declaredBy: '', declarerName: offer.source },
    ...{ declaredAt: now, teamId, workspaceId: '', channelId: '', alert: offer.id },
    ...(summary === '' ? {} : { summary: { ...note, text: summary, source: summarySources.declared } }),
    evidence: toEvidence(offered, settings),
  };
  const asked = { offered, key: alertKey(offer.id), subject: '' };
  const outcome = await submitForAlert(deps, declareIncident, wish, asked);
  if (outcome.state !== 'queued') return;
  // People meet there while the declaration waits for the API.
  const room = roomSubmission(wish, outcome.id, provisionalID(outcome.id));
  await submitAlone(deps, makeRoom, { ...room, ...originOf(offered) });
}
