import { z } from 'zod';

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
  files: z.array(z.object({ name: z.string(), permalink: z.string() })),
});
/** A message in Slack. */
export type SourceMessage = z.output<typeof SourceMessage>;

const words = z.string().nullish();
const Wire = z.object({
  ts: z.string(),
  text: words,
  user: words,
  username: words,
  bot_profile: z.object({ name: words }).nullish(),
  thread_ts: words,
  reply_count: z.number().nullish(),
  files: z.array(z.object({ name: words, title: words, permalink: words })).nullish(),
  attachments: z
    .array(z.object({ pretext: words, title: words, title_link: words, text: words, fallback: words }))
    .nullish(),
});

/**
 * Reads a message as shortcuts and histories carry it. Alerts often have attachments instead of a text; their words
 * then become the text. Throws a ZodError for anything else.
 */
export function toSourceMessage(channelId: string, message: unknown): SourceMessage {
  const wire = Wire.parse(message);
  const threadTs = wire.thread_ts ?? '';
  return {
    channelId,
    ts: wire.ts,
    threadTs: threadTs === wire.ts ? '' : threadTs,
    isThreaded: threadTs !== '' || (wire.reply_count ?? 0) > 0,
    text: wire.text?.trim() ? wire.text : (wire.attachments ?? []).map(toWords).filter(Boolean).join('\n\n'),
    userId: wire.user ?? '',
    botName: wire.username || wire.bot_profile?.name || '',
    files: (wire.files ?? []).map(file => ({
      name: file.name || file.title || 'file',
      permalink: file.permalink ?? '',
    })),
  };
}

function toWords(attachment: NonNullable<z.output<typeof Wire>['attachments']>[number]): string {
  const title =
    attachment.title && attachment.title_link ? `${attachment.title} ${attachment.title_link}` : attachment.title;
  const shown = [attachment.pretext, title, attachment.text].filter(part => part?.trim());
  return shown.length > 0 ? shown.join('\n') : (attachment.fallback ?? '');
}
