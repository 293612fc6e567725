import { toMrkdwn } from '../../text/blocks.ts';
import { toSlackAge, toSlackMoment } from '../../text/shown-times.ts';
import { toLines } from '../../text/words.ts';
import type { Update } from './update-store.ts';

/** Most characters of an update where others stand beside it. */
const maxShown = 700;

/** The last update: when and how long ago, by whom, what (mrkdwn). */
export function updateLine({ text, by, at }: Update): string {
  return `${toSlackMoment(at)}, ${toSlackAge(at)}, by ${by}: ${toMrkdwn(toLines(text), maxShown)}`;
}

/** When the next update is due, or was; `""` when none was promised. */
export function nextLine({ nextAt, isOverdue }: Pick<Update, 'nextAt' | 'isOverdue'>): string {
  if (!nextAt) return '';
  const when = toSlackMoment(nextAt, 'time');
  return isOverdue ? `was due at ${when}: \`/incident update\` says how it stands` : `due at ${when}`;
}
