import { escapeMrkdwn } from '../text/words.ts';

/** A JSON object as Slack sends it: nothing in it is certain. */
export type Wire = { readonly [name: string]: unknown };

/** A value as an object; an empty one for anything else. */
export function toWire(value: unknown): Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wire) : {};
}

/** The items of a list; none for anything else. */
export function toItems(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.map(toWire) : [];
}

/** A value as text; `""` for anything but text and numbers. */
export function toWords(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Encodes plain text that Slack may have encoded already. */
export function encode(text: string): string {
  return escapeMrkdwn(text).replace(/&amp;(amp|lt|gt);/g, '&$1;');
}

/** A link in Slack's encoding; its label alone when there is no address that can stand there. */
export function toLink(url: unknown, label: string): string {
  const address = toWords(url);
  if (!/^[a-z][a-z0-9+.-]*:\S/i.test(address)) return label;
  const safe = encode(address.replace(/[<>|\s]/g, encodeURIComponent));
  return label === '' ? `<${safe}>` : `<${safe}|${label.replace(/<[^<>]*>/g, '').replace(/\s+/g, ' ')}>`;
}

/** Parts that have words, below each other. */
export function below(parts: readonly string[]): string {
  return parts.filter(part => part.trim() !== '').join('\n');
}

/** How deep blocks lie in each other, at most: what is deeper, Slack does not draw. */
const maxDepth = 20;

/**
 * The words of a message's blocks as Slack encodes text, in reading order, a line for each part: also of tables, images, buttons, and of
 * kinds that are not known.
 */
export function blockText(blocks: readonly unknown[]): string {
  return below(toItems(blocks).map(block => toText(block, 0)));
}

/** The members of blocks, and of what lies in them, that hold words, in the order in which people read them. */
const members = [
  ...['icon', 'hero_image', 'author_name', 'provider_name', 'caption', 'title', 'rich_text_title', 'subtitle'],
  ...['label', 'text', 'body'],
  ...['description', 'alt_text', 'fields', 'elements', 'child_blocks', 'tasks', 'details', 'output', 'sources'],
  ...['chart', 'name', 'value', 'segments', 'series', 'data', 'accessory', 'element', 'options', 'actions', 'hint'],
  ...['positive_button', 'negative_button'],
];

/** Members that are words only as one type: a picture that is no mere name, the number of a point that is not for the app alone. */
const ofType: Readonly<Record<string, string>> = { icon: 'object', hero_image: 'object', value: 'number' };

/** Menus and inputs, which show what is chosen or typed, else what to do. */
const isField = /_(select|input)$|picker$/;

function toText(value: unknown, depth: number): string {
  if (typeof value === 'string' || typeof value === 'number') return encode(String(value));
  if (typeof value !== 'object' || value === null || depth > maxDepth) return '';
  if (Array.isArray(value)) return below(value.map(each => toText(each, depth + 1)));
  const wire = toWire(value);
  const type = toWords(wire.type);
  const inner = (member: string) => toText(wire[member], depth + 1);
  switch (type) {
    case 'mrkdwn':
      return toWords(wire.text);
    case 'rich_text':
      return richText(wire, depth);
    case 'markdown':
      return fromMarkdown(toWords(wire.text));
    case 'table':
    case 'data_table':
      return below([inner('caption'), ...toRows(wire.rows, depth)]);
    case 'raw_number':
      return encode(toWords(wire.text) || toWords(wire.value));
    case 'button':
    case 'workflow_button':
    case 'url':
      return toLink(wire.url, inner('text'));
    case 'video':
      return below([
        ...[inner('author_name'), toLink(wire.title_url, inner('title'))],
        ...[inner('description'), inner('provider_name'), inner('alt_text')],
      ]);
    case 'checkboxes':
    case 'radio_buttons':
      return inner('options');
    case 'overflow':
      return '';
  }
  if (isField.test(type)) return chosenIn(wire, inner);
  return below(members.filter(member => typeof wire[member] === (ofType[member] ?? typeof wire[member])).map(inner));
}

function toRows(rows: unknown, depth: number): readonly string[] {
  if (!Array.isArray(rows)) return [];
  const toCell = (cell: Wire) => toText(cell, depth + 2).replaceAll('\n', ' ');
  return rows.map(row => toItems(row).map(toCell).join(' | '));
}

function chosenIn(field: Wire, inner: (member: string) => string): string {
  const ids = (member: string, sign: string) => {
    const chosen = [field[`initial_${member}`], field[`initial_${member}s`]].flat();
    return chosen.map(toWords).flatMap(id => (id === '' ? [] : `<${sign}${id}>`));
  };
  const chosen = [
    ...[inner('initial_option'), inner('initial_options'), inner('initial_value'), inner('initial_date')],
    ...[inner('initial_time'), ...ids('user', '@'), ...ids('channel', '#'), ...ids('conversation', '#')],
  ];
  return below(chosen) || inner('placeholder');
}

/** What may hold words that are written in Markdown: a picture or link, and what Slack itself encodes. */
const markdownLink =
  /!?\[([^\]\n]{0,500})\]\(\s{0,3}<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s{1,3}"[^"\n]{0,200}")?\s{0,3}\)|<[^<>\n]+>/g;

/** Standard Markdown in Slack's encoding: its links are Slack's, and its other signs stay as they are. */
function fromMarkdown(text: string): string {
  let words = '';
  let end = 0;
  for (const match of text.matchAll(markdownLink)) {
    const [whole, label, url] = match;
    words += encode(text.slice(end, match.index));
    words += label === undefined ? whole : whole.startsWith('!') ? encode(label) : toLink(url, encode(label));
    end = match.index + whole.length;
  }
  return words + encode(text.slice(end));
}

/** How each part of a `rich_text` begins a line, and how its words are written. */
function richText({ elements }: Wire, depth: number): string {
  const counts: number[] = [];
  return below(toItems(elements).map(part => toPart(part, counts, depth + 1)));
}

/** `counts` has the number of the last item at each depth of a list, which another list of the same depth goes on from. */
function toPart(part: Wire, counts: number[], depth: number): string {
  const items = toItems(part.elements);
  if (depth > maxDepth) return '';
  if (part.type !== 'rich_text_list') counts.length = 0;
  switch (part.type) {
    case 'rich_text_list': {
      const indent = Math.min(Math.max(Number(part.indent) || 0, 0), 8);
      counts.length = Math.min(counts.length, indent + 1);
      return items
        .map(item => {
          counts[indent] = (counts[indent] ?? (Number(part.offset) || 0)) + 1;
          const sign = part.style === 'ordered' ? `${counts[indent]}.` : '•';
          return `${'    '.repeat(indent)}${sign} ${toPart(item, [], depth + 1)}`;
        })
        .join('\n');
    }
    case 'rich_text_quote':
      return quoted(items.map(toPiece).join(''));
    case 'rich_text_preformatted':
      return `\`\`\`\n${items.map(toPiece).join('')}\n\`\`\``;
    default:
      return items.length > 0 ? items.map(toPiece).join('') : toPiece(part);
  }
}

/** Words as Slack writes a quotation. */
export function quoted(words: string): string {
  return words.replace(/^/gm, '&gt; ');
}

/** Signs of mrkdwn by the styles of a piece of `rich_text`. */
const styles = { bold: '*', italic: '_', strike: '~', code: '`' };

function toPiece(piece: Wire): string {
  const words = toBare(piece);
  const style = toWire(piece.style);
  const signs = Object.entries(styles).flatMap(([name, sign]) => (style[name] === true ? [sign] : []));
  const inner = words.trim();
  if (inner === '') return words;
  // Signs format only where they touch the words.
  return words.replace(inner, () => signs.reduceRight((text, sign) => `${sign}${text}${sign}`, inner));
}

function toBare(piece: Wire): string {
  const text = escapeMrkdwn(toWords(piece.text));
  switch (piece.type) {
    case 'user':
      return `<@${toWords(piece.user_id)}>`;
    case 'channel':
      return `<#${toWords(piece.channel_id)}>`;
    case 'usergroup':
      return `<!subteam^${toWords(piece.usergroup_id)}>`;
    case 'broadcast':
      return `<!${toWords(piece.range)}>`;
    case 'emoji':
      return `:${toWords(piece.name)}:`;
    case 'link':
      return toLink(piece.url, text) || escapeMrkdwn(toWords(piece.url));
    case 'date':
      return escapeMrkdwn(toWords(piece.fallback));
    case 'color':
      return escapeMrkdwn(toWords(piece.value));
    case 'team':
      return '';
    default:
      return text;
  }
}
