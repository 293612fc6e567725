import { isJsonObject, type JsonObject, toText } from '../protocol/json.ts';
import type { Inline } from './mrkdwn.ts';

const styles = [
  ['code', 'code'],
  ['strike', 'strike'],
  ['underline', 'underline'],
  ['italic', 'italic'],
  ['bold', 'bold'],
] as const;

/** An element of a rich text section as a piece of formatted text, in its styles. What is unknown shows its text or its type. */
export function fromRichText(element: JsonObject): Inline {
  const style = isJsonObject(element.style) ? element.style : {};
  return styles
    .filter(([name]) => style[name] === true)
    .reduce<Inline>((inner, [, kind]) => ({ kind, children: [inner] }), toPlainInline(element));
}

function toPlainInline(element: JsonObject): Inline {
  const text = toText(element.text);
  switch (element.type) {
    case 'link':
      return { kind: 'link', url: toText(element.url), ...(text === '' ? {} : { label: text }) };
    case 'user':
      return { kind: 'person', id: toText(element.user_id) };
    case 'channel':
      return { kind: 'channel', id: toText(element.channel_id) };
    case 'usergroup':
      return { kind: 'group', id: toText(element.usergroup_id) };
    case 'broadcast':
      return { kind: 'broadcast', range: toText(element.range) };
    case 'emoji':
      return { kind: 'emoji', name: toText(element.name) };
    case 'color':
      return { kind: 'color', value: toText(element.value) };
    case 'date':
      return {
        kind: 'date',
        seconds: Number(element.timestamp),
        format: toText(element.format),
        fallback: toText(element.fallback),
        ...(typeof element.url === 'string' ? { link: element.url } : {}),
      };
    default:
      return { kind: 'text', text: text === '' && element.type !== 'text' ? `[${toText(element.type)}]` : text };
  }
}
