import { decodeEntities } from '../text/words.ts';
import { below, blockText, encode, quoted, toItems, toLink, toWire, toWords, type Wire } from './block-text.ts';

/** Slack's own words in place of a text that a message or an attachment does not have. */
const placeholder =
  /^\s*\[?(no preview available|this content can['’]t be displayed|this message contains interactive elements)\.?\]?\s*$/i;

/** Whether a text is Slack's own, in place of one. */
export function isPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** Whether an attachment is another message of Slack, forwarded or linked. */
export function isForward({ is_share: isShare, is_msg_unfurl: isUnfurl }: Wire): boolean {
  return isShare === true || isUnfurl === true;
}

/** Who said what an attachment says, as Slack encodes text; `""` when it does not say. */
export function authorOf(attachment: Wire): string {
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
export function attachmentText(attachment: Wire, own: string, depth = 0): string {
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
