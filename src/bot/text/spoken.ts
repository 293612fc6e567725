import type { KnownBlock, MessageAttachment } from '@slack/types';
import { slackLimits } from '../slack/limits.ts';
import type { Words } from './blocks.ts';
import { cutMrkdwn, toUnformatted, withoutFormatting } from './words.ts';

/** Most characters of the text that goes with the blocks: a little fewer than an update may carry. */
export const maxText = slackLimits.updateText - 100;

/** A message as Slack takes it. */
interface Message {
  readonly text: string;
  readonly blocks?: KnownBlock[];
  readonly attachments?: MessageAttachment[];
}

/**
 * The words as Slack takes them. Notifications and screen readers get the `text` in place of the blocks, so it says all that the blocks
 * show, in words alone.
 */
export function toMessage({ text, blocks, isWhole, color }: Words): Message {
  if (!blocks || blocks.length === 0) return { text: withoutFormatting(text) };
  const spoken = isWhole ? text : spokenText(text, blocks, maxText);
  if (color === undefined || blocks.length < 2) return { text: spoken, blocks: [...blocks] };
  // Slack draws the bar along an attachment, and shows blocks above it in place of the text.
  return { text: spoken, blocks: blocks.slice(0, 1), attachments: [{ color, blocks: blocks.slice(1) }] };
}

/**
 * The words with the text that {@link toMessage} gives them, so that it is made once for words that many people read. A message that is
 * posted once and never updated may have more characters of text, `max`.
 */
export function withSpokenText({ text, blocks = [], ...words }: Words, max = maxText): Words {
  return { ...words, text: spokenText(text, blocks, max), blocks, isWhole: true };
}

function spokenText(text: string, blocks: readonly KnownBlock[], max: number): string {
  const lines = blocks.flatMap(linesOf).filter(line => line.trim() !== '');
  const spoken = lines.length === 0 ? text : lines.join('\n');
  return cutMrkdwn(withoutFormatting(spoken), max);
}

/** What a block says, buttons aside: a reader comes to those by themselves. */
function linesOf(block: KnownBlock): readonly string[] {
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
