import type { Implementation } from '../../contract/define.ts';
import type { IncidentContext, unversioned } from '../../contract/unversioned.ts';
import type { Context } from '../call/context.ts';
import { toSeverityID } from '../store/incident-objects.ts';
import type { ActivityRow } from '../store/tables.ts';
import { formatTime } from '../store/time.ts';
import { toLimit } from './cursor.ts';
import { findIncident } from './find.ts';

type Answers<S extends keyof typeof unversioned> = Implementation<(typeof unversioned)[S], Context>;

/** The severities of the setting, with the ids that previews have (docs/api-rules.md A2). */
export const severities: Answers<'SeveritiesService'> = {
  GetOrgSeverities: ({ options: { severities: all, orgID } }) => ({
    severities: all.map(({ label, level }) => ({ severityID: toSeverityID(label), orgID, displayLabel: label, level })),
    error: '',
  }),
};

/** What was attached to an incident: its contextAttached items (docs/api-rules.md A5). */
export const contexts: Answers<'IncidentContextService'> = {
  async QueryIncidentContext(context, { query }) {
    const incident = await findIncident(context, query.incidentID);
    const order = query.orderDirection === 'ASC' ? 'asc' : 'desc';
    const rows = await context.db
      .selectFrom('activity')
      .selectAll()
      .where('incident_id', '=', incident.id)
      .where('kind', '=', 'contextAttached')
      .orderBy('created_at', order)
      .orderBy('seq', order)
      .execute();
    const found = rows
      .map(toContext)
      .filter(each => [each.status, ''].includes(query.status) && [each.type, ''].includes(query.type))
      .filter(each => [each.alertGroupID, ''].includes(query.alertGroupID));
    return { incidentContexts: found.slice(0, toLimit(query.limit)), error: '' };
  },
};

/** The service has no integrations, so nothing ran. */
export const integrations: Answers<'IntegrationService'> = {
  async GetHookRuns(context, { incidentID }) {
    await findIncident(context, incidentID);
    return { hookRuns: [], error: '' };
  },
};

function toContext(row: ActivityRow): IncidentContext {
  const { alertGroupID } = JSON.parse(row.field_values) as { readonly alertGroupID?: unknown };
  const time = formatTime(row.created_at);
  return {
    contextID: row.id,
    incidentID: String(row.incident_id),
    createdTime: time,
    modifiedTime: time,
    title: row.body,
    description: '',
    type: row.url === '' ? 'alertGroup' : 'genericURL',
    payload: row.url,
    status: 'active',
    alertGroupID: typeof alertGroupID === 'string' ? alertGroupID : null,
  };
}
