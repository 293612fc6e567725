import { type Inline, parsePlainText } from '../../../fake-slack/block-kit/mrkdwn.ts';
import { encodeEntities } from '../../../fake-slack/protocol/entities.ts';

/** The marks of Markdown within a line, each with its content in the group of that name. */
const marks =
  /\\(?<escaped>[\\`*_{}[\]()#+\-.!~|>])|`(?<code>[^`\n]+)`|\*\*(?<bold>(?=\S)[^\n]*?[^\s*])\*\*|~~(?<strike>(?=\S)[^~\n]*[^\s~])~~|(?<![\p{L}\p{N}*])\*(?<star>(?=[^\s*])[^*\n]*[^\s*])\*(?!\*)|(?<![\p{L}\p{N}_])_(?<under>(?=[^\s_])[^_\n]*[^\s_])_(?![\p{L}\p{N}_])|!?\[(?<label>[^[\]\n]*)\]\((?<url>[^()\s]+)(?:\s+"[^"\n]*")?\)|(?<bare>https?:\/\/[^\s<>()]*[^\s<>().,;:!?'"*_~])/u;

/** Parses the marks within a piece of Markdown text. */
export function parseMarkdownInline(text: string): Inline[] {
  const nodes: Inline[] = [];
  let rest = text;
  for (let match = marks.exec(rest); match !== null; match = marks.exec(rest)) {
    nodes.push(...toTexts(rest.slice(0, match.index)), toNode(match.groups ?? {}));
    rest = rest.slice(match.index + match[0].length);
  }
  return [...nodes, ...toTexts(rest)];
}

function toTexts(text: string): Inline[] {
  return parsePlainText(encodeEntities(text));
}

function toNode(found: Readonly<Record<string, string | undefined>>): Inline {
  const { escaped, code, bold, strike, star, under, label, url, bare } = found;
  if (escaped !== undefined) return { kind: 'text', text: escaped };
  if (code !== undefined) return { kind: 'code', children: [{ kind: 'text', text: code }] };
  if (bold !== undefined) return { kind: 'bold', children: parseMarkdownInline(bold) };
  if (strike !== undefined) return { kind: 'strike', children: parseMarkdownInline(strike) };
  if (url !== undefined) return { kind: 'link', url, ...(label ? { label } : {}) };
  if (bare !== undefined) return { kind: 'link', url: bare };
  return { kind: 'italic', children: parseMarkdownInline(star ?? under ?? '') };
}
