import type { Incident } from '../../../contract/incidents.ts';
import { isMistake, type MaybeMistake } from '../../../contract/mistakes.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, severitySign, signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { toLines, toOneLine } from '../../text/words.ts';
import type { Settings } from '../state/settings.ts';
import { drillWords } from '../state/state-words.ts';
import { nextLine, type UpdateChange } from '../state/update-store.ts';
import type { IncidentState } from './known-state.ts';

/** The end of an incident: how long it lasted, and the words about it (plain text, `""` for none). */
interface End {
  readonly durationSeconds: number;
  readonly summary: string;
}

/** The end of an incident as the API shows it: its own summary comes before the words of the person who resolved it. */
export function toEnd({ durationSeconds, summary }: Incident, said: string): End {
  return { durationSeconds, summary: summary || said };
}

/** A change between two states of an incident, for people outside its room. */
interface StateChange {
  readonly incidentID: string;
  readonly before: IncidentState;
  readonly after: IncidentState;
  /** The end that it has now; absent when that is not known. */
  readonly end?: End | undefined;
  /** The severities of the team, from mild to grave. */
  readonly severities: readonly string[];
  /** The room as a mention; `""` for none. */
  readonly room: string;
}

/**
 * The news of a change for the readers of an announcement, each a line of mrkdwn: the incident is open again, got worse or better, is over,
 * or was declared by mistake. The first severity means “not known”, so it is no news that the severity is unknown again.
 */
export function newsLines({ incidentID, before, after, end, severities, room }: StateChange): readonly string[] {
  const name = nameOf(incidentID, after);
  const where = room === '' ? '' : ` – ${room}`;
  const place = (wanted: string) => severities.findIndex(each => each.toLowerCase() === wanted.toLowerCase());
  const [was, is] = [place(before.severity), place(after.severity)];
  const isOther = was !== is && was >= 0 && is > 0;
  const [wasOver, isOver] = [before.status === 'resolved', after.status === 'resolved'];
  const rated = `${name} went from ${toMrkdwn(before.severity, 60)} to *${toMrkdwn(after.severity, 60)}*${where}`;
  const wasMistake = isMistake(before);
  const lasted = end ? ` after ${formatDuration(end.durationSeconds)}` : '';
  const because = end && end.summary !== '' ? `: ${toMrkdwn(toLines(end.summary), 1500)}` : '';
  if (isMistake(after)) return wasMistake ? [] : [`${signs.undone} ${name} was declared by mistake${because}`];
  return [
    ...(wasOver && !isOver ? [`${incidentSigns.reopened} ${name} is open again${where}`] : []),
    ...(isOther && !isOver ? [`${severitySign(severities, after.severity)} ${rated}`] : []),
    ...(isOver && !wasOver ? [`${incidentSigns.resolved} ${name} resolved${lasted}${because}`] : []),
  ];
}

/** The news of an update that `by` gave (mrkdwn), for the readers of an announcement. */
export function updateNews(
  update: Extract<UpdateChange, { kind: 'given' }>,
  incidentID: string,
  incident: NamedState,
  by: string,
  { severities }: Settings,
): string {
  const next = nextLine({ nextAt: update.nextAt, isOverdue: false });
  const promise = next === '' ? '' : `, next update ${next}`;
  const { severity = '' } = update;
  const now = severity === '' ? '' : ` is now ${severitySign(severities, severity)} *${toMrkdwn(severity, 60)}*`;
  return `${incidentSigns.update} ${nameOf(incidentID, incident)}${now}: ${toMrkdwn(toLines(update.text), 1500)} – ${by}${promise}`;
}

/** The members of an incident's state that its name needs. */
type NamedState = MaybeMistake & { readonly title: string };

function nameOf(incidentID: string, incident: NamedState): string {
  const drill = drillWords(incident, `${incidentSigns.drill} Drill `);
  return `${drill}*${`#${toMrkdwn(incidentID, 40)} ${toMrkdwn(toOneLine(incident.title), 100)}`.trim()}*`;
}
