import { withoutPolite } from '../../grammar/casual.ts';
import { numbers } from '../../text/clock-words.ts';
import { toComparable } from '../../text/words.ts';
import type { Numbered } from './row.ts';

/* Which tasks a person means: `2`, `#2`, `the second`, `1, 2 and 3`, `1-3`, or some of a task's words. */

/** Words around the number of a task that say nothing more. */
const lead = /^(?:(?:the|tasks?|todos?|items?|numbers?|no\.?|nr\.?)\s+)+(?=\S)/i;
const tail = /(?:(?<![\s,])[\s,]+(?:to|for|is|with))+$/i;

function numberIn(typed: string): string | undefined {
  const text = withoutPolite(typed.normalize('NFKC').trim()).replace(tail, '').replace(lead, '');
  const named = numbers.indexOf(text.toLowerCase());
  return named > 0 ? String(named) : /^#?(\d{1,6})[.):!]*$/.exec(text)?.[1];
}

/** Whether a person named a task by its number, and not by words. */
export function isTaskNumber(typed: string): boolean {
  return numberIn(typed) !== undefined;
}

/** Tasks that one command changes, at most. */
const mostTogether = 20;

/** What a person typed, taken apart where it is several numbers: `1 2`, `1, 2`, `1 and 2`, `1-3`. */
export function severalNumbers(typed: string): readonly string[] {
  const parts = withoutPolite(typed)
    .replace(lead, '')
    .split(/\s*(?:[\s,;&+、，]|\band\b)\s*/i)
    .filter(each => each !== '')
    .flatMap(inRange);
  return parts.length > 1 && parts.length <= mostTogether && parts.every(isTaskNumber) ? [...new Set(parts)] : [typed];
}

/** The numbers of `1-3`; anything else alone. */
function inRange(typed: string): readonly string[] {
  const [, from = '', to = ''] = /^#?(\d{1,6})[-–—]#?(\d{1,6})$/.exec(typed) ?? [];
  const count = Number(to) - Number(from) + 1;
  if (from === '' || count < 2 || count > mostTogether) return [typed];
  return Array.from({ length: count }, (_, at) => String(Number(from) + at));
}

/** Scripts that set no spaces between words: a word is looked for anywhere. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * The tasks that match what a person typed: the one of that number; else those of exactly that text; else all in which a word begins with
 * each word that was typed.
 */
export function findTasks(all: readonly Numbered[], typed: string): readonly Numbered[] {
  const number = numberIn(typed);
  if (number !== undefined) return all.filter(each => each.number === Number(number));
  const wanted = toComparable(typed);
  if (wanted === '') return [];
  const exact = all.filter(({ task }) => toComparable(task.text) === wanted);
  if (exact.length > 0) return exact;
  return all.filter(({ task }) => {
    const text = toComparable(task.text);
    const own = [...text.split(/[^\p{L}\p{M}\p{N}]+/u), ...text.split(' ')];
    return wanted
      .split(' ')
      .every(word => (unspaced.test(word) ? text.includes(word) : own.some(each => each.startsWith(word))));
  });
}
