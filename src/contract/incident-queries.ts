import { z } from 'zod';
import {
  choice,
  count,
  flag,
  ifSet,
  list,
  open,
  orderDirections,
  requestList,
  text,
  unkept,
  wholeNumber,
} from './fields.ts';
import { incidentTypes } from './incident-type.ts';

/** What previews can be ordered by; `""` means `createdTime` (docs/api-rules.md A2). */
export const orderFields = [
  'incidentID',
  'createdTime',
  'modifiedTime',
  'title',
  'status',
  'severity',
  'prefix',
  'isDrill',
  'incidentStart',
  'incidentEnd',
  'closedTime',
] as const;

/** Types of incidents, whatever a `queryString` says; none means all of them. */
const types = () => ifSet(requestList(z.enum(incidentTypes, { error: `must be one of ${incidentTypes.join(', ')}` })));
const echoedTypes = () => ifSet(list(open(incidentTypes)));

/** A filter of the deprecated query, which the newer one does not have. */
const inQueryString = () =>
  unkept('is no filter of previews: write it into queryString, such as status:active or severity:major');

/** Which incidents to list; `queryString` in the grammar of docs/api-rules.md A7. */
export const IncidentPreviewsQuery = z.object({
  limit: wholeNumber(),
  orderDirection: choice(orderDirections),
  orderField: choice(orderFields),
  queryString: text(),
  incidentTypes: types(),
  severity: inQueryString(),
  onlyDrills: inQueryString(),
  includeStatuses: inQueryString(),
  excludeStatuses: inQueryString(),
  incidentLabels: inQueryString(),
  dateFrom: inQueryString(),
  dateTo: inQueryString(),
});
/** Which incidents to list. */
export type IncidentPreviewsQuery = z.output<typeof IncidentPreviewsQuery>;

/** Which incidents to list, the deprecated way. A `queryString` that is not empty replaces the other filters. */
export const IncidentsQuery = z.object({
  limit: wholeNumber(),
  orderDirection: choice(orderDirections),
  queryString: text(),
  severity: text(),
  onlyDrills: flag(),
  includeStatuses: requestList(z.string()),
  excludeStatuses: requestList(z.string()),
  incidentLabels: requestList(z.string()),
  dateFrom: text(),
  dateTo: text(),
  incidentTypes: types(),
  orderField: ifSet(choice(['createdTime'])),
});
/** Which incidents to list, the deprecated way. */
export type IncidentsQuery = z.output<typeof IncidentsQuery>;

/** The query of previews as the service understood it. */
export const EchoedPreviewsQuery = z.object({
  limit: count(),
  orderDirection: open(orderDirections),
  orderField: open(orderFields),
  queryString: text(),
  incidentTypes: echoedTypes(),
});

/** The deprecated query as the service understood it. */
export const EchoedIncidentsQuery = z.object({
  limit: count(),
  orderDirection: open(orderDirections),
  queryString: text(),
  severity: text(),
  onlyDrills: flag(),
  includeStatuses: list(text()),
  excludeStatuses: list(text()),
  incidentLabels: list(text()),
  dateFrom: text(),
  dateTo: text(),
  incidentTypes: echoedTypes(),
});
