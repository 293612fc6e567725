import { hiddenCharacters } from '../../contract/hidden-characters.ts';
import { toNormalForm } from '../../normal-form.ts';
import { trimEnd } from '../../trim-end.ts';

/**
 * Text hygiene: what comes from Slack becomes plain text, what goes to Slack becomes safe.
 *
 * A plain `@channel`, `@here` or `@everyone` needs no defusing: without `link_names` and `parse: full`, which we never
 * set, Slack notifies only on `<!channel>`, and escaping `<` takes that away (docs/slack.md 8). Putting invisible
 * characters into it would only spoil search and copying.
 */

/** One piece of Slack message text, decoded: what a `<…>` means, or text as it is shown. A `label` is empty when Slack gave none. */
type SlackToken =
  | { kind: 'user' | 'channel' | 'group'; id: string; label: string }
  | { kind: 'link'; url: string; label: string }
  | { kind: 'text'; text: string };

const tokenPattern = /<([^<>\n]+)>/g;
const entityPattern = /&(lt|gt|amp);/g;

/** Makes text safe for mrkdwn and `text` fields: only `&`, `<` and `>` (docs/slack.md 8). Cap before, not after. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Signs of mrkdwn that stand where Slack may read them as formatting: not between two letters or digits. A backtick always may. */
const formattingSign = /(?<![\p{L}\p{N}])[*_~]|[*_~](?![\p{L}\p{N}])|`|(?<=^|\n)>/gu;
/** Most signs that keep their look and can be copied; each takes two dozen characters. */
const maxExactSigns = 20;
const lookAlikes: Readonly<Record<string, string>> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ', '>': '›' };

/**
 * Makes a person's text safe within Muster's own mrkdwn: it mentions nobody, and formats nothing, neither itself nor the words around
 * it. mrkdwn has no escape for its signs, so each becomes the fallback of a date that Slack cannot show (docs/slack.md 8). In a text
 * with very many the others become signs that look alike. A web address is a link of exactly itself: Slack's own would take the closing
 * quote behind it too. Cap before, not after.
 */
export function toUnformatted(text: string): string {
  let seen = 0;
  const toWords = (words: string) => {
    let [end, safe] = [0, ''];
    for (const { 0: sign, index } of words.matchAll(formattingSign)) {
      seen += 1;
      const exact = `<!date^00000000^{_}|${escapeMrkdwn(sign)}>`;
      safe += escapeMrkdwn(words.slice(end, index)) + (seen > maxExactSigns ? lookAlikes[sign] : exact);
      end = index + sign.length;
    }
    return safe + escapeMrkdwn(words.slice(end));
  };
  let [end, safe] = [0, ''];
  for (const { 0: found, index } of text.matchAll(address)) {
    // An address that was cut leads nowhere.
    if (text.startsWith('…', index + found.length)) continue;
    const link = withoutTail(found);
    safe += `${toWords(text.slice(end, index))}<${escapeMrkdwn(link)}>`;
    end = index + link.length;
  }
  return safe + toWords(text.slice(end));
}

/** A web address and what people write right behind it. Quotes and the brackets of Slack's tokens end it. */
const address = /(?<![\p{L}\p{N}])https?:\/\/[^\s<>|"“”„‟‘’‚«»`…。、」』）】》\p{C}]+/giu;
/** Signs that end a sentence, or close what was opened before the address. */
const tail = ".,;:!?'*_~)]}";
const openings: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** The web addresses in a text, without what people write right behind them. */
export function addressesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(address), ([found]) => withoutTail(found));
}

/** An address without the signs behind it that are not its own: a bracket is, where it was opened within. */
function withoutTail(found: string): string {
  let end = found.length;
  for (; end > 0; end -= 1) {
    const sign = found.charAt(end - 1);
    if (!tail.includes(sign)) break;
    const opening = openings[sign];
    if (opening && count(found, opening, end) >= count(found, sign, end)) break;
  }
  return found.slice(0, end);
}

function count(text: string, sign: string, end: number): number {
  return text.slice(0, end).split(sign).length - 1;
}

/** A `<…>` of mrkdwn, or a sign that formats. */
const tokenOrSign = /<[^<>\n]+>|(?<![\p{L}\p{N}])[*_~]+|[*_~]+(?![\p{L}\p{N}])|`/gu;

/**
 * Muster's own mrkdwn in words alone, for those who hear it: the signs that format are gone. People's signs stay, since
 * {@link toUnformatted} has made them into something else.
 */
export function withoutFormatting(mrkdwn: string): string {
  return mrkdwn.replace(tokenOrSign, found => (found.startsWith('<') ? found : ''));
}

/** Undoes Slack's encoding of `&`, `<` and `>`, once: for a typed `&lt;` Slack sends `&amp;lt;`. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(entityPattern, (_, name: string) => (name === 'lt' ? '<' : name === 'gt' ? '>' : '&'));
}

/** Letters and signs of ASCII, spaces and newlines: nothing must be removed. */
const plainLines = /^[ -~\n]*$/;

/**
 * Removes control characters but newline and tab, marks that reorder text for the reader (bidirectional overrides), and
 * byte order marks; line ends become `\n`; half a surrogate pair becomes U+FFFD, since databases and JSON refuse it.
 */
export function stripControls(text: string): string {
  if (plainLines.test(text)) return text;
  return text.replace(/\r\n?/g, '\n').replace(hiddenCharacters, '').toWellFormed();
}

/** Words of plain letters and signs, with a space between them: nothing must be removed, as in most labels. */
const plainWords = /^[!-~]+(?: [!-~]+)*$/;

/** Text on one line, without control characters: titles, labels, names. */
export function toOneLine(text: string): string {
  if (plainWords.test(text)) return text;
  return stripControls(text).replace(/\s+/g, ' ').trim();
}

/** Text with its line breaks, without control characters and without space that nobody sees: what people wrote on several lines. */
export function toLines(text: string): string {
  return stripControls(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Words that end as a sentence, so that others may follow: with a full stop where they end in a letter or a number. */
export function endSentence(text: string): string {
  return /[\p{L}\p{M}\p{N}]$/u.test(text) ? `${text}.` : text;
}

/** Longer texts are compared by their beginning. */
const maxCompared = 2000;

/** A text in the form in which typed texts are compared: no case, no quotes around it, single spaces. */
export function toComparable(text: string): string {
  const typed = toNormalForm(text.slice(0, maxCompared), 'NFKC').trim();
  const bare = trimEnd(typed.replace(/^["'“”„‘’«»]+/, ''), /["'“”„‘’«»]/);
  return bare.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** The longest run of UTF-16 units that a reader would call one character; anything longer is cut as code points. */
const maxGrapheme = 64;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Shortens text to at most `max` UTF-16 units (never more of anything Slack may count), `…` included, without splitting
 * a character as people see it. Cap before escaping: escaping grows text, and a cut entity shows.
 */
export function cap(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return '';
  const room = max - 1;
  const near = text.slice(0, max + maxGrapheme);
  const start = graphemes.segment(near).containing(room)?.index ?? room;
  const end = room - start <= maxGrapheme && start > 0 ? start : codePointBoundary(text, room);
  return `${text.slice(0, end).trimEnd()}…`;
}

/** The first of some names, and how many more there are: `a, b and 3 more`. `total` is how many there are in all, where `all` lacks some. */
export function andMore(
  all: readonly string[],
  most: number,
  { total = all.length, separator = ', ' }: { readonly total?: number; readonly separator?: string } = {},
): string {
  const more = total - Math.min(all.length, most);
  return `${all.slice(0, most).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The last row of a list that shows only the first `most` of `total`: `… and 3 more`; none when it shows all. */
export function restRow(total: number, most: number): readonly string[] {
  return total > most ? [`… and ${total - most} more`] : [];
}

/**
 * Shortens mrkdwn that is escaped already to at most `max` UTF-16 units, `…` included: never inside an entity, a `<…>` or a
 * character, since each of these would show.
 */
export function cutMrkdwn(mrkdwn: string, max: number): string {
  if (mrkdwn.length <= max) return mrkdwn;
  const head = mrkdwn.slice(0, max - 1).replace(/<[^<>]*$|&[a-z]*$|[\ud800-\udbff]$/, '');
  return `${head.trimEnd()}…`;
}

function codePointBoundary(text: string, at: number): number {
  return at > 0 && /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) ? at - 1 : at;
}

/**
 * Reads the inside of one `<…>` (docs/slack.md 4: ids first, labels optional): people, channels and groups, links,
 * and the rest as the text it shows (`@channel`, a date's fallback). `undefined` when it is no Slack token at all.
 */
function readSlackToken(inside: string): SlackToken | undefined {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? '' : decodeEntities(inside.slice(bar + 1)).trim();
  const person = /^@([UW][A-Z0-9]+)$/.exec(target)?.[1];
  if (person !== undefined) return { kind: 'user', id: person, label: label.replace(/^@/, '') };
  const channel = /^#([CDG][A-Z0-9]+)$/.exec(target)?.[1];
  if (channel !== undefined) return { kind: 'channel', id: channel, label: label.replace(/^#/, '') };
  const group = /^!subteam\^([A-Z0-9]+)$/.exec(target)?.[1];
  if (group !== undefined) return { kind: 'group', id: group, label: label.replace(/^@/, '') };
  if (/^!(channel|here|everyone|group)$/.test(target)) return { kind: 'text', text: `@${target.slice(1)}` };
  if (target.startsWith('!')) return { kind: 'text', text: label || target.slice(1).split('^')[0] || '' };
  if (/^[a-z][a-z0-9+.-]*:\S/i.test(target)) return { kind: 'link', url: decodeEntities(target), label };
  return undefined;
}

/** The pieces of Slack message text in order, decoded: each `<…>`, and the text between them. */
export function* readSlackText(slackText: string): Generator<SlackToken, void> {
  let last = 0;
  for (const match of slackText.matchAll(tokenPattern)) {
    const token = readSlackToken(match[1] ?? '');
    if (token === undefined) continue;
    yield { kind: 'text', text: decodeEntities(slackText.slice(last, match.index)) };
    yield token;
    last = match.index + match[0].length;
  }
  yield { kind: 'text', text: decodeEntities(slackText.slice(last)) };
}

/**
 * Turns Slack message text into text anyone can read, for timelines and titles: `@name`, `#channel`, `@channel`,
 * `label (url)`. Formatting marks stay as typed. The result is plain: escape it again on its way back to Slack.
 */
export function toPlainText(slackText: string): string {
  return stripControls([...readSlackText(slackText)].map(tokenToText).join(''));
}

/** One piece of Slack's text as people read it. A channel or group without a name has none that they may know. */
export function tokenToText(token: SlackToken): string {
  switch (token.kind) {
    case 'user':
      return `@${token.label || token.id}`;
    case 'channel':
      return `#${token.label || 'a channel'}`;
    case 'group':
      return `@${token.label || 'a group'}`;
    case 'link':
      return linkToText(token.url, token.label);
    case 'text':
      return token.text;
  }
}

/** Slack makes a link of each host and file name that people type. It stands as they typed it. */
function linkToText(url: string, label: string): string {
  const address = url.replace(/^(mailto|tel):/i, '');
  if (label === '') return address;
  return bare(label) === bare(address) ? label : `${label} (${address})`;
}

/** An address without its scheme, as far as two ways to write it are the same. */
function bare(address: string): string {
  const text = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/\/$/, '');
  try {
    return decodeURI(text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
}
