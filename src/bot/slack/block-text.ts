import { z } from 'zod';
import { escapeMrkdwn } from '../text/words.ts';

/** Text of a block: mrkdwn is encoded already, plain text is not. */
const TextObject = z.object({ type: z.string(), text: z.string() });

/** An element of a `rich_text` block: a container of others, or a piece of text. */
interface RichElement {
  readonly type: string;
  readonly text?: string | undefined;
  readonly user_id?: string | undefined;
  readonly channel_id?: string | undefined;
  readonly usergroup_id?: string | undefined;
  readonly url?: string | undefined;
  readonly range?: string | undefined;
  readonly name?: string | undefined;
  readonly fallback?: string | undefined;
  readonly elements?: readonly RichElement[] | undefined;
}
const piece = z.string().optional();
const RichElement: z.ZodType<RichElement> = z.lazy(() =>
  z.object({
    type: z.string(),
    text: piece,
    user_id: piece,
    channel_id: piece,
    usergroup_id: piece,
    url: piece,
    range: piece,
    name: piece,
    fallback: piece,
    elements: z.array(RichElement).optional(),
  }),
);

const RichText = z.object({ type: z.literal('rich_text'), elements: z.array(RichElement) });
const Texts = z.object({
  text: TextObject.optional(),
  fields: z.array(TextObject).nullish(),
  elements: z.array(z.unknown()).nullish(),
});

/**
 * The words of a message's blocks as Slack encodes text, a line for each part: what people read of an alert that has no text of its
 * own. Buttons, images and blocks of an unknown kind are left out.
 */
export function blockText(blocks: readonly unknown[]): string {
  return blocks
    .map(toText)
    .filter(text => text.trim() !== '')
    .join('\n');
}

function toText(block: unknown): string {
  const rich = RichText.safeParse(block);
  if (rich.success) return rich.data.elements.map(toRichText).join('\n');
  const { data } = Texts.safeParse(block);
  if (!data) return '';
  const elements = (data.elements ?? []).flatMap(element => TextObject.safeParse(element).data ?? []);
  const texts = [...(data.text ? [data.text] : []), ...(data.fields ?? []), ...elements];
  return texts
    .filter(({ type }) => type === 'mrkdwn' || type === 'plain_text')
    .map(({ type, text }) => (type === 'mrkdwn' ? text : escapeMrkdwn(text)))
    .join('\n');
}

function toRichText(element: RichElement): string {
  const { elements = [] } = element;
  switch (element.type) {
    case 'rich_text_list':
      return elements.map(each => `• ${toRichText(each)}`).join('\n');
    case 'rich_text_quote':
      return `&gt; ${elements.map(toRichText).join('')}`;
    case 'user':
      return `<@${element.user_id}>`;
    case 'channel':
      return `<#${element.channel_id}>`;
    case 'usergroup':
      return `<!subteam^${element.usergroup_id}>`;
    case 'broadcast':
      return `<!${element.range}>`;
    case 'emoji':
      return `:${element.name}:`;
    case 'link':
      return element.text ? `<${element.url}|${escapeMrkdwn(element.text)}>` : `<${element.url}>`;
    case 'date':
      return escapeMrkdwn(element.fallback ?? '');
    default:
      return element.elements ? elements.map(toRichText).join('') : escapeMrkdwn(element.text ?? '');
  }
}
