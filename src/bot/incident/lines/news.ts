import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, severitySign, signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { toLines, toOneLine } from '../../text/words.ts';
import { drillWords } from '../state/state-words.ts';
import type { UpdateChange } from '../state/update-store.ts';
import { nextLine } from '../state/update-words.ts';
import type { StoredFields } from './own-change.ts';

/** The incident as its news name it. */
type Named = Pick<StoredFields, 'title' | 'status' | 'isDrill' | 'labels'> & { readonly incidentID: string };

/** The end of an incident: how long it lasted, and what ended it (plain text, `""` when nobody said it). */
interface End {
  readonly durationSeconds: number;
  readonly summary: string;
}

/** The end of an incident as the API shows it: its own summary comes before the words of the person who resolved it. */
export function toEnd({ durationSeconds, summary }: Incident, said: string): End {
  return { durationSeconds, summary: summary || said };
}

/** A change between two states of an incident, for people outside its room. */
interface Change {
  readonly before: Pick<StoredFields, 'status' | 'severity' | 'isDrill' | 'labels'>;
  readonly after: Named & Pick<StoredFields, 'severity'>;
  /** The end that it has now; absent when that is not known. */
  readonly end?: End | undefined;
  /** The severities of the team, from mild to grave. */
  readonly severities: readonly string[];
  /** The room as a mention; `""` for none. */
  readonly room: string;
}

/**
 * What the readers of an announcement hear of a change, each a line of mrkdwn: that the incident is open again, that it got worse or
 * better, that it is over, that it was declared by mistake. The first severity means that nobody knew it, so no one hears that it is
 * unknown again.
 */
export function newsLines({ before, after, end, severities, room }: Change): readonly string[] {
  const name = nameOf(after);
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

/** What they hear of an update that `by` gave (mrkdwn). */
export function updateNews(
  update: Extract<UpdateChange, { kind: 'given' }>,
  named: Named,
  by: string,
  { severities }: { readonly severities: readonly string[] },
): string {
  const next = nextLine({ nextAt: update.nextAt, isOverdue: false });
  const promise = next === '' ? '' : `, next update ${next}`;
  const { severity = '' } = update;
  const now = severity === '' ? '' : ` is now ${severitySign(severities, severity)} *${toMrkdwn(severity, 60)}*`;
  return `${incidentSigns.update} ${nameOf(named)}${now}: ${toMrkdwn(toLines(update.text), 1500)} – ${by}${promise}`;
}

function nameOf(named: Named): string {
  const { incidentID, title } = named;
  const drill = drillWords(named, `${incidentSigns.drill} Drill `);
  return `${drill}*${`#${toMrkdwn(incidentID, 40)} ${toMrkdwn(toOneLine(title), 100)}`.trim()}*`;
}
