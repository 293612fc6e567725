import type { Incident, IncidentPreview } from '../../../contract/incidents.ts';
import type { IntentContext } from '../../incident/acts/intent-kind.ts';
import { apiClockSkew } from '../../incident/api/clock.ts';
import { secondsAfter } from '../../text/times.ts';
import type { Declaration } from './declaration.ts';

/** Newest incidents searched for one whose answer was lost. */
const maxSearched = 100;

/**
 * The incident of an earlier attempt whose answer was lost: declared with that title since it was asked for, and not registered for
 * another declaration. Of several, the oldest of that severity is preferred. One that was renamed since is looked for where none has
 * the title. Throws the RpcError.
 */
export async function findDeclared(
  { api, call, askedAt }: Pick<IntentContext, 'api' | 'call' | 'askedAt'>,
  wish: Pick<Declaration, 'title' | 'severity'>,
  isRegistered: (incidentID: string) => Promise<boolean>,
): Promise<{ readonly incident: Incident } | undefined> {
  const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews(
    { query: { limit: maxSearched, orderField: 'createdTime', orderDirection: 'DESC' } },
    call,
  );
  const since = secondsAfter(askedAt, -apiClockSkew);
  const strays = ({ title, severityLabel }: IncidentPreview) =>
    (title === wish.title ? 0 : 2) + (severityLabel === wish.severity ? 0 : 1);
  const oldestFirst = incidentPreviews.filter(each => new Date(each.createdTime) >= since).reverse();
  for (const { incidentID, title } of oldestFirst.sort((one, other) => strays(one) - strays(other))) {
    if (await isRegistered(incidentID)) continue;
    if (title !== wish.title && (await firstTitle({ api, call }, incidentID)) !== wish.title) continue;
    return await api.IncidentsService.GetIncident({ incidentID }, call);
  }
  return undefined;
}

/** The title with which an incident was declared, as its timeline keeps it (docs/api-rules.md A4). */
async function firstTitle({ api, call }: Pick<IntentContext, 'api' | 'call'>, incidentID: string): Promise<unknown> {
  const query = { incidentID, activityKind: ['incidentCreated' as const], orderDirection: 'ASC' as const, limit: 1 };
  const { activityItems } = await api.ActivityService.QueryActivity({ query }, call);
  return activityItems[0]?.fieldValues.title;
}
