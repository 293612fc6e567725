import { type Inline, parseMrkdwn } from '../../../fake-slack/block-kit/mrkdwn.ts';
import { encodeEntities } from '../../../fake-slack/protocol/entities.ts';
import { type JsonObject, toObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';

/** The `rich_text` block of typed text. Marks of bold, italic, struck text and code become styles, as in Slack's composer. */
export function toRichTextValue(typed: string): JsonObject {
  const elements = parseMrkdwn(encodeEntities(typed)).flatMap(node => toElements(node, {}));
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

function toElements(node: Inline, style: JsonObject): JsonObject[] {
  const styled = (element: JsonObject): JsonObject[] => [
    Object.keys(style).length === 0 ? element : { ...element, style },
  ];
  if (node.kind === 'text') return styled({ type: 'text', text: node.text });
  if (node.kind === 'emoji') return styled({ type: 'emoji', name: node.name });
  if (node.kind === 'link') return styled({ type: 'link', url: node.url });
  if (!('children' in node)) return [];
  if (node.kind === 'quote')
    return [{ type: 'text', text: '> ' }, ...node.children.flatMap(each => toElements(each, style))];
  const name = node.kind === 'pre' ? 'code' : node.kind;
  return node.children.flatMap(each => toElements(each, { ...style, [name]: true }));
}

const marks = [
  ['code', '`'],
  ['strike', '~'],
  ['italic', '_'],
  ['bold', '*'],
] as const;

/** The text that one edits for a `rich_text` value, with marks for its styles. */
export function fromRichTextValue(value: JsonObject): string {
  return toObjects(value.elements).map(fromPart).join('\n');
}

function fromPart(part: JsonObject): string {
  if (part.type === 'rich_text_list')
    return toObjects(part.elements)
      .map(item => `• ${fromPart(item)}`)
      .join('\n');
  return toObjects(part.elements).map(fromElement).join('');
}

function fromElement(element: JsonObject): string {
  const style = toObject(element.style);
  const text = element.type === 'emoji' ? `:${toText(element.name)}:` : toText(element.text) || toText(element.url);
  return marks.filter(([name]) => style[name] === true).reduce((inner, [, mark]) => mark + inner + mark, text);
}
