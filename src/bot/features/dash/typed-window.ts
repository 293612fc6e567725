import { trimEnd } from '../../../trim-end.ts';
import { withoutPolite } from '../../grammar/words.ts';
import { readTimeWords } from '../../text/time-words.ts';
import { parseTime, timeLength } from '../../text/times.ts';

const msPerMinute = 60_000;
/** A window begins this long before an incident, and reaches this far on either side of a moment. */
const margin = 15 * msPerMinute;

/** When an incident was; `end` is undefined while it goes on. */
export interface IncidentSpan {
  readonly start: Date;
  readonly end: Date | undefined;
}

/** A window in epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From a quarter of an hour before the incident to its end, or now. */
export function aroundIncident({ start: began, end }: IncidentSpan, now: Date): Span {
  const from = began.getTime() - margin;
  return outwards(from, Math.max((end ?? now).getTime(), began.getTime() + msPerMinute));
}

/** A window rounded outwards to whole minutes. */
export function outwards(from: number, to: number): Span {
  return {
    from: Math.max(0, Math.floor(from / msPerMinute) * msPerMinute),
    to: Math.ceil(to / msPerMinute) * msPerMinute,
  };
}

/** The time that a link shows, as a person said it. Times are as typed. */
export type TypedWindow =
  /** From a quarter of an hour before the incident to its end, or now. */
  | { readonly kind: 'around' }
  /** As the address has it. */
  | { readonly kind: 'pasted' }
  | { readonly kind: 'last'; readonly milliseconds: number }
  /** A quarter of an hour on either side of a moment, at most until now. */
  | { readonly kind: 'near'; readonly at: string }
  /** `to` is `""` for now, `from` for the start of the incident. */
  | { readonly kind: 'between'; readonly from: string; readonly to: string };

/** Most words of a window: `from yesterday at 23:00 to yesterday at 23:20`. */
const mostWords = 12;
/** The longest time up to now: a month. */
const longest = 31 * 24 * 60 * msPerMinute;
/** Two times of day over midnight, and a time of day of the evening before, are no further apart. */
const longestNight = 12 * 60 * msPerMinute;

const start = /^(?:the )?(?:start|beginning)(?: of (?:it|the incident))?$/;
const incident = /^(?:(?:the |this |our )?(?:incident|outage|start)(?:['’]s start| start)?|it|this)$/;
/** Words that name a window, and not one that can be read. */
const vague =
  /\b(?:(?:last|past|previous|prior) (?:\S+ )?(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|quarter|night|evening|morning|afternoon|weekend)|this (?:morning|afternoon|evening|week|weekend|month)|tonight)\b/i;

/** The words that speak of a window that cannot be read: “the last few hours”; undefined for none. */
export function vagueWindow(text: string): string | undefined {
  return vague.exec(text)?.[0];
}

/** The window that a flag's value means: `3h`, `last 30 min`, `around`, `23:00 to 23:20`. Undefined for none. */
export function readWindow(typed: string): TypedWindow | undefined {
  const text = typed.trim().toLowerCase();
  if (text === 'incident') return { kind: 'around' };
  if (text === 'pasted') return { kind: 'pasted' };
  const words = text.split(/\s+/);
  const found = windowAt(words, 0);
  if (found?.length === words.length) return found.window;
  const milliseconds = lengthOf(text);
  return milliseconds === undefined ? undefined : { kind: 'last', milliseconds };
}

/** How many words from the first on are the value of `--window`; 0 for none. */
export function windowLength(words: readonly string[]): number {
  return longestStart(words, mostWords, text => readWindow(text) !== undefined);
}

/** The window among the words behind an address or a title, and the other words. One within a sentence stays there, and counts. */
export function takeWindow(typed: readonly string[]): { window?: TypedWindow; rest: readonly string[] } {
  const words = withoutPolite(typed.join(' ')) === '' ? [] : typed;
  // `nginx 3h`: a length alone is the time up to now.
  const milliseconds = lengthOf(words.map(plain).join(' '));
  if (milliseconds !== undefined) return { window: { kind: 'last', milliseconds }, rest: [] };
  for (let at = 0; at < words.length; at += 1) {
    const found = windowAt(words, at);
    if (found === undefined) continue;
    const end = at + found.length;
    const isWithin = at > 0 && end < words.length;
    return { window: found.window, rest: isWithin ? words : [...words.slice(0, at), ...words.slice(end)] };
  }
  return { rest: words };
}

/** A window that words name, and how many of them it is. */
interface NamedWindow {
  readonly window: TypedWindow;
  readonly length: number;
}

/** Words from a place on: the first that says something, and those behind it. */
interface WindowWords {
  readonly word: string;
  readonly behind: readonly string[];
  /** Before the word are such as “for”, and “the”. */
  readonly isLed: boolean;
  readonly isPlain: boolean;
  /** The words begin the line. */
  readonly isFirst: boolean;
  /** The window of the word and so many behind it. */
  toNamed(window: TypedWindow, length: number): NamedWindow;
}

/** The forms of a window, in the order in which they are tried. */
const forms: readonly ((words: WindowWords) => NamedWindow | undefined)[] = [
  // `last 3 hours`
  ({ word, behind, toNamed }) => {
    if (!/^(?:last|past|previous|prior)$/.test(word)) return undefined;
    const length = longestStart(behind, 5, text => lengthOf(text) !== undefined);
    const milliseconds = lengthOf(behind.slice(0, length).join(' '));
    return length === 0 || milliseconds === undefined ? undefined : toNamed({ kind: 'last', milliseconds }, length);
  },
  // `during the incident`, `the whole outage`
  ({ word, behind, isLed, toNamed }) => {
    const whole = /^(?:whole|entire|full)$/.test(word) ? 1 : 0;
    const isIncident = /^(?:incident|outage)$/.test(whole > 0 ? (behind[0] ?? '') : word);
    return (isLed || whole > 0) && isIncident ? toNamed({ kind: 'around' }, whole) : undefined;
  },
  // `now-3h`, `-3h to now`
  ({ word, behind, toNamed }) => {
    const [, amount = ''] = /^(?:now)?[-–—](\d{1,4}[smhdw])$/.exec(word) ?? [];
    const milliseconds = amount === '' ? undefined : lengthOf(amount);
    const isToNow = /^(?:to|until|till) now$/.test(behind.slice(0, 2).join(' '));
    return milliseconds === undefined ? undefined : toNamed({ kind: 'last', milliseconds }, isToNow ? 2 : 0);
  },
  ({ word, isPlain, toNamed }) =>
    isPlain && word === 'today' ? toNamed({ kind: 'between', from: 'today 0:00', to: '' }, 0) : undefined,
  ({ word, behind, isPlain, toNamed }) => {
    const isDay = isPlain && word === 'yesterday' && timesLength([word, ...behind]) === 0;
    return isDay ? toNamed({ kind: 'between', from: 'yesterday 0:00', to: 'today 0:00' }, 0) : undefined;
  },
  // `around 14:00`
  ({ word, behind, isPlain, toNamed }) => {
    const length = isPlain && /^(?:at|around|near)$/.test(word) ? timesLength(behind) : 0;
    const at = behind.slice(0, length).join(' ');
    return length > 0 && !/^\d{1,2}$/.test(at) ? toNamed({ kind: 'near', at }, length) : undefined;
  },
  // `around the incident`. Before a caption it is one of its words where a number follows: “around 5 % of orders”.
  ({ word, behind, isPlain, isFirst, toNamed }) => {
    if (!isPlain || word !== 'around') return undefined;
    const length = longestStart(behind, 3, text => incident.test(text));
    const isAlone = (behind.length === 0 || isFirst) && !/^\d/.test(behind[0] ?? '');
    return length > 0 || isAlone ? toNamed({ kind: 'around' }, length) : undefined;
  },
  ({ word, behind, isPlain, toNamed }) =>
    isPlain && /^(?:from|between)$/.test(word) ? betweenAt(behind, toNamed, word) : undefined,
  // `since 14:00`, `since the start`
  ({ word, behind, isPlain, toNamed }) => {
    const begins = startLength(behind);
    const length = isPlain && word === 'since' ? begins || timesLength(behind) : 0;
    const from = begins > 0 ? '' : behind.slice(0, length).join(' ');
    return length === 0 ? undefined : toNamed({ kind: 'between', from, to: '' }, length);
  },
  // `14:00-14:20`
  ({ word, isPlain, toNamed }) => {
    const [, from = '', to = ''] = /^(\d{1,2}[:.h]\d{2})[-–—](\d{1,2}[:.h]\d{2})$/.exec(word) ?? [];
    return isPlain && from !== '' ? toNamed({ kind: 'between', from, to }, 0) : undefined;
  },
  // `14:00 to 14:20`: two times are enough.
  ({ word, behind, isPlain, toNamed }) =>
    isPlain && /^\d|^(?:noon|midnight)$/.test(word)
      ? betweenAt([word, ...behind], (window, length) => toNamed(window, length - 1), 'between')
      : undefined,
];

/** The window with which words begin at a place. */
function windowAt(words: readonly string[], at: number): NamedWindow | undefined {
  const lead = /^(?:for|over|in|of|during|within)$/i.test(words[at] ?? '') ? 1 : 0;
  const skipped = lead + (/^the$/i.test(words[at + lead] ?? '') ? 1 : 0);
  const first = at + skipped;
  const read: WindowWords = {
    ...{ word: plain(words[first]), behind: words.slice(first + 1, first + 1 + mostWords).map(plain) },
    ...{ isLed: lead > 0, isPlain: skipped === 0, isFirst: at === 0 },
    toNamed: (window, length) => ({ window, length: length + 1 + skipped }),
  };
  for (const form of forms) {
    const named = form(read);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** How many of the first words, `most` at most, make a text that fits; 0 for none. */
function longestStart(words: readonly string[], most: number, fits: (text: string) => boolean): number {
  for (let length = Math.min(most, words.length); length > 0; length -= 1)
    if (fits(words.slice(0, length).join(' '))) return length;
  return 0;
}

/** `from 23:00 to 23:20`; `from 23:00` alone lasts until now. */
function betweenAt(typed: readonly string[], toNamed: WindowWords['toNamed'], word: string): NamedWindow | undefined {
  // `14h` behind “from” is a time of day, as `14h20` is.
  const behind = typed.map(each => each.replace(/^(\d{1,2})h$/, '$1:00'));
  for (let joint = 1; joint < behind.length; joint += 1) {
    if (!/^(?:to|until|till|and|through|thru|bis|-|–|—|->|→)$/.test(behind[joint] ?? '')) continue;
    const first = behind.slice(0, joint);
    const length = timesLength(behind.slice(joint + 1));
    if (length === 0 || (startLength(first) !== first.length && timesLength(first) !== first.length)) continue;
    const from = startLength(first) > 0 ? '' : first.join(' ');
    return toNamed(
      { kind: 'between', from, to: behind.slice(joint + 1, joint + 1 + length).join(' ') },
      joint + 1 + length,
    );
  }
  const range = /^(\d{1,2}[:.h]\d{2})[-–—](\d{1,2}[:.h]\d{2})$/.exec(behind[0] ?? '');
  if (range) return toNamed({ kind: 'between', from: range[1] ?? '', to: range[2] ?? '' }, 1);
  const length = word === 'from' ? timesLength(behind) : 0;
  return length === 0
    ? undefined
    : toNamed({ kind: 'between', from: behind.slice(0, length).join(' '), to: '' }, length);
}

/** How many words are a time of day, with its day; a length of time counts with `ago` alone. */
function timesLength(words: readonly string[]): number {
  for (let length = timeLength(words); length > 0; length -= 1) {
    const read = readTimeWords(words.slice(0, length).join(' '), true);
    if (read?.kind === 'clock' || (read?.kind === 'span' && (read.isAgo || read.milliseconds === 0))) return length;
  }
  return 0;
}

function startLength(words: readonly string[]): number {
  return longestStart(words, 5, text => start.test(text));
}

/** A length of time in milliseconds: `3 hours`, `hour`, `couple of hours`, `30min`. */
function lengthOf(text: string): number | undefined {
  for (const typed of [text, `1 ${text}`, `a ${text}`]) {
    const read = readTimeWords(typed, true);
    if (read?.kind === 'span' && !read.isAgo && read.milliseconds >= msPerMinute && read.milliseconds <= longest)
      return read.milliseconds;
  }
  return undefined;
}

/** Why a time of day that is still ahead is no end of a window: the day before is too long ago to be meant. */
function aheadWords(
  typed: string,
  { at }: { readonly at: Date },
  { now, timeZone }: { readonly now: Date; readonly timeZone: string },
): { readonly problem: string } | undefined {
  const isDated = /\p{L}{3,}|\d-\d/u.test(typed.replace(/\b(?:uhr|noon|midnight|utc)\b/gi, ''));
  if (isDated || dayIn(timeZone, at) === dayIn(timeZone, now) || now.getTime() - at.getTime() <= longestNight)
    return undefined;
  return { problem: `“${typed}” is still ahead today. Write “yesterday ${typed}” if you mean that.` };
}

function dayIn(timeZone: string, at: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: timeZone || 'UTC', dateStyle: 'short' }).format(at);
}

function plain(word: string | undefined): string {
  return trimEnd((word ?? '').toLowerCase().replace(/^[(“"]/, ''), /[,;.:)”"]/);
}

/** The window in epoch milliseconds, rounded outwards to whole minutes; or why there is none, in plain text. `pasted` has none here. */
export function spanOf(
  window: Exclude<TypedWindow, { kind: 'pasted' }>,
  { now, timeZone, incident: of }: { readonly now: Date; readonly timeZone: string; readonly incident: IncidentSpan },
): Span | { readonly problem: string } {
  if (window.kind === 'around') return aroundIncident(of, now);
  if (window.kind === 'last') return outwards(now.getTime() - window.milliseconds, now.getTime());
  if (window.kind === 'near') {
    const near = parseTime(window.at, { now, timeZone: timeZone || 'UTC' });
    if ('problem' in near) return near;
    const ahead = aheadWords(window.at, near, { now, timeZone });
    if (ahead) return ahead;
    return outwards(near.at.getTime() - margin, Math.min(near.at.getTime() + margin, now.getTime()));
  }
  const read = (typed: string, otherwise: Date) =>
    typed === '' ? { at: otherwise } : parseTime(typed, { now, timeZone: timeZone || 'UTC' });
  const [from, to] = [read(window.from, of.start), read(window.to, now)];
  if ('problem' in from) return from;
  if ('problem' in to) return to;
  for (const [typed, end] of [
    [window.from, from],
    [window.to, to],
  ] as const) {
    const ahead = typed === '' ? undefined : aheadWords(typed, end, { now, timeZone });
    if (ahead) return ahead;
  }
  // “from 23:50 to 0:10”: the start is of the day before.
  const begin = from.at.getTime() < to.at.getTime() ? from.at.getTime() : from.at.getTime() - 24 * 60 * msPerMinute;
  if (begin !== from.at.getTime() && to.at.getTime() - begin > longestNight)
    return { problem: `“${window.to}” is before “${window.from}”. Give the earlier time first.` };
  const isFar = to.at.getTime() - begin > longest;
  return isFar ? { problem: 'That is longer than a month. Give a shorter time.' } : outwards(begin, to.at.getTime());
}
