import type { Incident } from '../../../contract/incidents.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, severitySign } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import type { DeclaredIncident } from './declared-incident.ts';
import type { IncidentSummary } from './snapshots.ts';

/** What of an incident tells its state. */
export type Stateful = Pick<
  IncidentSummary,
  'status' | 'severityLabel' | 'incidentStart' | 'incidentEnd' | 'createdTime'
>;

/** Severity and state of an incident in plain words: `🟠 major · active for 28 min`. */
export function stateWords(incident: Stateful, severities: readonly string[], now: Date): string {
  const { status, severityLabel } = incident;
  return status === 'resolved'
    ? `${incidentSigns.resolved} resolved ${howLong(incident, now)} · ${severityLabel}`
    : `${severityWord(severityLabel, severities)} · ${status || 'active'} ${howLong(incident, now)}`.trim();
}

/** How long it has been active, or since when it is over, in plain words: `for 28 min`, `2 h ago, after 15 min`. */
export function howLong({ status, incidentStart, incidentEnd, createdTime }: Stateful, now: Date): string {
  const [start, end] = [Date.parse(incidentStart || createdTime), Date.parse(incidentEnd)];
  const between = (from: number, to: number) => (Number.isNaN(to - from) ? '' : formatDuration((to - from) / 1000));
  if (status !== 'resolved') return Number.isNaN(start) ? '' : `for ${between(start, now.getTime())}`;
  const [ago, took] = [between(end, now.getTime()), between(start, end)];
  return [ago && `${ago} ago`, took && `after ${took}`].filter(part => part !== '').join(', ');
}

/** A severity's sign and word. */
export function severityWord(severity: string, severities: readonly string[]): string {
  return `${severitySign(severities, severity)} ${severity}`.trim();
}

/** The same for an incident that the API does not know yet: `⏳ not registered yet · major · declared 3 min ago`. */
export function unregisteredState({ severity, declaredAt }: DeclaredIncident, now: Date): string {
  const age = formatDuration((now.getTime() - Date.parse(declaredAt)) / 1000);
  return `${incidentSigns.waiting} not registered yet · ${severity} · declared ${age} ago`;
}

/** Sign and word for an incident's status. An unknown status is shown as the API names it. */
export function standing({ status, isDrill }: Pick<Incident, 'status' | 'isDrill'>): string {
  const word =
    status === 'resolved'
      ? `${incidentSigns.resolved} Resolved`
      : status === '' || status === 'active'
        ? 'Active'
        : toMrkdwn(status, 40);
  return isDrill ? `${word} · ${incidentSigns.drill} Drill` : word;
}
