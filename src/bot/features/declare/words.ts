import type { Incident } from '../../../contract/incidents.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';
import type { Declaration } from './declaration.ts';

/** The moments that were declared, as a sentence of mrkdwn; `""` for none. */
export function timesWords({ startedAt, endedAt }: Pick<Declaration, 'startedAt' | 'endedAt'>): string {
  const times = [
    ...(startedAt ? [`began ${toSlackDate(new Date(startedAt))}`] : []),
    ...(endedAt ? [`ended ${toSlackDate(new Date(endedAt))}`] : []),
  ];
  return times.length === 0 ? '' : `It ${times.join(' and ')}.`;
}

/** Says that an incident has no room, and how people reach it. */
export function noRoom(incidentID: string): string {
  const id = toMrkdwn(incidentID, 40);
  return `It has no channel and is not announced. \`/incident status ${id}\` shows it, \`/note … --incident ${id}\` adds to its timeline.`;
}

/** Says in the channel that the incident is registered. */
export function registeredWords({ incidentID }: Incident, api: string): string {
  return `${signs.done} ${api} answers again. This is ${incidentLabel(incidentID)} now.`;
}
