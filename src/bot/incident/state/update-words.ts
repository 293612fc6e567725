import { toMrkdwn } from '../../text/blocks.ts';
import { toSlackAge } from '../../text/shown-times.ts';
import { incidentSigns } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';
import { toLines } from '../../text/words.ts';
import type { Lead, Update } from './update-store.ts';

/** Most characters of the lead on a card. */
const maxShown = 700;

/** The lead of an incident (mrkdwn). An update says its age and its author; `""` for none. */
export function leadLine(lead: Lead | undefined): string {
  if (!lead) return '';
  const { kind, text, by, at } = lead;
  const words = toMrkdwn(toLines(text), maxShown);
  return kind === 'update' && at
    ? `${incidentSigns.update} *Latest update* ${toSlackAge(at)}${by === '' ? '' : `, by ${by}`}: ${words}`
    : words;
}

/** When the next update is due, or was; `""` when none was promised. */
export function nextLine({ nextAt, isOverdue }: Pick<Update, 'nextAt' | 'isOverdue'>): string {
  if (!nextAt) return '';
  const when = toSlackDate(nextAt, 'time');
  return isOverdue ? `was due at ${when}: post one with \`/incident update\`` : `due at ${when}`;
}
