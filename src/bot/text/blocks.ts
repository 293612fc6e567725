import type {
  ActionsBlockElement,
  Button as ButtonElement,
  ConfirmationDialog,
  KnownBlock,
  PlainTextElement,
} from '@slack/types';
import { slackLimits } from '../slack/limits.ts';
import { signs } from './signs.ts';
import { cap, cutMrkdwn, escapeMrkdwn, stripControls, toOneLine, toUnformatted } from './words.ts';

/** A message in Slack: `text` for notifications and screen readers, `blocks` for the eye. */
export interface Words {
  readonly text: string;
  readonly blocks?: readonly KnownBlock[];
  /** The text says all that the blocks show, in words that were made for it. */
  readonly isWhole?: true;
  /** Colour (`#rrggbb`) of a bar to the left of all blocks but the first, which is the headline above it. */
  readonly color?: string;
}

/** Texts are cut a little before Slack's limits. */
const maxSection = slackLimits.sectionText - 100;
const maxField = slackLimits.fieldText - 100;

/** Plain text: nothing in it is ever read as formatting, a link or a mention. Cut at `max` characters. */
export function plain(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: cap(stripControls(text), max) || ' ', emoji: true };
}

/**
 * The question that Slack asks when a button is pressed: title and text, and the words of its two buttons. One that is `dangerous`
 * has a red button.
 */
export function confirmation(ask: {
  readonly title: string;
  readonly text: string;
  readonly confirm: string;
  readonly deny: string;
  readonly dangerous: boolean;
}): ConfirmationDialog {
  return {
    title: plain(ask.title, slackLimits.confirmTitle),
    text: plain(ask.text, slackLimits.confirmText),
    confirm: plain(ask.confirm, slackLimits.confirmButton),
    deny: plain(ask.deny, slackLimits.confirmButton),
    ...(ask.dangerous ? { style: 'danger' } : {}),
  };
}

/** The question before something is deleted or overwritten. */
export function confirmLoss(title: string, text: string, confirm: string): ConfirmationDialog {
  return confirmation({ title, text, confirm, deny: 'Keep it', dangerous: true });
}

/** A paragraph of Muster's own mrkdwn. People's text in it has been through {@link toMrkdwn}. */
export function section(mrkdwn: string, accessory?: ButtonElement): KnownBlock {
  return {
    type: 'section',
    text: { type: 'mrkdwn', text: cutMrkdwn(mrkdwn, maxSection) || ' ' },
    ...(accessory ? { accessory } : {}),
  };
}

const calloutSigns = { info: signs.info, warning: signs.warning, error: signs.fails } as const;

/** A callout in a form, in Muster's own mrkdwn. */
export function callout(level: keyof typeof calloutSigns, mrkdwn: string): KnownBlock {
  return section(`${calloutSigns[level]} ${mrkdwn}`);
}

/** A list of mrkdwn in as few sections as hold it whole, each line in one. */
export function sections(lines: readonly string[]): KnownBlock[] {
  const texts: string[] = [];
  for (const line of lines) {
    const longer = `${texts.at(-1) ?? ''}\n${line}`;
    if (texts.length > 0 && longer.length <= maxSection) texts[texts.length - 1] = longer;
    else texts.push(line);
  }
  return texts.map(text => section(text));
}

/** Two columns of short facts, at most ten. */
export function facts(pairs: readonly (readonly [name: string, mrkdwn: string])[]): KnownBlock {
  return {
    type: 'section',
    fields: pairs
      .slice(0, slackLimits.fields)
      .map(([name, mrkdwn]) => ({ type: 'mrkdwn', text: cutMrkdwn(`*${name}*\n${mrkdwn || '–'}`, maxField) })),
  };
}

/** A headline in plain text, cut at Slack's limit. */
export function header(text: string): KnownBlock {
  return { type: 'header', text: plain(text, slackLimits.headerText) };
}

/** Small grey lines of mrkdwn, at most ten. */
export function context(...lines: readonly string[]): KnownBlock {
  return {
    type: 'context',
    elements: lines
      .slice(0, slackLimits.contextElements)
      .map(text => ({ type: 'mrkdwn', text: cutMrkdwn(text, maxSection) || ' ' })),
  };
}

/** Context in plain text: people's words exactly as they typed them, for them to copy. */
export function plainContext(...lines: readonly string[]): KnownBlock {
  const toText = (line: string): PlainTextElement => ({ ...plain(line, maxSection), emoji: false });
  return { type: 'context', elements: lines.slice(0, slackLimits.contextElements).map(toText) };
}

/** A row of buttons and menus, at most 25. */
export function actions(elements: readonly ActionsBlockElement[], blockId?: string): KnownBlock {
  return {
    type: 'actions',
    elements: elements.slice(0, slackLimits.actionElements),
    ...(blockId ? { block_id: blockId } : {}),
  };
}

/** A person's text as mrkdwn: control characters removed, cut to `max` characters, then made safe by {@link toUnformatted}. */
export function toMrkdwn(text: string, max = 500): string {
  return toUnformatted(cap(stripControls(text), max));
}

/** A person's text where mrkdwn reads no formatting, in fixed-width type or a topic: it mentions nobody there (docs/slack.md 8). */
export function toEscaped(text: string, max = 500): string {
  return escapeMrkdwn(cap(stripControls(text), max));
}

/** Lines of mrkdwn as a quote of Slack's. A line that is empty keeps its place. */
export function toQuote(mrkdwn: string): string {
  return mrkdwn.replace(/^/gm, '> ');
}

/** A person's text as a word in fixed-width type (mrkdwn), cut to `max` characters. */
export function code(text: string, max: number): string {
  return `\`${toEscaped(text.replaceAll('`', "'"), max)}\``;
}

/** A title inside a Slack link, where `|` and line ends would break it. */
export function toLinkLabel(title: string): string {
  return toEscaped(toOneLine(title.replace(/[*_~`]/g, ' ')).replaceAll('|', '/'), 150);
}

/** An address inside a Slack link. */
export function toSafeUrl(url: string): string {
  return url.replace(/[<>|"\s]/g, encodeURIComponent);
}

/** A mention of a person. Only for ids that came from Slack. */
export function mention(userId: string): string {
  return `<@${userId}>`;
}

/** The user id if the text is exactly one mention; `""` otherwise. */
export function mentioned(text: string): string {
  return /^<@(\w+)>$/.exec(text)?.[1] ?? '';
}

/** Muster's own mrkdwn as a message: one section, and the same text as notification. */
export function sentence(text: string): Words {
  return { text, blocks: [section(text)] };
}
