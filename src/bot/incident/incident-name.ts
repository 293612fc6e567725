import { isProvisional } from '../journal/provisional-id.ts';

/** What an incident is called in a sentence, as plain text: one that the API does not know yet has no number. */
export function incidentName(incidentID: string): string {
  return isProvisional(incidentID) ? 'this incident' : `incident ${incidentID}`;
}
