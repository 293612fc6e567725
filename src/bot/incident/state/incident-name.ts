import { isProvisional } from '../../journal/provisional-id.ts';
import { toMrkdwn } from '../../text/blocks.ts';

/** What an incident is called in a sentence, as plain text: one that the API does not know yet has no number. */
export function incidentName(incidentID: string): string {
  return isProvisional(incidentID) ? 'this incident' : `incident ${incidentID}`;
}

/** Its title behind its label, as mrkdwn; `""` where nobody knows it. */
export function titleBehind(title: string): string {
  return title === '' ? '' : ` “${toMrkdwn(title, 150)}”`;
}

/** An incident by its number, as mrkdwn: `incident 7`. */
export function incidentLabel(incidentID: string, word: 'incident' | 'Incident' = 'incident'): string {
  return `${word} ${toMrkdwn(incidentID, 40)}`;
}
