import { toMrkdwn } from '../../text/blocks.ts';
import { toSlackAge } from '../../text/shown-times.ts';
import { incidentSigns } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';
import { toLines } from '../../text/words.ts';
import type { Said, Update } from './update-store.ts';

/** Most characters of an update where others stand beside it. */
const maxShown = 700;

/** What stands first of an incident (mrkdwn). An update says how old it is and who gave it; `""` for nothing. */
export function leadLine(lead: Said | undefined): string {
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
