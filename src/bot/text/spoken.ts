import type { KnownBlock } from '@slack/types';
import type { Words } from './blocks.ts';
import { isNewer } from './newer-blocks.ts';
import { cutMrkdwn, toUnformatted, withoutFormatting } from './words.ts';

/** Most characters of a text that an update may carry (docs/slack.md 5); cut a little before. */
const maxText = 3900;
/** The same of a message with a table, which is posted once and never updated. */
const maxTableText = 16_000;

/** A message as Slack takes it. */
export interface Message {
  readonly text: string;
  readonly blocks?: KnownBlock[];
}

/**
 * The words as Slack takes them. Notifications and screen readers get the `text` in place of the blocks, so it says all that the blocks
 * show, in words alone.
 */
export function toMessage({ text, blocks, isWhole }: Words): Message {
  if (!blocks || blocks.length === 0) return { text: withoutFormatting(text) };
  if (isWhole) return { text, blocks: [...blocks] };
  const lines = blocks.flatMap(linesOf).filter(line => line.trim() !== '');
  const spoken = lines.length === 0 ? text : lines.join('\n');
  const max = blocks.some(isNewer) ? maxTableText : maxText;
  return { text: cutMrkdwn(withoutFormatting(spoken), max), blocks: [...blocks] };
}

/** What a block says, buttons aside: a reader comes to those by themselves. A newer block says what the classic ones in its place say. */
function linesOf(block: KnownBlock): readonly string[] {
  if (isNewer(block)) return block.classic.flatMap(linesOf);
  switch (block.type) {
    case 'header':
      return [asMrkdwn(block.text)];
    case 'section':
      return [...(block.text ? [asMrkdwn(block.text)] : []), ...(block.fields ?? []).map(asMrkdwn)];
    case 'context':
      return [block.elements.flatMap(each => (each.type === 'image' ? [] : [asMrkdwn(each)])).join(' ')];
    default:
      return [];
  }
}

function asMrkdwn({ type, text }: { readonly type: 'mrkdwn' | 'plain_text'; readonly text: string }): string {
  return type === 'mrkdwn' ? text : toUnformatted(text);
}
