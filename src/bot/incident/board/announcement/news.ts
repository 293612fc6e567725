import type { Incident } from '../../../../contract/incidents.ts';
import { toMrkdwn } from '../../../text/blocks.ts';
import { incidentSigns, severitySign } from '../../../text/signs.ts';
import { formatDuration } from '../../../text/times.ts';
import { toOneLine } from '../../../text/words.ts';
import type { Update } from '../../state/update-store.ts';
import { nextLine } from '../../state/update-words.ts';

/** What the readers of an announcement know of an incident. */
export interface KnownState {
  readonly status: string;
  readonly severity: string;
}

/** An incident as it is now, for its news. */
export interface NewsInput {
  readonly incident: Incident;
  /** The severities of the team, from mild to grave. */
  readonly severities: readonly string[];
  /** Updates that the readers do not know, oldest first. */
  readonly updates: readonly Update[];
  /** What ended it, as its summary says; `""` when nobody said it. */
  readonly summary: string;
  /** The room as a mention; `""` for none. */
  readonly room: string;
}

/** Whether an incident was resolved since its readers heard of it. */
export function isNewlyResolved(before: KnownState, incident: Incident): boolean {
  return before.status !== 'resolved' && incident.status === 'resolved';
}

/**
 * What the readers of the announcement hear, each a line of mrkdwn: that it is open again, that it got worse, each update, that it is
 * over. That it got less bad is not worth a message.
 */
export function newsLines(before: KnownState, facts: NewsInput): readonly string[] {
  const { incident, updates, summary } = facts;
  const { status, durationSeconds } = incident;
  const title = toMrkdwn(toOneLine(incident.title), 100);
  const name = `${incident.isDrill ? `${incidentSigns.drill} Drill ` : ''}*#${toMrkdwn(incident.incidentID, 40)} ${title}*`;
  const room = facts.room === '' ? '' : ` – ${facts.room}`;
  const because = summary === '' ? '' : `: ${toMrkdwn(toOneLine(summary), 1500)}`;
  return [
    ...(before.status === 'resolved' && status !== 'resolved'
      ? [`${incidentSigns.reopened} ${name} is open again${room}`]
      : []),
    ...raiseLine(before, facts, name, room),
    ...updates.map(each => updateNews(each, name)),
    ...(isNewlyResolved(before, incident)
      ? [`${incidentSigns.resolved} ${name} resolved after ${formatDuration(durationSeconds)}${because}`]
      : []),
  ];
}

function raiseLine(
  before: KnownState,
  { incident: { severity, status }, severities }: NewsInput,
  name: string,
  room: string,
): readonly string[] {
  const place = (wanted: string) => severities.findIndex(each => each.toLowerCase() === wanted.toLowerCase());
  const isWorse = place(severity) > place(before.severity) && place(before.severity) >= 0;
  if (!isWorse || status === 'resolved') return [];
  const sign = severitySign(severities, severity);
  return [`${sign} ${name} went from ${toMrkdwn(before.severity, 60)} to *${toMrkdwn(severity, 60)}*${room}`];
}

function updateNews(update: Update, name: string): string {
  const next = update.isOverdue ? '' : nextLine(update);
  const promise = next === '' ? '' : `, next update ${next}`;
  return `${incidentSigns.update} ${name}: ${toMrkdwn(toOneLine(update.text), 1500)} – ${update.by}${promise}`;
}
