import { decodeEntities, encodeEntities } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Links, broadcasts, names of people and groups, and names of channels in typed text. */
const token =
  /https?:\/\/[^\s<>|]+|@(channel|here|everyone)\b|@([\p{L}\p{N}][\p{L}\p{N}._-]*)|#([\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lo}\p{N}_-]*)/gu;

/**
 * Encodes typed text as Slack does: `&`, `<` and `>` as entities, known people, channels and groups as references, links in
 * `<…>`. References in commands with `should_escape` have labels, those in messages have none (docs/slack.md 4).
 */
export function encodeTypedText(workspace: Workspace, text: string, kind: 'command' | 'message'): string {
  let encoded = '';
  let end = 0;
  for (const match of text.matchAll(token)) {
    const startsWord = match.index === 0 || /[\s("'“”‘’[{,;:]/.test(text[match.index - 1] ?? '');
    const reference = startsWord ? toReference(workspace, match, kind) : undefined;
    if (reference === undefined) continue;
    encoded += encodeEntities(text.slice(end, match.index)) + reference.code;
    end = match.index + reference.length;
  }
  return encoded + encodeEntities(text.slice(end));
}

/** The `rich_text` block that Slack stores beside the text of a person's message. */
export function toRichText(encoded: string, randomId: () => string): JsonObject {
  const parts = encoded.split(/(<[^>]+>|:[a-z+-][a-z0-9_+-]*:)/).filter(part => part !== '');
  return {
    type: 'rich_text',
    block_id: randomId().slice(0, 5),
    elements: [{ type: 'rich_text_section', elements: parts.map(toRichElement) }],
  };
}

function toRichElement(part: string): JsonObject {
  const reference = /^<([@#!]?)([^|>]+)(?:\|[^>]*)?>$/.exec(part);
  const [, sigil, target = ''] = reference ?? [];
  const emoji = /^:([a-z+-][a-z0-9_+-]*):$/.exec(part)?.[1];
  if (emoji !== undefined) return { type: 'emoji', name: emoji };
  if (reference === null) return { type: 'text', text: decodeEntities(part) };
  if (sigil === '@') return { type: 'user', user_id: target };
  if (sigil === '#') return { type: 'channel', channel_id: target };
  if (sigil !== '!') return { type: 'link', url: decodeEntities(target) };
  const group = /^subteam\^(.+)$/.exec(target);
  return group === null ? { type: 'broadcast', range: target } : { type: 'usergroup', usergroup_id: group[1] };
}

function toReference(
  workspace: Workspace,
  match: RegExpExecArray,
  kind: 'command' | 'message',
): { code: string; length: number } | undefined {
  const [whole, broadcast, personName, channelName] = match;
  if (broadcast !== undefined) return { code: `<!${broadcast}>`, length: whole.length };
  if (channelName !== undefined) {
    const channel = workspace.channelNamed(channelName);
    const label = kind === 'command' ? channelName : '';
    return channel && { code: `<#${channel.id}|${label}>`, length: whole.length };
  }
  if (personName === undefined) {
    const link = whole.replace(/[.,;:!?)'"’”]+$/, '');
    return { code: `<${encodeEntities(link)}>`, length: link.length };
  }
  const name = personName.replace(/[._-]+$/, '');
  const person = workspace.personNamed(name);
  const group = [...workspace.userGroups.values()].find(candidate => candidate.handle === name);
  if (person !== undefined) {
    const label = kind === 'command' ? `|${person.name}` : '';
    return { code: `<@${person.id}${label}>`, length: name.length + 1 };
  }
  return group && { code: `<!subteam^${group.id}|@${group.handle}>`, length: name.length + 1 };
}
