import { z } from 'zod';
import { attachmentText, authorOf, isForward, isPlaceholder } from './attachment-text.ts';
import { blockText, toItems, type Wire } from './block-text.ts';

/** A message in Slack. An integration's has an empty `userId` and a `botName`. */
export const SourceMessage = z.object({
  channelId: z.string(),
  ts: z.string(),
  /** The thread's first message when this one is a reply, else `""`. */
  threadTs: z.string(),
  /** Whether a thread hangs on it, or it hangs in one. */
  isThreaded: z.boolean(),
  /** Every word that people read of it, as Slack encodes text. */
  text: z.string(),
  userId: z.string(),
  botName: z.string(),
  /** Who said it, as Slack encodes text, when `userId` merely forwarded it without a word; else `""`. */
  forwardedFrom: z.string().default(''),
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
const File = z.object({
  id: words,
  name: words,
  title: words,
  permalink: words,
  mimetype: words,
  size: z.number().nullish(),
});
/** A message as shortcuts and histories carry it. */
export const MessageWire = z.object({
  ts: z.string(),
  text: words,
  user: words,
  username: words,
  bot_id: words,
  bot_profile: z.object({ name: words }).nullish(),
  thread_ts: words,
  reply_count: z.number().nullish(),
  files: z.array(File).nullish(),
  blocks: z.array(z.unknown()).nullish(),
  attachments: z.array(z.unknown()).nullish(),
});
type MessageWire = z.output<typeof MessageWire>;

/**
 * Reads a message as shortcuts and histories carry it. Its text is every word that people read of it in Slack, once, in order: of its
 * blocks, else its text, then of its attachments. Throws a ZodError for anything else.
 */
export function toSourceMessage(channelId: string, message: unknown): SourceMessage {
  const wire = MessageWire.parse(message);
  const threadTs = wire.thread_ts ?? '';
  const attachments = toItems(wire.attachments);
  const own = ownWords(wire);
  const [forward] = attachments.filter(isForward);
  const isMere = own === '' && attachments.length === 1 && forward !== undefined && !wire.bot_id;
  return {
    channelId,
    ts: wire.ts,
    threadTs: threadTs === wire.ts ? '' : threadTs,
    isThreaded: threadTs !== '' || (wire.reply_count ?? 0) > 0,
    text: [own, ...attachments.map(each => attachmentText(each, own))].filter(Boolean).join('\n\n'),
    userId: wire.user ?? '',
    botName: wire.username || wire.bot_profile?.name || '',
    forwardedFrom: isMere ? authorOf(forward) : '',
    files: [...(wire.files ?? []), ...attachments.flatMap(filesOf)].map(file => ({
      name: file.name || file.title || 'file',
      permalink: file.permalink ?? '',
      id: file.id ?? '',
      mimetype: file.mimetype ?? '',
      size: file.size ?? 0,
    })),
  };
}

/** The words of a message without those of its attachments. Its text is for clients that do not show its blocks. */
function ownWords({ text, blocks, user, bot_id: botId }: MessageWire): string {
  const shown = blockText(blocks ?? []);
  if (shown !== '') return shown;
  const isByPerson = Boolean(user) && !botId && !blocks?.length;
  return text?.trim() && (isByPerson || !isPlaceholder(text)) ? text : '';
}

function filesOf(attachment: Wire): readonly z.output<typeof File>[] {
  return toItems(attachment.files).flatMap(file => File.safeParse(file).data ?? []);
}
