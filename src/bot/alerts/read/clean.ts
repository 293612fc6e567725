import { createHash } from 'node:crypto';
import { alertLengths as lengths, maxAlertLabels } from '../../incident/state/alert-group.ts';
import { cap, stripControls, toLines, toOneLine } from '../../text/words.ts';

/* The members of an alert as they are stored: clean, and within their lengths. */

/** A text is cut roughly before it is cleaned, so that a very long one takes no longer. Space and hidden characters may still go. */
const roughly = 10;

/** A text on one line, of at most so many characters. */
export function toText(text: string, most: number): string {
  return cap(toOneLine(text.slice(0, roughly * most)), most);
}

/** Texts below each other, each of them once. */
export function toSummary(texts: readonly string[]): string {
  const said = texts.map(each => toLines(each.slice(0, roughly * lengths.summary))).filter(each => each !== '');
  return cap([...new Set(said)].join('\n'), lengths.summary);
}

/**
 * The key of a group as it is stored. One that is too long, or has control characters or others that no database takes, gets a digest in
 * place of its end: two groups never share a key.
 */
export function toKey(key: string): string {
  const isPlain = stripControls(key) === key && !/\p{Cc}/u.test(key);
  if (isPlain && key.length <= lengths.key) return key;
  const digest = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  return `${toText(key, lengths.key - digest.length - 1)} ${digest}`;
}

/** The first labels, without empty ones, and without those of the tool itself, whose names begin with `__`. */
export function toLabels(labels: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const clean = new Map<string, string>();
  for (const [name, value] of labels) {
    if (clean.size === maxAlertLabels) break;
    const [of, text] = [toText(name, lengths.label), toText(value, lengths.label)];
    if (of !== '' && text !== '' && !of.startsWith('__')) clean.set(of, text);
  }
  return Object.fromEntries(clean);
}

/** Whether an address is one that a browser opens from a link. */
export function isOfWeb(url: string): boolean {
  return url.length <= lengths.url && /^https?:\/\/[^\s\p{C}]+$/iu.test(url) && URL.canParse(url);
}

/** A date and a time of day, with or without a zone. */
const written = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)\s?(Z|[+-]\d\d:?\d\d)?$/i;
/** From here on a number counts milliseconds, not seconds. */
const firstMillisecond = 100_000_000_000;
/** The first moment of the year 10,000, which RFC 3339 cannot write. */
const end = 253_402_300_800_000;

/**
 * A moment in RFC 3339, UTC: from a text with a date and a time, which is UTC where it has no zone, or from the seconds or milliseconds since
 * 1970. `""` for anything else, and for times before 1970: Go's zero time says that there is none.
 */
export function toMoment(value: unknown): string {
  const milliseconds = toMilliseconds(value);
  return milliseconds >= 0 && milliseconds < end ? new Date(milliseconds).toISOString() : '';
}

function toMilliseconds(value: unknown): number {
  if (typeof value === 'number') return value < firstMillisecond ? value * 1000 : value;
  if (typeof value !== 'string' || value.length > 50) return Number.NaN;
  if (/^\d+(\.\d+)?$/.test(value)) return toMilliseconds(Number(value));
  const [, date, time = '', zone = 'Z'] = written.exec(value.trim()) ?? [];
  const offset = zone.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2').toUpperCase();
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time.replace(',', '.')}${offset}`);
}
