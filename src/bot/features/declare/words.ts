import type { Incident } from '../../../contract/incidents.ts';
import { bothTimes } from '../../incident/acts/event-times.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import type { Declaration } from './declaration.ts';

/** The moments that were declared, as sentences of mrkdwn behind another one. */
export function timesWords({ startedAt, endedAt }: Declaration): string {
  const times = [
    ...(startedAt ? [` It began at ${bothTimes(new Date(startedAt))}.`] : []),
    ...(endedAt ? [` It ended at ${bothTimes(new Date(endedAt))}.`] : []),
  ];
  return times.join('');
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
