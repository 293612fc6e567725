import { z } from 'zod';
import { type JsonObject, toObject } from '../../json-object.ts';
import { decodeEntities, escapeMrkdwn } from '../text/words.ts';

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
      /** `""` for an e-mail, since the text has its subject, and for a file that Slack describes only when it is asked ({@link describeFiles}). */
      name: z.string(),
      permalink: z.string(),
      /** `""` where there is nothing to read: Slack does not say it, or the text has the words already. */
      id: z.string().default(''),
      /** `""` when Slack does not say it. */
      mimetype: z.string().default(''),
      /** In bytes; 0 when Slack does not say it. */
      size: z.number().default(0),
    }),
  ),
});
export type SourceMessage = z.output<typeof SourceMessage>;

/** A message by its channel and time. */
export const MessageAddress = z.object({ channelId: z.string(), ts: z.string() });
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
  /**
   * `tombstone`: it was deleted. `hidden_by_limit`: it is older than the workspace pays for. `email`: it is one. `file_access`: Slack describes it
   * to who asks.
   */
  mode: words,
  subject: words,
  from: z
    .array(z.object({ address: words, name: words }))
    .nullish()
    .catch(undefined),
  plain_text: words,
  preview_plain_text: words,
  /** The files of an e-mail. */
  attachments: z
    .array(z.object({ filename: words }))
    .nullish()
    .catch(undefined),
  /** Of a voice or video clip. */
  transcription: z
    .object({ status: words, preview: z.object({ content: words, has_more: z.boolean().nullish() }).nullish() })
    .nullish()
    .catch(undefined),
});
type File = z.output<typeof File>;

/** A message as shortcuts and histories carry it. */
export const MessageWire = z.object({
  ts: z.string(),
  /** `tombstone`: it was deleted, and its thread stands (docs/slack.md 4). */
  subtype: words,
  text: words,
  user: words,
  username: words,
  bot_id: words,
  bot_profile: z.object({ name: words }).nullish(),
  thread_ts: words,
  reply_count: z.number().nullish(),
  // Slack sends null for some that it does not show.
  files: z.array(File.nullish()).nullish(),
  blocks: z.array(z.unknown()).nullish(),
  attachments: z.array(z.unknown()).nullish(),
});
type MessageWire = z.output<typeof MessageWire>;

/**
 * Reads a message as shortcuts and histories carry it. Its text is every word that people read of it in Slack, once, in order: of its
 * blocks, else its text, then of its attachments. Throws a ZodError for anything else.
 */
export function toSourceMessage(channelId: string, message: unknown): SourceMessage {
  const parsed = MessageWire.parse(message);
  const wire = parsed.subtype === 'tombstone' ? { ...parsed, text: '', blocks: [] } : parsed;
  const threadTs = wire.thread_ts ?? '';
  const attachments = toItems(wire.attachments);
  const own = ownWords(wire);
  const [forward] = attachments.filter(isForward);
  const isMere = own === '' && attachments.length === 1 && forward !== undefined && !wire.bot_id;
  const files = [
    ...(wire.files ?? []),
    ...attachments.flatMap(({ files }) => toItems(files).map(file => File.safeParse(file).data)),
  ].flatMap(file => (file && !['tombstone', 'hidden_by_limit'].includes(file.mode ?? '') ? [file] : []));
  return {
    channelId,
    ts: wire.ts,
    threadTs: threadTs === wire.ts ? '' : threadTs,
    isThreaded: threadTs !== '' || (wire.reply_count ?? 0) > 0,
    text: [own, ...attachments.map(each => attachmentText(each, own)), ...files.map(fileText)]
      .filter(Boolean)
      .join('\n\n'),
    userId: wire.user ?? '',
    botName: wire.username || wire.bot_profile?.name || '',
    forwardedFrom: isMere ? authorOf(forward) : '',
    files: files.map(toSourceFile),
  };
}

function toSourceFile(file: File): SourceMessage['files'][number] {
  const isUndescribed = file.mode === 'file_access';
  return {
    name: file.mode === 'email' || isUndescribed ? '' : file.name || file.title || 'file',
    permalink: file.permalink ?? '',
    id: file.mode === 'email' ? '' : (file.id ?? ''),
    mimetype: file.mimetype ?? '',
    size: file.size ?? 0,
  };
}

/**
 * The message with the files that Slack describes only when it is asked, as in channels of several organisations (docs/slack.md 4). `info` is the
 * file by its id as `files.info` gives it; one that Slack does not give is a file without a name.
 */
export async function describeFiles(
  message: SourceMessage,
  info: (id: string) => Promise<unknown>,
): Promise<SourceMessage> {
  const described = await Promise.all(
    message.files.map(async known => {
      if (known.name !== '' || known.id === '') return { known, words: '' };
      const { data } = File.safeParse(await info(known.id));
      return data
        ? { known: toSourceFile(data), words: fileText(data) }
        : { known: { ...known, name: 'file' }, words: '' };
    }),
  );
  const text = [message.text, ...described.map(each => each.words)].filter(Boolean).join('\n\n');
  return { ...message, text, files: described.map(each => each.known) };
}

/** The words of a file that Slack shows in its message: of an e-mail, or the transcript of a clip. */
function fileText(file: File): string {
  if (file.mode === 'email') {
    const senders = (file.from ?? []).map(each =>
      [each.name, each.address && `<${each.address}>`].filter(Boolean).join(' '),
    );
    const parts = [
      file.subject || file.title || file.name,
      senders.length === 0 ? '' : `From: ${senders.join(', ')}`,
      file.plain_text || file.preview_plain_text,
      ...(file.attachments ?? []).map(each => each.filename),
    ];
    return below(parts.map(each => encode(each ?? '')));
  }
  const { transcription } = file;
  const { content, has_more: hasMore } = transcription?.preview ?? {};
  return transcription?.status === 'complete' && content ? encode(`${content}${hasMore ? ' …' : ''}`) : '';
}

/** The words of a message without those of its attachments. Its text is for clients that do not show its blocks. */
function ownWords({ text, blocks, user, bot_id: botId }: MessageWire): string {
  const shown = blockText(blocks ?? []);
  if (shown !== '') return shown;
  const isByPerson = Boolean(user) && !botId && !blocks?.length;
  return text?.trim() && (isByPerson || !isPlaceholder(text)) ? text : '';
}

/** The items of a list; none for anything else. */
function toItems(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

/** A value as text; `""` for anything but text and numbers. */
function toWords(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Encodes plain text that Slack may have encoded already. */
function encode(text: string): string {
  return escapeMrkdwn(text).replace(/&amp;(amp|lt|gt);/g, '&$1;');
}

/** A link in Slack's encoding; its label alone when there is no address that can stand there. */
function toLink(url: unknown, label: string): string {
  const address = toWords(url);
  if (!/^[a-z][a-z0-9+.-]*:\S/i.test(address)) return label;
  const safe = encode(address.replace(/[<>|\s]/g, encodeURIComponent));
  return label === '' ? `<${safe}>` : `<${safe}|${label.replace(/<[^<>]*>/g, '').replace(/\s+/g, ' ')}>`;
}

/** Parts that have words, below each other. */
function below(parts: readonly string[]): string {
  return parts.filter(part => part.trim() !== '').join('\n');
}

/** How deep blocks lie in each other, at most: what is deeper, Slack does not draw. */
const maxDepth = 20;

/**
 * The words of a message's blocks as Slack encodes text, in reading order, a line for each part: also of tables, images, buttons, and of
 * kinds that are not known.
 */
function blockText(blocks: readonly unknown[]): string {
  return below(toItems(blocks).map(block => toText(block, 0)));
}

/** The members of blocks, and of what lies in them, that hold words, in the order in which people read them. */
const members = [
  ...['icon', 'hero_image', 'author_name', 'provider_name', 'caption', 'title', 'rich_text_title', 'subtitle'],
  ...['label', 'text', 'body'],
  ...['description', 'alt_text', 'fields', 'elements', 'child_blocks', 'tasks', 'details', 'output', 'sources'],
  ...['chart', 'name', 'value', 'segments', 'series', 'data', 'accessory', 'element', 'options', 'actions', 'hint'],
];

/** Members that are words only as one type: a picture that is no mere name, the number of a point that is not for the app alone. */
const ofType: Readonly<Record<string, string>> = { icon: 'object', hero_image: 'object', value: 'number' };

/** How the step of a plan ended, where it has ended. */
const stepMarks: Readonly<Record<string, string>> = { complete: '✓ ', error: '✗ ' };

/** Menus and inputs, which show what is chosen or typed, else what to do. */
const isField = /_(select|input)$|picker$/;

function toText(value: unknown, depth: number): string {
  if (typeof value === 'string' || typeof value === 'number') return encode(String(value));
  if (typeof value !== 'object' || value === null || depth > maxDepth) return '';
  if (Array.isArray(value)) return below(value.map(each => toText(each, depth + 1)));
  const wire = toObject(value);
  const type = toWords(wire.type);
  const inner = (member: string) => toText(wire[member], depth + 1);
  switch (type) {
    case 'mrkdwn':
      return toWords(wire.text);
    case 'rich_text': {
      const counts: number[] = [];
      return below(toItems(wire.elements).map(part => toPart(part, counts, depth + 1)));
    }
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
    case 'feedback_buttons':
    case 'icon_button':
      return '';
  }
  if (isField.test(type)) return chosenIn(wire, inner);
  const mark = type === 'task_card' || type === 'plan' ? (stepMarks[toWords(wire.status)] ?? '') : '';
  return (
    mark + below(members.filter(member => typeof wire[member] === (ofType[member] ?? typeof wire[member])).map(inner))
  );
}

function toRows(rows: unknown, depth: number): readonly string[] {
  if (!Array.isArray(rows)) return [];
  const toCell = (cell: JsonObject) => toText(cell, depth + 2).replaceAll('\n', ' ');
  return rows.map(row => toItems(row).map(toCell).join(' | '));
}

function chosenIn(field: JsonObject, inner: (member: string) => string): string {
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
  /!?\[([^[\]\n]{0,500})\]\(\s{0,3}<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s{1,3}"[^"\n]{0,200}")?\s{0,3}\)|<[^<>\n]+>/g;

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

/** `counts` has the number of the last item at each depth of a list, which another list of the same depth goes on from. */
function toPart(part: JsonObject, counts: number[], depth: number): string {
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
function quoted(words: string): string {
  return words.replace(/^/gm, '&gt; ');
}

/** Signs of mrkdwn by the styles of a piece of `rich_text`. */
const styles = { bold: '*', italic: '_', strike: '~', code: '`' };

function toPiece(piece: JsonObject): string {
  const words = toBare(piece);
  const style = toObject(piece.style);
  const signs = Object.entries(styles).flatMap(([name, sign]) => (style[name] === true ? [sign] : []));
  const inner = words.trim();
  if (inner === '') return words;
  // Signs format only where they touch the words.
  return words.replace(inner, () => signs.reduceRight((text, sign) => `${sign}${text}${sign}`, inner));
}

function toBare(piece: JsonObject): string {
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
      return toLink(piece.url, escapeMrkdwn(toWords(piece.fallback) || toDate(piece)));
    case 'color':
      return escapeMrkdwn(toWords(piece.value));
    case 'team':
      return '';
    default:
      return text;
  }
}

/**
 * The words of a date's format, with its moment in place of what Slack writes in the reader's own zone. A format with a day and a time
 * has each in its place.
 */
function toDate({ format, timestamp }: JsonObject): string {
  const words = toWords(format);
  const moment = toMoment(timestamp);
  const [day = '', ...time] = moment.split(' ');
  const isSplit = /\{da[^{}]*\}/.test(words) && /\{time[^{}]*\}/.test(words);
  const part = (token: string) => (token.startsWith('{da') ? day : token.startsWith('{time') ? time.join(' ') : moment);
  return words.replace(/\{[^{}]*\}/g, token => (isSplit ? part(token) : moment)) || moment;
}

/** Slack's own words in place of a text that a message or an attachment does not have. */
const placeholder =
  /^\s*\[?(no preview available|this content can['’]t be displayed|this message contains interactive elements)\.?\]?\s*$/i;

/** Whether a text is Slack's own, in place of one. */
function isPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** Whether an attachment is another message of Slack, forwarded or linked. */
function isForward({ is_share: isShare, is_msg_unfurl: isUnfurl }: JsonObject): boolean {
  return isShare === true || isUnfurl === true;
}

/** Who said what an attachment says, as Slack encodes text; `""` when it does not say. */
function authorOf(attachment: JsonObject): string {
  const [name, id] = [
    toWords(attachment.author_name) || toWords(attachment.author_subname),
    toWords(attachment.author_id),
  ];
  return encode(name) || (/^[UW][A-Z0-9]+$/.test(id) ? `<@${id}>` : '');
}

/** How deep attachments lie in each other, at most. */
const mostNested = 5;

/**
 * The words of an attachment in reading order, as Slack encodes text: of an app's, of a preview of a link, or of a forwarded message,
 * which is a quotation below its author. An address that `own`, the message's own text, has already is not repeated.
 */
function attachmentText(attachment: JsonObject, own: string, depth = 0): string {
  if (depth > mostNested) return '';
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
    const inner = toObject(each.message).blocks;
    return Array.isArray(inner) ? inner : [each];
  });
}

function toField({ title, value }: JsonObject): string {
  const [name, words] = [encode(toWords(title)).trim(), toWords(value)];
  if (name === '' || words.trim() === '') return name || words;
  return words.includes('\n') ? `${name}\n${words}` : `${name.replace(/:$/, '')}: ${words}`;
}

/** A moment in seconds since the epoch, to the minute; `""` for none. */
function toMoment(value: unknown): string {
  const seconds = Number(toWords(value));
  const isTime = Number.isFinite(seconds) && seconds > 0 && seconds < 8.64e12;
  return isTime ? `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC` : '';
}

/** What stands below an attachment. The channel of a forwarded message may be private, so it stands there by its id. */
function footOf(attachment: JsonObject): string {
  const [footer, id] = [toWords(attachment.footer), toWords(attachment.channel_id)];
  const named = isForward(attachment) && id !== '' ? footer.replace(/(?<!<)#[^\s|<>]+/, `<#${id}>`) : footer;
  const time = toMoment(attachment.ts);
  return [named, time].filter(part => part.trim() !== '').join(' | ');
}

/** The words for clients that show nothing else of an attachment; `""` where Slack shows a picture or a file. */
function fallbackOf(attachment: JsonObject): string {
  const fallback = toWords(attachment.fallback);
  const isShown = attachment.image_url || toItems(attachment.files).length > 0 || isPlaceholder(fallback);
  return isShown ? '' : encode(fallback);
}
