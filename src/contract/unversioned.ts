import { z } from 'zod';
import { defineMethod } from './define.ts';
import {
  choice,
  count,
  list,
  means,
  orderDirections,
  requiredText,
  response,
  text,
  time,
  wholeNumber,
} from './fields.ts';

/** A severity that incidents can have; 1 is the highest, -1 is not yet known. */
const OrgSeverity = z.object({
  severityID: means(text(), 'The id of the severity, `severity-<label>`.'),
  orgID: means(text(), 'The organisation it belongs to: `1`.'),
  displayLabel: means(text(), 'Its label, as incidents carry it.'),
  level: means(count(), 'How bad it is: 1 is the gravest, -1 is not yet known.'),
});

/** Something that was attached to an incident: an address, or a group of alerts. */
const IncidentContext = z.object({
  contextID: means(text(), 'The id of what was attached.'),
  incidentID: means(text(), 'The number of the incident, in digits.'),
  createdTime: means(time(), 'When it was attached.'),
  modifiedTime: means(time(), 'When it last changed.'),
  title: means(text(), 'Its caption, or the address.'),
  description: means(text(), 'Always empty here.'),
  type: means(text(), '`genericURL`, or `alertGroup` for a group of alerts.'),
  payload: means(text(), 'What was attached, as JSON in a text.'),
  status: means(text(), 'Always `active`.'),
  alertGroupID: means(z.string().nullable(), 'The id of the group of alerts; null for an address.'),
});
/** Something that was attached to an incident. */
export type IncidentContext = z.output<typeof IncidentContext>;

/**
 * Services that the vendor's command line and OnCall call, and that no document describes. Grafana answers them below the base path
 * without a version alone, so the client has none of them (docs/api-rules.md A1, Base path).
 */
export const unversioned = {
  IncidentContextService: {
    QueryIncidentContext: defineMethod({
      summary: 'List what was attached to an incident, newest first.',
      effect: 'read',
      access: 'Viewer',
      input: z.object({
        query: means(
          z.object({
            incidentID: means(requiredText(), 'The number of the incident, in digits.'),
            limit: means(wholeNumber(), 'The most of them: 0 means 100, the most is 1000.'),
            status: means(text(), 'Only what has this status. Empty: any.'),
            type: means(text(), 'Only what has this type. Empty: any.'),
            alertGroupID: means(text(), 'Only this group of alerts. Empty: any.'),
            orderField: means(choice(['createdTime']), '`createdTime`, which is also meant when it is empty.'),
            orderDirection: means(choice(orderDirections), 'Rising or falling; empty means `DESC`.'),
          }),
          'What to list.',
        ),
      }),
      output: response({ incidentContexts: means(list(IncidentContext), 'What was attached, newest first.') }),
      errors: ['not_found'],
    }),
  },
  IntegrationService: {
    GetHookRuns: defineMethod({
      summary: 'List the hooks that integrations ran for an incident.',
      effect: 'read',
      access: 'Viewer',
      input: z.object({ incidentID: means(requiredText(), 'The number of the incident, in digits.') }),
      output: response({
        hookRuns: means(
          list(z.object({ hookID: means(text(), 'The id of the hook.') })),
          'Always empty: this service has no integrations.',
        ),
      }),
      errors: ['not_found'],
    }),
  },
  SeveritiesService: {
    GetOrgSeverities: defineMethod({
      summary: 'List the severities that incidents can have.',
      effect: 'read',
      access: 'Viewer',
      input: z.object({}),
      output: response({ severities: means(list(OrgSeverity), 'The severities in the order of the setting.') }),
      errors: [],
    }),
  },
} as const;
