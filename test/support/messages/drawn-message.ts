import { channelFacts, workspaceFacts } from '../page-facts.ts';

/** As much of a browser's node as Preact asks for, and the words that a person reads in it. */
class PaperNode {
  readonly nodeType: number;
  readonly localName: string;
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml';
  readonly style: Record<string, unknown> = {};
  readonly childNodes: PaperNode[] = [];
  readonly attributes: Record<string, string> = {};
  parentNode: PaperNode | null = null;
  data = '';

  constructor(nodeType: number, name: string) {
    this.nodeType = nodeType;
    this.localName = name;
  }

  get firstChild(): PaperNode | null {
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): PaperNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  insertBefore(node: PaperNode, before: PaperNode | null): PaperNode {
    node.remove();
    const at = before === null ? this.childNodes.length : this.childNodes.indexOf(before);
    this.childNodes.splice(at, 0, node);
    node.parentNode = this;
    return node;
  }

  appendChild(node: PaperNode): PaperNode {
    return this.insertBefore(node, null);
  }

  removeChild(node: PaperNode): PaperNode {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
    node.parentNode = null;
    return node;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  contains(node: PaperNode | null): boolean {
    return node !== null && (node === this || this.contains(node.parentNode));
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes[name] = String(value);
  }

  removeAttribute(name: string): void {
    delete this.attributes[name];
  }

  addEventListener(): void {}
  removeEventListener(): void {}
}

const paper = {
  createElement: (name: string) => new PaperNode(1, name),
  createElementNS: (_space: string, name: string) => new PaperNode(1, name),
  createTextNode: (text: string) => Object.assign(new PaperNode(3, ''), { data: String(text) }),
};

/** Names that stand on a line of their own, so that a word ends where they begin and end. */
const inline = new Set(['span', 'a', 'strong', 'em', 's', 'u', 'code', 'time', '']);

/**
 * What a person reads of a node. An emoji is its name, a moment what clients say that cannot write it, and a link that has a label has its address
 * behind that.
 */
function readNode(node: PaperNode): string {
  if (node.nodeType === 3) return node.data;
  const { class: classes = '', title = '', href = '', alt = '' } = node.attributes;
  const has = (name: string) => classes.split(' ').includes(name);
  if (has('out-of-sight') || has('fold-switch') || has('data-table-bar') || has('overflow')) return '';
  if (has('emoji')) return title;
  if (node.localName === 'span' && node.attributes['aria-hidden'] === 'true') return '';
  if (node.localName === 'time') return title;
  if (node.localName === 'img') return `\n${alt}\n`;
  // The page asks no other server for pictures, so it shows their words and a link, where Slack shows them.
  if (has('absent'))
    return `\n${
      title ||
      node.childNodes
        .filter(each => each.localName === '')
        .map(readNode)
        .join('')
    }\n`;
  const words = node.childNodes.map(readNode).join('');
  if (has('mention')) return words;
  if (node.localName === 'input' || node.localName === 'textarea') {
    return `\n${node.attributes.value || node.attributes.placeholder || ''}\n`;
  }
  if (href !== '') return isSameAddress(words, href) ? words : `${words} ${href} `;
  if (node.localName === 'button' && title !== '') return `\n${words} ${title}\n`;
  return inline.has(node.localName) && !has('button') && !has('context-text') ? words : `\n${words}\n`;
}

/** Whether a label is its address, as far as a reader can tell. */
function isSameAddress(label: string, href: string): boolean {
  const toBare = (text: string) =>
    text
      .trim()
      .replace(/^(https?:\/\/|mailto:)/, '')
      .replace(/\/$/, '');
  return !/^https?:/.test(label.trim()) && toBare(label) === toBare(href);
}

const people = ['bob', 'amy'].map((name, index) => ({
  id: `U${index + 1}`,
  name,
  realName: name,
  tz: 'UTC',
  kind: 'member' as const,
  isDeactivated: false,
}));

const page = new URL('../../../playground/page/blocks/', import.meta.url);
/** Loads a module of the page by its name alone, since its types are those of a browser. */
const load = (name: string) => import(name);

/** What the page takes from a browser while it draws. Other tests share this process, and have none. */
const browser = { document: paper, location: new URL('http://page.example/') };

/** A message as the playground's page draws it for a person, as text. `message` is as Slack delivers it. */
export async function drawMessage(message: { readonly [name: string]: unknown }): Promise<string> {
  const before = Object.keys(browser).map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  Object.assign(globalThis, browser);
  try {
    return await draw(message);
  } finally {
    for (const [name, descriptor] of before) {
      Reflect.deleteProperty(globalThis, name);
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    }
  }
}

async function draw(message: { readonly [name: string]: unknown }): Promise<string> {
  const { h, render } = await load('preact');
  const { MessageContent } = await load(new URL('message-content.ts', page).href);
  const { SurroundingsContext } = await load(new URL('surroundings.ts', page).href);
  const view = {
    ...{ channel: 'C1', ts: '1.000001', author: 'U1', text: '', blocks: [], attachments: [], files: [] },
    ...{ reactions: [], isPinned: false, isEphemeral: false, isEdited: false, isNotice: false, replies: 0 },
    ...{ permalink: '', ...message },
  };
  const channels = [channelFacts({ id: 'C0GENERAL', name: 'general' })];
  const workspace = { ...workspaceFacts({ channels }), people, groups: [{ id: 'S1', handle: 'sre' }] };
  const surroundings = { workspace, act: async () => ({}), showChannel: () => undefined };
  const root = new PaperNode(1, 'div');
  const content = h(MessageContent, { message: view });
  render(h(SurroundingsContext.Provider, { value: surroundings }, content), root);
  const words = readNode(root);
  render(null, root);
  return words;
}
