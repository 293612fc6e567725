import type { KnownBlock } from '@slack/types';
import { plainContext, section, type Words } from '../../text/blocks.ts';
import { cap, toPlainText } from '../../text/words.ts';
import type { Draft } from '../feature/drafts.ts';

/** A sentence of mrkdwn above the typed text, which the person can copy and correct; `offers` go between. */
export function addTypedText(text: string, draft: Draft | undefined, offers: readonly KnownBlock[] = []): Words {
  return { text, blocks: [section(text), ...offers, ...typedBack(draft)] };
}

/** Characters in one piece of the typed text, and pieces at most: the limits of a context and a message (docs/slack.md 5). */
const pieceLength = 2500;
const maxPieces = 3;
/** Characters that the typed text has at most as JSON: Slack counts a message as it is sent, and a quotation mark takes two. */
const maxSent = 8500;

/** The typed text, for the person to copy and correct. */
export function typedBack(draft: Draft | undefined): readonly KnownBlock[] {
  const root = draft?.kind === 'command' && draft.root !== 'mention' ? `/${draft.root} ` : '';
  const typed = draft?.kind === 'command' ? `${root}${toPlainText(draft.text)}`.trim() : '';
  if (typed === '') return [];
  let whole = cap(typed, pieceLength * maxPieces);
  while (JSON.stringify(whole).length > maxSent) whole = cap(typed, Math.floor(whole.length * 0.9));
  const pieces = [];
  for (let at = 0; at < whole.length; at += pieceLength) {
    pieces.push(whole.slice(at, at + pieceLength).toWellFormed());
  }
  return [plainContext(`You typed: ${pieces[0]}`, ...pieces.slice(1))];
}
