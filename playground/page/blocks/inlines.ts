import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { formatDate } from '../../fake-slack/block-kit/date-token.ts';
import { type Inline, parseMrkdwn, parsePlainText } from '../../fake-slack/block-kit/mrkdwn.ts';
import { isJsonObject, toText } from '../../fake-slack/protocol/json.ts';
import type { WorkspaceView } from '../../workspace/protocol.ts';
import { safeAddress } from './address.ts';
import { emojiOf } from './emoji.ts';
import { type Surroundings, useSurroundings } from './surroundings.ts';

/** Shows a text object, `plain_text` or `mrkdwn`. */
export function Text({ object }: { readonly object: unknown }): VNode | null {
  if (!isJsonObject(object)) return null;
  const text = toText(object.text);
  const nodes =
    object.type === 'mrkdwn'
      ? parseMrkdwn(text, { verbatim: object.verbatim === true })
      : parsePlainText(text, object.emoji !== false);
  return html`<${Inlines} nodes=${nodes} />`;
}

/** Shows mrkdwn, such as a message's text. */
export function Mrkdwn({ text }: { readonly text: string }): VNode {
  return html`<${Inlines} nodes=${parseMrkdwn(text)} />`;
}

/** Shows formatted text. */
export function Inlines({ nodes }: { readonly nodes: readonly Inline[] }): VNode {
  const surroundings = useSurroundings();
  return html`${toNodes(nodes, surroundings)}`;
}

/** The words of a `plain_text` object or of text, for attributes: emoji as characters. */
export function wordsOf(text: unknown): string {
  return parsePlainText(toText(isJsonObject(text) ? text.text : text))
    .map(node => (node.kind === 'emoji' ? emojiText(node.name) : node.kind === 'text' ? node.text : ''))
    .join('');
}

const emojiText = (name: string): string => emojiOf(name) ?? `:${name}:`;

const tags = {
  bold: 'strong',
  italic: 'em',
  strike: 's',
  underline: 'u',
  code: 'code',
  pre: 'pre',
  quote: 'blockquote',
};

function toNodes(nodes: readonly Inline[], surroundings: Surroundings): ComponentChildren[] {
  return nodes.map((node, index) => {
    const beside = [nodes[index - 1], nodes[index + 1]];
    return toNode(node.kind === 'text' ? withoutEdges(node.text, beside) : node, surroundings);
  });
}

/** Blocks break the line by themselves, so the line break beside one is not shown. */
function withoutEdges(text: string, [before, after]: readonly (Inline | undefined)[]): Inline {
  const isBlock = (node: Inline | undefined) => node?.kind === 'quote' || node?.kind === 'pre';
  const begun = isBlock(before) ? text.replace(/^\n/, '') : text;
  return { kind: 'text', text: isBlock(after) ? begun.replace(/\n$/, '') : begun };
}

function toNode(node: Inline, surroundings: Surroundings): ComponentChildren {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'emoji': {
      const emoji = emojiOf(node.name);
      if (emoji === undefined) return `:${node.name}:`;
      return html`<span class="emoji" role="img" aria-label=${node.name.replaceAll('_', ' ')} title=${`:${node.name}:`}>${emoji}</span>`;
    }
    case 'link':
      return toLink(node.url, node.label ?? node.url.replace(/^mailto:/, ''));
    case 'date': {
      const text = dateText(node, surroundings.workspace);
      const isDate = Number.isFinite(node.seconds) && Math.abs(node.seconds) < 8.64e12;
      const time = isDate
        ? html`<time datetime=${new Date(node.seconds * 1000).toISOString()} title=${node.fallback}>${text}</time>`
        : text;
      return node.link === undefined ? time : toLink(node.link, time);
    }
    case 'color':
      return toColor(node.value);
    case 'person':
    case 'channel':
    case 'group':
    case 'broadcast':
      return toMention(node, surroundings);
    default: {
      const Tag = tags[node.kind];
      return html`<${Tag} class=${`text-${node.kind}`}>${toNodes(node.children, surroundings)}</${Tag}>`;
    }
  }
}

function dateText(token: Parameters<typeof formatDate>[0], { people, me }: WorkspaceView): string {
  const zone = people.find(person => person.id === me)?.tz ?? 'UTC';
  return formatDate(token, { zone, now: new Date() });
}

function toLink(url: string, label: ComponentChildren): ComponentChildren {
  const href = safeAddress(url);
  if (href === undefined) return html`${label}${label === url ? '' : ` (${url})`}`;
  return html`<a class="link" href=${href} target="_blank" rel="noopener noreferrer">${label}</a>`;
}

function toColor(value: string): ComponentChildren {
  const isColor = /^#[0-9a-f]{6}$/i.test(value);
  return html`<code class="text-code">${
    isColor && html`<span class="swatch" style=${{ backgroundColor: value }} aria-hidden="true"></span>`
  }${value}</code>`;
}

type Mention = Extract<Inline, { kind: 'person' | 'channel' | 'group' | 'broadcast' }>;

function toMention(node: Mention, { workspace, showChannel }: Surroundings): ComponentChildren {
  if (node.kind === 'broadcast') {
    const alarms = node.range === 'here' ? 'everybody here who is active' : 'everybody here';
    return html`<span class="mention alarm" title=${`Alarms ${alarms}`}>@${node.range}</span>`;
  }
  if (node.kind === 'channel') {
    const channel = workspace.channels.find(each => each.id === node.id);
    if (channel === undefined) return html`<span class="mention unknown">#${node.label ?? 'private channel'}</span>`;
    return html`<button type="button" class="mention" onClick=${() => showChannel(node.id)}>#${channel.name}</button>`;
  }
  if (node.kind === 'group') {
    const handle = workspace.groups.find(each => each.id === node.id)?.handle ?? node.label?.replace(/^@/, '');
    return html`<span class="mention">@${handle ?? node.id}</span>`;
  }
  const name = workspace.people.find(each => each.id === node.id)?.name ?? node.label ?? node.id;
  return html`<span class=${node.id === workspace.me ? 'mention of-me' : 'mention'}>@${name}</span>`;
}
