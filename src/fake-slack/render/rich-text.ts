import { type JsonObject, toObjects, toText } from '../protocol/json.ts';
import type { Directory } from './directory.ts';
import { renderBroadcast, renderReferences } from './mrkdwn.ts';

/** Renders a `rich_text` block as plain text: bullets for list items, `> ` for quotes. */
export function renderRichText(directory: Directory, block: JsonObject): string {
  return toObjects(block.elements)
    .map(part => renderPart(directory, part))
    .join('\n');
}

function renderPart(directory: Directory, part: JsonObject): string {
  if (part.type === 'rich_text_list') {
    const indent = '  '.repeat(typeof part.indent === 'number' ? part.indent : 0);
    const sign = (index: number): string => (part.style === 'ordered' ? `${index + 1}.` : '•');
    return toObjects(part.elements)
      .map((item, index) => `${indent}${sign(index)} ${renderPart(directory, item)}`)
      .join('\n');
  }
  const text = toObjects(part.elements)
    .map(element => renderElement(directory, element))
    .join('');
  return part.type === 'rich_text_quote' ? text.replaceAll(/^/gm, '> ') : text;
}

function renderElement(directory: Directory, element: JsonObject): string {
  switch (element.type) {
    case 'text':
      return toText(element.text);
    case 'link': {
      const label = toText(element.text);
      return label === '' ? toText(element.url) : `${label} (${toText(element.url)})`;
    }
    case 'user':
      return renderReferences(directory, `<@${toText(element.user_id)}>`);
    case 'channel':
      return renderReferences(directory, `<#${toText(element.channel_id)}>`);
    case 'usergroup':
      return renderReferences(directory, `<!subteam^${toText(element.usergroup_id)}>`);
    case 'broadcast':
      return renderBroadcast(toText(element.range));
    case 'emoji':
      return `:${toText(element.name)}:`;
    case 'date':
      return renderReferences(
        directory,
        `<!date^${toText(element.timestamp)}^${toText(element.format)}|${toText(element.fallback)}>`,
      );
    default:
      return '';
  }
}
