import { z } from 'zod';
import { defineMethod } from './define.ts';
import { choice, count, list, orderDirections, requiredText, response, text, wholeNumber } from './fields.ts';

/** A severity that incidents can have; 1 is the gravest, -1 is not yet known. */
const OrgSeverity = z.object({ severityID: text(), orgID: text(), displayLabel: text(), level: count() });

/** Something that was attached to an incident: an address, or a group of alerts. */
const IncidentContext = z.object({
  contextID: text(),
  incidentID: text(),
  createdTime: text(),
  modifiedTime: text(),
  title: text(),
  description: text(),
  type: text(),
  payload: text(),
  status: text(),
  alertGroupID: z.string().nullable(),
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
        query: z.object({
          incidentID: requiredText(),
          limit: wholeNumber(),
          status: text(),
          type: text(),
          alertGroupID: text(),
          orderField: choice(['createdTime']),
          orderDirection: choice(orderDirections),
        }),
      }),
      output: response({ incidentContexts: list(IncidentContext) }),
      errors: ['not_found'],
    }),
  },
  IntegrationService: {
    GetHookRuns: defineMethod({
      summary: 'List the hooks that integrations ran for an incident.',
      effect: 'read',
      access: 'Viewer',
      input: z.object({ incidentID: requiredText() }),
      output: response({ hookRuns: list(z.object({ hookID: text() })) }),
      errors: ['not_found'],
    }),
  },
  SeveritiesService: {
    GetOrgSeverities: defineMethod({
      summary: 'List the severities that incidents can have.',
      effect: 'read',
      access: 'Viewer',
      input: z.object({}),
      output: response({ severities: list(OrgSeverity) }),
      errors: [],
    }),
  },
} as const;
