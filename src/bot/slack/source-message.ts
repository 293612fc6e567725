import { z } from 'zod';
import { decodeEntities } from '../text/words.ts';
import { below, blockText, encode, quoted, toItems, toLink, toWire, toWords, type Wire } from './block-text.ts';

/** Slack's own words in place of a text that a message or an attachment does not have. */
const placeholder =
  /^\s*\[?(no preview available|this content can['’]t be displayed|this message contains interactive elements)\.?\]?\s*$/i;

/** Whether a text is Slack's own, in place of one. */
function isPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** Whether an attachment is another message of Slack, forwarded or linked. */
function isForward({ is_share: isShare, is_msg_unfurl: isUnfurl }: Wire): boolean {
  return isShare === true || isUnfurl === true;
}

/** Who said what an attachment says, as Slack encodes text; `""` when it does not say. */
function authorOf(attachment: Wire): string {
  const [name, id] = [
    toWords(attachment.author_name) || toWords(attachment.author_subname),
    toWords(attachment.author_id),
  ];
  return encode(name) || (/^[UW][A-Z0-9]+$/.test(id) ? `<@${id}>` : '');
}

/** How deep attachments lie in each other, at most. */
const maxDepth = 5;

/**
 * The words of an attachment in reading order, as Slack encodes text: of an app's, of a preview of a link, or of a forwarded message,
 * which is a quotation below its author. An address that `own`, the message's own text, has already is not repeated.
 */
function attachmentText(attachment: Wire, own: string, depth = 0): string {
  if (depth > maxDepth) return '';
  const known = decodeEntities(own);
  const link = (url: unknown, label: string) =>
    label === '' || known.includes(toWords(url)) ? label : toLink(url, label);
  const text = (member: string) => toWords(attachment[member]);
  const shown = (words: string) => (isPlaceholder(words) ? '' : words);
  const author = authorOf(attachment);
  const parts = [
    blockText(blocksIn(attachment.blocks)) || blockText(blocksIn(attachment.message_blocks)) || shown(text('text')),
    ...toItems(attachment.fields).map(toField),
    ...toItems(attachment.attachments).map(each => attachmentText(each, own, depth + 1)),
    ...toItems(attachment.actions).map(each => toLink(each.url, encode(toWords(each.text)))),
  ];
  if (isForward(attachment)) {
    const said = below([encode(text('title')), ...parts]) || fallbackOf(attachment);
    const address = text('from_url') || text('original_url');
    const by = author === '' ? toLink(address, '') : link(address, author);
    return below([by && `${by}:`, said && quoted(said), footOf(attachment)]);
  }
  const words = below([
    ...[text('pretext'), encode(text('service_name')), link(attachment.author_link, author)],
    ...[link(attachment.title_link ?? attachment.from_url, encode(text('title'))), ...parts, footOf(attachment)],
  ]);
  return words || fallbackOf(attachment);
}

/** The blocks of an attachment; those of a forwarded message lie in a message each. */
function blocksIn(value: unknown): readonly unknown[] {
  return toItems(value).flatMap(each => {
    const inner = toWire(each.message).blocks;
    return Array.isArray(inner) ? inner : [each];
  });
}

function toField({ title, value }: Wire): string {
  const [name, words] = [encode(toWords(title)).trim(), toWords(value)];
  if (name === '' || words.trim() === '') return name || words;
  return words.includes('\n') ? `${name}\n${words}` : `${name.replace(/:$/, '')}: ${words}`;
}

/** What stands below an attachment. The channel of a forwarded message may be private, so it stands there by its id. */
function footOf(attachment: Wire): string {
  const [footer, id] = [toWords(attachment.footer), toWords(attachment.channel_id)];
  const named = isForward(attachment) && id !== '' ? footer.replace(/(?<!<)#[^\s|<>]+/, `<#${id}>`) : footer;
  const seconds = Number(toWords(attachment.ts));
  const isTime = Number.isFinite(seconds) && seconds > 0 && seconds < 8.64e12;
  const time = isTime ? `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC` : '';
  return [named, time].filter(part => part.trim() !== '').join(' | ');
}

/** The words for clients that show nothing else of an attachment; `""` where Slack shows a picture or a file. */
function fallbackOf(attachment: Wire): string {
  const fallback = toWords(attachment.fallback);
  const isShown = attachment.image_url || toItems(attachment.files).length > 0 || isPlaceholder(fallback);
  return isShown ? '' : encode(fallback);
}

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
