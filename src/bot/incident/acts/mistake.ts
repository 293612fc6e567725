import type { Incident } from '../../../contract/incidents.ts';
import { isMistake, isMistakeLabel, mistakeLabel } from '../../../contract/mistakes.ts';
import { signs } from '../../text/signs.ts';
import { headlined } from '../lines/headline.ts';
import type { OwnChange } from '../lines/known-state.ts';
import { mistakeName } from '../state/state-words.ts';
import type { IntentContext } from './intent-kind.ts';

/** Items of the timeline among which the mark as a drill is looked for. */
const maxItems = 50;

/**
 * Makes an incident one that was declared by mistake (`contract/mistakes.ts`), and returns it. Safe to call again: each part is set where
 * it is missing. The label comes first, since {@link clearMistake} tells by it who set the drill.
 */
export async function markMistake({ api, call }: IntentContext, { incidentID, status, isDrill, labels }: Incident) {
  const label = { label: mistakeLabel };
  if (!labels.some(isMistakeLabel)) await api.IncidentsService.AddLabel({ incidentID, label }, call);
  if (!isDrill) await api.IncidentsService.UpdateIncidentIsDrill({ incidentID, isDrill: true }, call);
  if (status !== 'resolved') await api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' }, call);
  return (await api.IncidentsService.GetIncident({ incidentID }, call)).incident;
}

/**
 * Takes that back, apart from the status: the mark as a drill, unless it was one before, and the label. True when there was something to
 * take back. Safe to call again: the label goes last.
 */
export async function clearMistake(calls: IntentContext, { incidentID, isDrill, labels }: Incident): Promise<boolean> {
  const { api, call } = calls;
  if (!labels.some(isMistakeLabel)) return false;
  if (isDrill && (await isDrillByMistake(calls, incidentID)))
    await api.IncidentsService.UpdateIncidentIsDrill({ incidentID, isDrill: false }, call);
  await api.IncidentsService.RemoveLabel({ incidentID, label: mistakeLabel }, call);
  return true;
}

/** Whether the mark as a drill came after the label. A Grafana names no fields of some items: then any label counts. */
async function isDrillByMistake({ api, call }: IntentContext, incidentID: string): Promise<boolean> {
  const activityKind = ['incidentIsDrillChanged' as const, 'labelAdded' as const];
  const query = { incidentID, activityKind, orderDirection: 'DESC' as const, limit: maxItems };
  const { activityItems } = await api.ActivityService.QueryActivity({ query }, call);
  const last = activityItems.find(
    ({ activityKind: kind, fieldValues: { label } }) =>
      kind === 'incidentIsDrillChanged' || typeof label !== 'string' || label === mistakeLabel,
  );
  return last?.activityKind === 'incidentIsDrillChanged';
}

/** The facts that marking an incident as a mistake sets, or taking that back; `why` are a person's words, `""` for none. */
export function leftOfMistake(incident: Incident, why: string): OwnChange {
  const { isDrill, labels, durationSeconds } = incident;
  return {
    ...{ isDrill, label: { name: mistakeLabel, isThere: labels.some(isMistakeLabel) } },
    ...(isMistake(incident) ? { end: { durationSeconds, summary: why } } : {}),
  };
}

/** The line in the incident's room; `why` is mrkdwn, `""` for none. */
export function mistakeLine(by: string, why: string): string {
  return headlined({
    sign: signs.undone,
    what: mistakeName,
    by: `${by} · \`/incident reopen\` opens it again`,
    said: why,
  });
}
