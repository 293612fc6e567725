import { z } from 'zod';
import {
  choice,
  count,
  flag,
  ifSet,
  list,
  means,
  open,
  orderDirections,
  requestList,
  text,
  time,
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
  limit: means(wholeNumber(), 'The most incidents of a page: 0 means 100, the most is 1000.'),
  orderDirection: means(choice(orderDirections), 'Rising or falling; empty means `DESC`.'),
  orderField: means(
    choice(orderFields),
    'What the list is ordered by; empty means `createdTime`. Equal ones stand by number.',
  ),
  queryString: means(text(), 'What the incidents must be like, see Query language. Empty: all incidents.'),
  incidentTypes: means(types(), 'Only incidents of these types; empty means all. It holds beside `queryString`.'),
  severity: inQueryString(),
  onlyDrills: inQueryString(),
  includeStatuses: inQueryString(),
  excludeStatuses: inQueryString(),
  incidentLabels: inQueryString(),
  dateFrom: inQueryString(),
  dateTo: inQueryString(),
});
means(IncidentPreviewsQuery, 'Which incidents to list, and in which order.');
export type IncidentPreviewsQuery = z.output<typeof IncidentPreviewsQuery>;

/** Which incidents to list, the deprecated way. A `queryString` that is not empty replaces the other filters. */
export const IncidentsQuery = z.object({
  limit: means(wholeNumber(), 'The most incidents of a page: 0 means 100, the most is 1000.'),
  orderDirection: means(choice(orderDirections), 'Rising or falling; empty means `DESC`.'),
  queryString: means(
    text(),
    'What the incidents must be like, see Query language. When it is not empty, the filters below are not looked at, but for `incidentTypes`.',
  ),
  severity: means(text(), 'Only incidents of this severity, whatever the case of its label. Empty: of any.'),
  onlyDrills: means(flag(), 'Whether only drills are listed.'),
  includeStatuses: means(requestList(z.string()), 'Only incidents in one of these states; empty means any.'),
  excludeStatuses: means(requestList(z.string()), 'No incident in one of these states.'),
  incidentLabels: means(requestList(z.string()), 'Only incidents with one of these labels; empty means any.'),
  dateFrom: means(time(), 'Only incidents declared at this time or later. Empty: from the beginning.'),
  dateTo: means(time(), 'Only incidents declared before this time. Empty: until now.'),
  incidentTypes: means(types(), 'Only incidents of these types; empty means all. It holds beside `queryString`.'),
  orderField: means(ifSet(choice(['createdTime'])), '`createdTime`, which is also meant when it is empty.'),
});
means(IncidentsQuery, 'Which incidents to list, the deprecated way.');
export type IncidentsQuery = z.output<typeof IncidentsQuery>;

/** The query of previews as the service understood it. */
export const EchoedPreviewsQuery = z.object({
  limit: means(count(), 'The limit that took effect.'),
  orderDirection: means(open(orderDirections), 'The order that took effect.'),
  orderField: means(open(orderFields), 'What the list is ordered by.'),
  queryString: means(text(), 'The text of the query as it came.'),
  incidentTypes: means(echoedTypes(), 'The types that were asked for.'),
});
means(EchoedPreviewsQuery, 'The query as the service understood it.');

/** The deprecated query as the service understood it. */
export const EchoedIncidentsQuery = z.object({
  limit: means(count(), 'The limit that took effect.'),
  orderDirection: means(open(orderDirections), 'The order that took effect.'),
  queryString: means(text(), 'The text of the query as it came.'),
  severity: means(text(), 'The severity that was asked for.'),
  onlyDrills: means(flag(), 'Whether only drills were asked for.'),
  includeStatuses: means(list(text()), 'The states that were asked for.'),
  excludeStatuses: means(list(text()), 'The states that were left out.'),
  incidentLabels: means(list(text()), 'The labels that were asked for.'),
  dateFrom: means(time(), 'The first time that was asked for.'),
  dateTo: means(time(), 'The last time that was asked for.'),
  incidentTypes: means(echoedTypes(), 'The types that were asked for.'),
});
means(EchoedIncidentsQuery, 'The query as the service understood it.');
