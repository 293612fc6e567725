import { isMistake, type MaybeMistake } from '../../../contract/mistakes.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, severitySign, signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import type { DeclaredIncident } from './declared-incident.ts';
import type { IncidentSummary } from './snapshots.ts';

/** The name for the state of an incident that was declared by mistake. */
export const mistakeName = 'Declared by mistake';
/** That name behind its sign. */
export const mistakeWords = `${signs.undone} ${mistakeName}`;

/** Severity and state of an incident in plain words: `🟠 major · active for 28 min`. */
export function stateWords(incident: IncidentSummary, severities: readonly string[], now: Date): string {
  const { status, severityLabel } = incident;
  if (isMistake(incident)) return `${mistakeWords} ${howLong(incident, now)}`.trim();
  return status === 'resolved'
    ? `${incidentSigns.resolved} resolved ${howLong(incident, now)} · ${severityLabel}`
    : `${severityWord(severityLabel, severities)} · ${status || 'active'} ${howLong(incident, now)}`.trim();
}

/**
 * How long it has been active, or since when it is over, in plain words: `for 28 min`, `2 h ago, after 15 min`. A mistake did not last.
 */
export function howLong(incident: IncidentSummary, now: Date): string {
  const { status, incidentStart, incidentEnd, createdTime } = incident;
  const [start, end] = [Date.parse(incidentStart || createdTime), Date.parse(incidentEnd)];
  const between = (from: number, to: number) => (Number.isNaN(to - from) ? '' : formatDuration((to - from) / 1000));
  if (status !== 'resolved') return Number.isNaN(start) ? '' : `for ${between(start, now.getTime())}`;
  const [ago, took] = [between(end, now.getTime()), between(start, end)];
  return [ago && `${ago} ago`, took && !isMistake(incident) && `after ${took}`].filter(part => part).join(', ');
}

/** A severity's sign and word. */
export function severityWord(severity: string, severities: readonly string[]): string {
  return `${severitySign(severities, severity)} ${severity}`.trim();
}

/** The state of an incident that the API does not know yet: `⏳ not registered yet · major · declared 3 min ago`. */
export function unregisteredState({ severity, declaredAt }: DeclaredIncident, now: Date): string {
  const age = formatDuration((now.getTime() - Date.parse(declaredAt)) / 1000);
  return `${incidentSigns.waiting} not registered yet · ${severity} · declared ${age} ago`;
}

/** Sign and word for an incident's status, and for a drill. An unknown status is shown as the API names it. */
export function standing(incident: MaybeMistake): string {
  const { status } = incident;
  if (isMistake(incident)) return mistakeWords;
  const word =
    status === 'resolved'
      ? `${incidentSigns.resolved} Resolved`
      : status === '' || status === 'active'
        ? 'Active'
        : toMrkdwn(status, 40);
  return `${word}${drillWords(incident, ` · ${incidentSigns.drill} Drill`)}`;
}

/** The `words` for a drill; `""` for a real incident, and for one that was declared by mistake. */
export function drillWords(incident: MaybeMistake, words: string): string {
  return incident.isDrill && !isMistake(incident) ? words : '';
}
