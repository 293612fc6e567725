import { splitNoteBody } from '../contract/note-forms.ts';
import type { Identity } from './identity.ts';

/** Where a text stands, which decides how much of it may be the person's name. */
export interface Place {
  /** `id`: a user id alone. `machine`: words that Muster wrote. `people`: words that people wrote. */
  readonly kind: 'id' | 'machine' | 'people';
  /** Somebody else has the same name, and nothing beside the text says whom it means. */
  readonly isDoubtful: boolean;
}

/** Takes one person out of texts. */
export interface Scrubber {
  /** The text without the person; the same text when they are not in it. */
  scrub(text: string, place: Place): string;
  /** Whether a text holds their name as words of its own. */
  names(text: string): boolean;
  /** Whether a text holds an id or an address that is theirs alone. */
  identifies(text: string): boolean;
  /** What a text holds that the person may be in, in any spelling. */
  readonly needles: readonly string[];
}

/** Who stands in the place of an erased person. */
export interface Successor {
  readonly name: string;
  /** One for each user id of the person, in their order. */
  readonly userIDs: readonly string[];
  /** In place of a Slack id within a text. */
  readonly slackID: string;
}

/** Makes the scrubber of a person. */
export function createScrubber(identity: Identity, successor: Successor): Scrubber {
  const { userIDs, slackIDs, names, emails, photoURLs } = identity;
  const successors = new Map(userIDs.map((id, index) => [id, successor.userIDs[index] ?? successor.name]));
  // A short id such as "7" or "alice" is a word of many texts, so it counts only where an id stands.
  const clearIDs = userIDs.filter(isClear);
  const ids = oneOf(clearIDs, '[\\p{L}\\p{N}_:-]');
  const slackWords = oneOf(slackIDs, '[\\p{L}\\p{N}]');
  const mentions = slackIDs.length > 0 ? new RegExp(`<@(?:${alternatives(slackIDs)})(?:\\|[^>]*)?>`, 'gu') : undefined;
  const addresses = oneOf(emails, '[\\p{L}\\p{N}_.+-]', 'giu');
  const photos = photoURLs.length > 0 ? new RegExp(alternatives(photoURLs), 'gu') : undefined;
  const spellings = [...new Set(names.flatMap(name => [name, escapeMrkdwn(name)]))];
  const word = '[\\p{L}\\p{N}_]';
  const nameWords = oneOf(spellings, word, 'giu');
  const fullNames = oneOf(
    spellings.filter(name => /\s/.test(name)),
    word,
    'giu',
  );
  const called = spellings.length > 0 ? new RegExp(`@(?:${alternatives(spellings)})(?!${word})`, 'giu') : undefined;

  const isAll = (values: readonly string[], text: string) =>
    values.some(value => value.toLowerCase() === text.toLowerCase());

  function scrubWhole(text: string, { kind, isDoubtful }: Place): string | undefined {
    if (kind === 'id' || clearIDs.includes(text)) {
      const id = successors.get(text);
      if (id !== undefined) return id;
    }
    if (slackIDs.includes(text) || isAll(emails, text) || photoURLs.includes(text)) return '';
    return !isDoubtful && isAll(spellings, text) ? successor.name : undefined;
  }

  function scrubWords(text: string, { kind, isDoubtful }: Place): string {
    let left = replace(text, photos, () => '');
    left = replace(left, mentions, () => successor.name);
    left = replace(left, ids, id => successors.get(id) ?? successor.name);
    left = replace(left, slackWords, () => successor.slackID);
    left = replace(left, addresses, () => successor.name);
    if (isDoubtful) return left;
    if (kind === 'machine') return replace(left, nameWords, () => successor.name);
    left = replace(left, fullNames, () => successor.name);
    left = replace(left, called, () => successor.name);
    const { text: words, foot } = splitNoteBody(left);
    return foot === '' ? left : `${words}\n\n${replace(foot, nameWords, () => successor.name)}`;
  }

  function scrub(text: string, place: Place): string {
    if (text === '') return text;
    const whole = scrubWhole(text, place);
    if (whole !== undefined) return whole;
    return isJson(text) ? scrubJson(text, place) : scrubWords(text, place);
  }

  /** Each string of a JSON text by itself, so that everything else stays as it was written. */
  function scrubJson(text: string, place: Place): string {
    let key = '';
    let left = '';
    let read = 0;
    for (const [start, end] of findJsonStrings(text)) {
      const written = text.slice(start, end);
      const value: string = JSON.parse(written);
      const isKey = /^\s*:/.test(text.slice(end, end + 20));
      if (isKey) key = value;
      const isID = !isKey && /user_?id$/i.test(key);
      const scrubbed = scrub(value, isID ? { ...place, kind: 'id' } : { ...place, kind: 'people' });
      left += text.slice(read, start) + (scrubbed === value ? written : JSON.stringify(scrubbed));
      read = end;
    }
    return left + text.slice(read);
  }

  return {
    scrub,
    names: text => nameWords !== undefined && text.search(nameWords) >= 0,
    identifies: text =>
      [...clearIDs, ...slackIDs, ...photoURLs].some(each => text.includes(each)) ||
      emails.some(each => text.toLowerCase().includes(each.toLowerCase())),
    needles: [
      ...new Set(
        [...userIDs, ...slackIDs, ...emails, ...photoURLs, ...spellings].flatMap(each => [
          each,
          JSON.stringify(each).slice(1, -1),
        ]),
      ),
    ],
  };
}

/**
 * Where the strings of a JSON text begin and end, with their quotes. A regular expression keeps its place at each character of a string,
 * and runs out of room in a long one.
 */
function* findJsonStrings(text: string): Generator<readonly [start: number, end: number]> {
  for (let start = text.indexOf('"'); start >= 0; ) {
    let quote = text.indexOf('"', start + 1);
    while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
    if (quote < 0) return;
    yield [start, quote + 1];
    start = text.indexOf('"', quote + 1);
  }
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Whether an id can be nothing but an id. */
function isClear(id: string): boolean {
  return id.includes(':') || id.includes('@') || (id.length >= 8 && /\d/.test(id) && /\p{L}/u.test(id));
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Finds any of the words, with none of these characters before or behind it; undefined when there are no words. */
function oneOf(words: readonly string[], edge: string, flags = 'gu'): RegExp | undefined {
  if (words.length === 0) return undefined;
  return new RegExp(`(?<!${edge})(?:${alternatives(words)})(?!${edge})`, flags);
}

/** Longest first, so that a name wins over its beginning. */
function alternatives(words: readonly string[]): string {
  return words
    .toSorted((one, other) => other.length - one.length)
    .map(each => each.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join('|');
}

function replace(text: string, pattern: RegExp | undefined, by: (found: string) => string): string {
  return pattern ? text.replace(pattern, by) : text;
}

/** As Slack's mrkdwn spells it. */
function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
