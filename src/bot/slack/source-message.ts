import { z } from 'zod';
import { blockText } from './block-text.ts';

/** A message in Slack. An integration's has an empty `userId` and a `botName`. */
export const SourceMessage = z.object({
  channelId: z.string(),
  ts: z.string(),
  /** The thread's first message when this one is a reply, else `""`. */
  threadTs: z.string(),
  /** Whether a thread hangs on it, or it hangs in one. */
  isThreaded: z.boolean(),
  /** As Slack encodes it. */
  text: z.string(),
  userId: z.string(),
  botName: z.string(),
  files: z.array(
    z.object({
      name: z.string(),
      permalink: z.string(),
      id: z.string().default(''),
      /** `""` when Slack does not say it. */
      mimetype: z.string().default(''),
      /** In bytes; 0 when Slack does not say it. */
      size: z.number().default(0),
    }),
  ),
});
/** A message in Slack. */
export type SourceMessage = z.output<typeof SourceMessage>;

/** A message by its channel and time. */
export const MessageAddress = z.object({ channelId: z.string(), ts: z.string() });
/** A message by its channel and time. */
export type MessageAddress = z.output<typeof MessageAddress>;

/** The message whose delivery begins a key; undefined for the key of anything else. */
export function messageOfKey(key: string): MessageAddress | undefined {
  const [, channelId, ts] = /^message\/([^/]+)\/([\d.]+)/.exec(key) ?? [];
  return channelId && ts ? { channelId, ts } : undefined;
}

/** The message that Slack's permalink leads to; undefined for any other address (docs/slack.md 7). */
export function readPermalink(url: string): MessageAddress | undefined {
  const [, channelId, seconds, fraction] = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})(?:\?|$)/.exec(url) ?? [];
  return channelId && seconds && fraction ? { channelId, ts: `${seconds}.${fraction}` } : undefined;
}

const words = z.string().nullish();
/** A message as shortcuts and histories carry it. */
export const MessageWire = z.object({
  ts: z.string(),
  text: words,
  user: words,
  username: words,
  bot_profile: z.object({ name: words }).nullish(),
  thread_ts: words,
  reply_count: z.number().nullish(),
  files: z
    .array(
      z.object({
        id: words,
        name: words,
        title: words,
        permalink: words,
        mimetype: words,
        size: z.number().nullish(),
      }),
    )
    .nullish(),
  blocks: z.array(z.unknown()).nullish(),
  attachments: z
    .array(
      z.object({
        pretext: words,
        title: words,
        title_link: words,
        text: words,
        fallback: words,
        blocks: z.array(z.unknown()).nullish(),
      }),
    )
    .nullish(),
});

/** Slack's own words in place of the text that a message of blocks alone does not have. */
const noText = /^\s*(This content can['’]t be displayed\.?)?\s*$/;

/**
 * Reads a message as shortcuts and histories carry it. Alerts often have blocks or attachments instead of a text; their words then
 * become the text. Throws a ZodError for anything else.
 */
export function toSourceMessage(channelId: string, message: unknown): SourceMessage {
  const wire = MessageWire.parse(message);
  const threadTs = wire.thread_ts ?? '';
  return {
    channelId,
    ts: wire.ts,
    threadTs: threadTs === wire.ts ? '' : threadTs,
    isThreaded: threadTs !== '' || (wire.reply_count ?? 0) > 0,
    text: textOf(wire),
    userId: wire.user ?? '',
    botName: wire.username || wire.bot_profile?.name || '',
    files: (wire.files ?? []).map(file => ({
      name: file.name || file.title || 'file',
      permalink: file.permalink ?? '',
      id: file.id ?? '',
      mimetype: file.mimetype ?? '',
      size: file.size ?? 0,
    })),
  };
}

function textOf({ text, blocks, attachments }: z.output<typeof MessageWire>): string {
  if (text && !noText.test(text)) return text;
  const parts = [blockText(blocks ?? []), ...(attachments ?? []).map(toWords)];
  return parts.filter(Boolean).join('\n\n');
}

function toWords(attachment: NonNullable<z.output<typeof MessageWire>['attachments']>[number]): string {
  const title =
    attachment.title && attachment.title_link ? `${attachment.title} ${attachment.title_link}` : attachment.title;
  const shown = [attachment.pretext, title, attachment.text, blockText(attachment.blocks ?? [])];
  return shown.filter(part => part?.trim()).join('\n') || (attachment.fallback ?? '');
}
