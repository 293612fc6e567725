import { type Inline, parseMrkdwn, parsePlainText } from '../../../playground/fake-slack/block-kit/mrkdwn.ts';
import { isJsonObject, type JsonObject, toObjects, toText } from '../../../playground/fake-slack/protocol/json.ts';
import type { Reading } from './recorder.ts';
import { evil, marks } from './wording.ts';

/** A text object that Slack shows: how it is read, and its words. */
interface ShownText {
  readonly type: 'mrkdwn' | 'plain_text';
  readonly text: string;
}

/** Every text object in a value, from the outside to the inside. */
function textsIn(value: unknown): readonly ShownText[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isJsonObject(value)) return [];
  const { type, text } = value;
  if ((type === 'mrkdwn' || type === 'plain_text') && typeof text === 'string') return [{ type, text }];
  return Object.values(value).flatMap(textsIn);
}

function childrenOf(node: Inline): readonly Inline[] {
  return 'children' in node ? node.children : [];
}

/** The letters of a piece, without its mentions. */
function lettersOf(node: Inline): string {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'date') return node.fallback;
  return childrenOf(node).map(lettersOf).join('');
}

/** What in a formatted text was made by the signs of a person’s text. */
function injectedIn(nodes: readonly Inline[]): readonly string[] {
  return nodes.flatMap(node => {
    const found: string[] = [];
    if (node.kind === 'broadcast') found.push(`it alarms @${node.range}`);
    if (node.kind === 'group') found.push(`it mentions the group ${node.id}`);
    if (node.kind === 'person' && node.id === evil.person) found.push(`it mentions ${node.id}`);
    if (node.kind === 'link' && node.url.includes(evil.host) && node.label !== undefined)
      found.push(`a text links to ${node.url}`);
    if ('children' in node) {
      const letters = lettersOf(node).trim();
      const isMade = marks.some(mark => letters.startsWith(mark) || letters.endsWith(mark));
      const isCode = node.kind === 'code' || node.kind === 'pre';
      // No date is written within code, so a person’s sign shows there as the token that it became.
      if (isCode && node.children.some(each => each.kind === 'date'))
        found.push(`a sign is spelt out in ${node.kind}: “${letters.slice(0, 60)}”`);
      if (isMade) found.push(`it is ${node.kind}: “${letters.slice(0, 60)}”`);
    }
    return [...found, ...injectedIn(childrenOf(node))];
  });
}

/** The mentions and links of a text in which nothing is formatted. */
function parseReferencesOf(text: string): readonly Inline[] {
  return parseMrkdwn(text.replaceAll(/[*_~`]/g, ''));
}

/** How a text of a person mentions or formats something in what Muster showed; empty when it does not. */
export function injections({ text, blocks, reader }: Reading): readonly string[] {
  // Slack formats nothing in a topic.
  if (reader === 'topic') return injectedIn(parseReferencesOf(text));
  const shown: readonly ShownText[] = [
    // The title of a form is plain.
    { type: reader === 'form' ? 'plain_text' : 'mrkdwn', text },
    ...textsIn(blocks),
  ];
  return shown.flatMap(({ type, text }) =>
    injectedIn(type === 'mrkdwn' ? parseMrkdwn(text) : parsePlainText(text)).map(
      found => `${found}, in ${type} “${text.slice(0, 200)}”`,
    ),
  );
}

/** The words of a block without its buttons and menus. */
function factsOf(block: JsonObject): readonly string[] {
  const own = ({ type, text }: ShownText): string =>
    plainOf(type === 'mrkdwn' ? parseMrkdwn(text) : parsePlainText(text));
  switch (block.type) {
    case 'header':
    case 'section':
      return [...textsIn(block.text), ...textsIn(block.fields)].map(own);
    case 'context':
      return textsIn(toObjects(block.elements)).map(own);
    case 'actions':
    case 'divider':
      return [];
    case 'data_table':
      return [toText(block.caption), ...cellsOf(block)].map(text => plainOf(parsePlainText(text)));
    default:
      return textsIn(block).map(own);
  }
}

/** The words of a table’s cells. Its head says nothing of an incident. */
function cellsOf({ rows }: JsonObject): readonly string[] {
  return Array.isArray(rows) ? rows.slice(1).flatMap(row => toObjects(row).map(cell => toText(cell.text))) : [];
}

/** A formatted text as a person reads it, with ids in place of names. */
function plainOf(nodes: readonly Inline[]): string {
  return nodes
    .map(node => {
      if (node.kind === 'text') return node.text;
      if (node.kind === 'emoji') return ` :${node.name}: `;
      if (node.kind === 'date')
        return Number.isNaN(node.seconds) || node.seconds === 0 ? node.fallback : ` ${node.seconds} `;
      if (node.kind === 'link') return ` ${node.label ?? node.url} `;
      if (node.kind === 'person' || node.kind === 'channel' || node.kind === 'group') return ` ${node.id} `;
      return plainOf(childrenOf(node));
    })
    .join('');
}

/** The words of a text. A word that Muster cut is none. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/[\p{L}\p{N}\p{M}]+…/gu, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/** A sign comes with the word that it is a sign of. */
const withoutSigns = (text: string): string => text.replaceAll(/ :[a-z0-9_+'-]+: /g, ' ');

/** Characters of `text` from which on Muster may have cut it (`src/bot/text/spoken.ts`); the text ends with `…` then. */
const longText = 3600;

/** Words of a message’s blocks that its `text` lacks, which alone a screen reader and a notification have. */
export function unspoken({ reader, text, blocks }: Reading): readonly string[] {
  if (reader === 'form' || reader === 'home tab' || blocks.length === 0) return [];
  const spoken = new Set(wordsOf(plainOf(parseMrkdwn(text))));
  if (text.length > longText && text.endsWith('…')) return [];
  return [...new Set(blocks.flatMap(factsOf).map(withoutSigns).flatMap(wordsOf))].filter(word => !spoken.has(word));
}

/** Buttons of a message that look the same and that a screen reader cannot tell apart, or whose label Slack refuses (docs/slack.md 5). */
export function lookAlikes({ blocks }: Reading): readonly string[] {
  const buttons = blocks
    .flatMap(block => [...toObjects(block.elements), ...(isJsonObject(block.accessory) ? [block.accessory] : [])])
    .filter(each => each.type === 'button')
    .map(each => ({
      face: isJsonObject(each.text) ? toText(each.text.text) : '',
      spoken: toText(each.accessibility_label),
    }));
  return [...new Set(buttons.map(each => each.face))].flatMap(face => {
    const spoken = buttons.filter(each => each.face === face).map(each => each.spoken);
    if (spoken.some(each => each.length > 75)) return [`[${face}] has a label of more than 75 characters`];
    const isTold = !spoken.includes('') && new Set(spoken).size === spoken.length;
    return spoken.length < 2 || isTold
      ? []
      : [`${spoken.length} buttons [${face}] are told apart by ${JSON.stringify(spoken)}`];
  });
}

/** What is wrong with the answer of a call: its blocks, its text or its view. */
export function refusalOf(response: JsonObject | undefined): string | undefined {
  if (response === undefined || response.ok !== false) return undefined;
  const error = toText(response.error);
  return /block|text|view|arguments|attachment|too_long|topic|name/.test(error) ? JSON.stringify(response) : undefined;
}
