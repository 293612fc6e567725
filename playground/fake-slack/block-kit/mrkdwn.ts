import { decodeEntities } from '../protocol/entities.ts';

/** A piece of formatted text. Texts in it are decoded: what a person reads. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'bold' | 'italic' | 'strike' | 'underline' | 'code' | 'pre' | 'quote';
      readonly children: readonly Inline[];
    }
  | { readonly kind: 'emoji'; readonly name: string }
  /** A colour's swatch; `value` is as written, such as `#ff0000`. */
  | { readonly kind: 'color'; readonly value: string }
  | { readonly kind: 'link'; readonly url: string; readonly label?: string }
  | { readonly kind: 'person' | 'channel' | 'group'; readonly id: string; readonly label?: string }
  | { readonly kind: 'broadcast'; readonly range: string }
  | DateToken;

/** A time that is written for each reader. */
export interface DateToken {
  readonly kind: 'date';
  readonly seconds: number;
  readonly format: string;
  readonly link?: string;
  /** Shown when the time or the format is unusable. */
  readonly fallback: string;
}

/** How text is read. */
export interface MrkdwnOptions {
  /** Whether bare addresses stay text, as in a text object that says so. */
  readonly verbatim?: boolean;
}

/**
 * Parses Slack's mrkdwn. Any text is valid: what is no mark stays as text. Marks count only between their text and a character
 * that is no letter or digit, as in Slack's client. Backticks within a `<…>` reference mark no code.
 */
export function parseMrkdwn(text: string, options: MrkdwnOptions = {}): Inline[] {
  return parseLines(flatten(text, options));
}

/** Parses the text of a `plain_text` object: entities and, unless switched off, emoji names. */
export function parsePlainText(text: string, hasEmoji = true): Inline[] {
  return hasEmoji ? toTexts(text) : toText(text);
}

/**
 * Text in which one character stands for each reference and each piece of code. Its place, not the character, tells it, so the
 * same character in the text stays itself.
 */
interface Flat {
  readonly text: string;
  readonly held: ReadonlyMap<number, Inline>;
}

const placeholder = '\uFFFC';
const reference = /<[^<>]*>/g;
const code = /```[\s\S]*?```|`[^`\n]+`/g;
const address = /(?<![\p{L}\p{N}_])https?:\/\/[^\s<>|"`]+/giu;

function flatten(text: string, { verbatim = false }: MrkdwnOptions): Flat {
  const masked = text.replace(reference, each => each.replaceAll('`', "'"));
  const spans = [...masked.matchAll(code)].map(match => ({ start: match.index, end: match.index + match[0].length }));
  const held = new Map<number, Inline>();
  let flat = '';
  const hold = (node: Inline): void => {
    held.set(flat.length, node);
    flat += placeholder;
  };
  const addText = (part: string): void => {
    if (verbatim) {
      flat += part;
      return;
    }
    let end = 0;
    for (const match of part.matchAll(address)) {
      const url = match[0].replace(/(?:[.,;:!?)'"*_~\]}]|&gt;|&lt;)+$/u, '');
      flat += part.slice(end, match.index);
      end = match.index + url.length;
      hold({ kind: 'link', url: decodeEntities(url) });
    }
    flat += part.slice(end);
  };
  const addWithReferences = (part: string): void => {
    let end = 0;
    for (const match of part.matchAll(reference)) {
      addText(part.slice(end, match.index));
      hold(parseReference(match[0].slice(1, -1)));
      end = match.index + match[0].length;
    }
    addText(part.slice(end));
  };
  let at = 0;
  for (const { start, end } of spans) {
    addWithReferences(text.slice(at, start));
    const isBlock = text.startsWith('```', start) && end - start >= 6;
    const marks = isBlock ? 3 : 1;
    const inner = text.slice(start + marks, end - marks);
    hold({ kind: isBlock ? 'pre' : 'code', children: parseReferences(isBlock ? inner.replace(/^\n/, '') : inner) });
    at = end;
  }
  addWithReferences(text.slice(at));
  return { text: flat, held };
}

/** Parses `<…>` references and entities only. */
function parseReferences(text: string): Inline[] {
  return text
    .split(/(<[^<>]*>)/)
    .flatMap((part, index) => (index % 2 === 0 ? toText(part) : [parseReference(part.slice(1, -1))]));
}

/** Commands that mention many people. They have no label of their own. */
const broadcasts: ReadonlySet<string> = new Set(['!here', '!channel', '!everyone', '!group']);

function parseReference(inner: string): Inline {
  const [target = '', ...labels] = inner.split('|');
  const words = decodeEntities(labels.join('|'));
  const label = words === '' ? {} : { label: words };
  if (target.startsWith('@')) return { kind: 'person', id: target.slice(1), ...label };
  if (target.startsWith('#')) return { kind: 'channel', id: target.slice(1), ...label };
  if (target.startsWith('!date^')) return parseDate(target, words === '' ? `<${inner}>` : words);
  if (target.startsWith('!subteam^')) return { kind: 'group', id: target.slice('!subteam^'.length), ...label };
  if (broadcasts.has(target)) return { kind: 'broadcast', range: target.slice(1) };
  if (target.startsWith('!')) return { kind: 'text', text: decodeEntities(`<${inner}>`) };
  return { kind: 'link', url: decodeEntities(target), ...label };
}

function parseDate(target: string, fallback: string): DateToken {
  const [, seconds = '', format = '', link] = target.split('^');
  return {
    kind: 'date',
    seconds: /^\d+$/.test(seconds) ? Number(seconds) : Number.NaN,
    format,
    fallback,
    ...(link === undefined ? {} : { link: decodeEntities(link) }),
  };
}

/** Joins lines that begin with `>` to quotes. `>>>` quotes all that follows. */
function parseLines(flat: Flat): Inline[] {
  const nodes: Inline[] = [];
  let quoted: Inline[] = [];
  const closeQuote = (): void => {
    if (quoted.length > 0) nodes.push({ kind: 'quote', children: quoted });
    quoted = [];
  };
  let start = 0;
  let isFirst = true;
  for (const line of flat.text.split('\n')) {
    const rest = /^(?:>|&gt;){3}/.exec(line);
    if (rest !== null) {
      if (!isFirst && quoted.length === 0) nodes.push({ kind: 'text', text: '\n' });
      if (quoted.length > 0) quoted.push({ kind: 'text', text: '\n' });
      quoted.push(...parseMarks(cut(flat, start + rest[0].length, flat.text.length)));
      closeQuote();
      return nodes;
    }
    const mark = /^(?:>|&gt;) ?/.exec(line)?.[0] ?? '';
    const wasQuoted = quoted.length > 0;
    if (mark === '') closeQuote();
    const place = mark === '' ? nodes : quoted;
    if (!isFirst) (mark !== '' && !wasQuoted ? nodes : place).push({ kind: 'text', text: '\n' });
    place.push(...parseMarks(cut(flat, start + mark.length, start + line.length)));
    if (mark !== '' && place.length === 0) place.push({ kind: 'text', text: '' });
    start += line.length + 1;
    isFirst = false;
  }
  closeQuote();
  return nodes;
}

function cut(flat: Flat, start: number, end: number): Flat {
  const held = new Map<number, Inline>();
  for (let at = start; at < end; at += 1) {
    const node = flat.held.get(at);
    if (node !== undefined) held.set(at - start, node);
  }
  return { text: flat.text.slice(start, end), held };
}

/** Marks of bold, italic and struck text. Slack reads them as marks only between their text and a non-word character. */
const marks = [
  ['bold', /(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]*[^\s*])\*(?![\p{L}\p{N}*])/gu],
  ['italic', /(?<![\p{L}\p{N}_])_(?=\S)([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu],
  ['strike', /(?<![\p{L}\p{N}~])~(?=\S)([^~\n]*[^\s~])~(?![\p{L}\p{N}~])/gu],
] as const;

function parseMarks(flat: Flat): Inline[] {
  const found = marks
    .flatMap(([kind, mark]) =>
      [...flat.text.matchAll(mark)].map(match => ({ kind, start: match.index, end: match.index + match[0].length })),
    )
    .toSorted((one, other) => one.start - other.start);
  const nodes: Inline[] = [];
  let at = 0;
  for (const { kind, start, end } of found) {
    if (start < at) continue;
    nodes.push(...toLeaves(cut(flat, at, start)));
    nodes.push({ kind, children: parseMarks(cut(flat, start + 1, end - 1)) });
    at = end;
  }
  nodes.push(...toLeaves(cut(flat, at, flat.text.length)));
  return nodes;
}

function toLeaves(flat: Flat): Inline[] {
  const nodes: Inline[] = [];
  let at = 0;
  for (const [place, node] of flat.held) {
    nodes.push(...toTexts(flat.text.slice(at, place)), node);
    at = place + 1;
  }
  return [...nodes, ...toTexts(flat.text.slice(at))];
}

const emojiName = /:([a-z0-9_+'-]+):(?::skin-tone-[2-6]:)?/g;

function toTexts(text: string): Inline[] {
  const nodes: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(emojiName)) {
    nodes.push(...toText(text.slice(at, match.index)), { kind: 'emoji', name: match[0].slice(1, -1) });
    at = match.index + match[0].length;
  }
  return [...nodes, ...toText(text.slice(at))];
}

function toText(text: string): Inline[] {
  return text === '' ? [] : [{ kind: 'text', text: decodeEntities(text) }];
}
