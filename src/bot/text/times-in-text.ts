/** The time that a sentence begins or ends with, among words that are none. */

import { trimEnd } from '../../trim-end.ts';
import { readTimeWords, type TimeWords } from './time-words.ts';
import { isAhead, momentOf, type TimeReading, zoneless } from './times.ts';

/** The time with which a sentence begins or ends. */
interface SentenceTime {
  readonly typed: string;
  /** Why they may be no time: a sentence, or `""`. */
  readonly doubt: string;
  /** Why it is not taken: the zone of the person is not known, or it is still to come. */
  readonly isNot?: 'zoneless' | 'ahead';
}

/** Most characters at either end of a text among which a time is looked for. */
const longest = 160;
/** Most words of a time. */
const maxWords = 10;
const halfDay = 12 * 3_600_000;
/** The marks and brackets in front of a time. */
const opening = /^[[(*_\s]+/;

/**
 * The time with which a sentence begins and has words behind it: `at 07:20 alerts fired`, `[12:05Z] db-1 is back`. One without a day
 * counts within twelve hours. Undefined for every other text.
 */
export function leadingTime(text: string, reading: TimeReading): SentenceTime | undefined {
  const [line = ''] = text.slice(0, longest).split('\n', 1);
  const ends = [...line.matchAll(/\S+/g)].slice(0, maxWords).map(({ index, 0: word }) => index + word.length);
  for (const end of ends.toReversed()) {
    const typed = trimEnd(line.slice(0, end).replace(opening, ''), /[\])*_,:;.\s-]/);
    const words = /[\p{L}\p{N}]/u.test(text.slice(end)) ? readTimeWords(typed, false) : undefined;
    if (!words || words.kind === 'day') continue;
    const isTime = words.kind === 'span' ? words.isAgo : words.kind === 'dates' || words.atHead !== 'words';
    return isTime ? asTime(typed, words, reading) : undefined;
  }
  return undefined;
}

/** Before a time they make it the bound of something else. */
const bounds = /^(?:since|until|till?|to|by|from|before|after|and|or|between|than|of|for|the|next)$/i;

/**
 * The time with which a sentence ends and has words before it: `db-1 failed over at yesterday 23:50`, `rolled back 20m ago`. A time of
 * day needs its day, or digits with `at` before them: “the last deploy was at noon” speaks of something else. Undefined for every other text.
 */
export function trailingTime(text: string, reading: TimeReading): SentenceTime | undefined {
  const line = text.slice(-longest).split('\n').at(-1)?.trimEnd() ?? '';
  const starts = [...line.matchAll(/\S+/g)].map(({ index }) => index).slice(-maxWords);
  for (const start of starts) {
    const before = line.slice(0, start).trimEnd();
    if (!/[\p{L}\p{N}]/u.test(before)) continue;
    const typed = trimEnd(line.slice(start).replace(opening, ''), /[\])*_,:;.!\s-]/);
    const words = readTimeWords(typed, true);
    if (!words) continue;
    const last = before.split(/\s/).at(-1) ?? '';
    return endsWith(words, typed) && !bounds.test(last) ? asTime(typed, words, reading) : undefined;
  }
  return undefined;
}

function endsWith(words: TimeWords, typed: string): boolean {
  if (words.kind === 'span') return words.isAgo && /\sago$/i.test(typed);
  if (words.kind !== 'clock' || words.atHead !== 'time') return false;
  const [lead = ''] = /^(?:\p{L}+|[@~])/u.exec(typed) ?? [];
  return (
    !bounds.test(lead) && (words.day !== undefined || (/\d/.test(typed) && /^(?:at|around|about|@|~)$/i.test(lead)))
  );
}

function asTime(typed: string, words: TimeWords, reading: TimeReading): SentenceTime | undefined {
  const read = momentOf(words, reading);
  const isClock = words.kind === 'clock';
  if ('problem' in read) return { typed, doubt: '', ...(read.problem === zoneless ? { isNot: 'zoneless' } : {}) };
  if (isAhead(read.at, reading.now)) return { typed, doubt: '', isNot: 'ahead' };
  // The nearest one that has passed is so far back that the one to come is meant.
  const isFar = isClock && words.day === undefined && reading.now.getTime() - read.at.getTime() > halfDay;
  if (isFar) return { typed, doubt: '', isNot: 'ahead' };
  return { typed, doubt: isClock && words.atHead === 'number' ? 'It may be a number, not a time.' : '' };
}
