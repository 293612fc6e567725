import { html } from 'hono/html';
import { hiddenCharacters } from '../../contract/hidden-characters.ts';
import { trimEnd } from '../../trim-end.ts';
import { splitByLinks } from '../incidents/links.ts';

/** A piece of a page, escaped. */
export type Html = ReturnType<typeof html>;

/** People's text without the characters that no reader should meet. It is escaped for HTML where it is used. */
export function toVisibleText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(hiddenCharacters, '');
}

/** The text on one line of at most `most` characters. It is cut roughly before it is cleaned, so that a very long one takes no longer. */
export function toOneLine(text: string, most = 500): string {
  const begin = text.slice(0, 10 * most);
  const line = toVisibleText(begin).replace(/\s+/g, ' ').trim();
  const letters = Array.from(line.length > most || begin !== text ? line : '');
  return letters.length > most || begin !== text ? `${letters.slice(0, most - 1).join('')}…` : line;
}

/** People's text on one line, isolated from the direction of the text around it. */
export function inlineText(text: string, most?: number): Html {
  return html`<bdi>${toOneLine(text, most)}</bdi>`;
}

/** The address for a link; undefined unless it is a complete one of http or https, without user info. */
export function toHref(address: string): string | undefined {
  const shown = toVisibleText(address).trim();
  if (!/^https?:\/\//i.test(shown) || !URL.canParse(shown)) return undefined;
  const { href, protocol, username, password } = new URL(shown);
  // The part before an @ looks like the site, and is none.
  if (username !== '' || password !== '') return undefined;
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

/** A link to another site; its words and its address as text when the address is not safe. */
export function externalLink(address: string, words: string): Html {
  const href = toHref(address);
  if (href === undefined)
    return words === address ? inlineText(words) : html`${inlineText(words)} ${inlineText(address, 200)}`;
  return html`<a href="${href}" rel="noopener noreferrer nofollow" dir="auto">${toOneLine(words, 200)}</a>`;
}

/**
 * People's text at length, with the marks that Slack knows: lines stay, web addresses become links, text between ``` fences becomes code,
 * `>` begins a quote, and `*`, `_`, `~` and one backquote enclose bold, italic, struck and code.
 */
export function richText(text: string): Html {
  const blocks = splitByFences(toVisibleText(text));
  const code = (block: string) =>
    html`<pre class="code" tabindex="0" role="group" aria-label="Code"><code>${block}</code></pre>`;
  return html`${blocks.map((block, index) => (index % 2 === 1 ? code(block) : paragraphs(block)))}`;
}

/** A text's parts: at odd places the code between two fences. Each line is looked at once. A fence that nothing closes is text. */
function splitByFences(text: string): readonly string[] {
  const lines = text.split('\n');
  const parts: string[] = [];
  let from = 0;
  let opened: number | undefined;
  for (const [at, line] of lines.entries()) {
    if (opened === undefined) {
      if (/^```[^`]*$/.test(line)) opened = at;
    } else if (at > opened + 1 && /^```[ \t]*$/.test(line)) {
      parts.push(lines.slice(from, opened).join('\n'), lines.slice(opened + 1, at).join('\n'));
      from = at + 1;
      opened = undefined;
    }
  }
  return [...parts, lines.slice(from).join('\n')];
}

/** Lines, in which those that begin with `>` are quotes. */
function paragraphs(block: string): Html {
  const parts = block.split(/((?:^>.*(?:\n|$))+)/m);
  const quote = (lines: string) => html`<blockquote>${paragraph(lines.replace(/^>[ ]?/gm, ''))}</blockquote>`;
  return html`${parts.map((part, index) => (index % 2 === 1 ? quote(part) : paragraph(part)))}`;
}

function paragraph(block: string): Html | string {
  const text = trimEnd(block.replace(/^\n+/, ''), /\n/);
  if (text === '') return '';
  const parts = text
    .split(/`([^`\n]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : linked(part)));
  return html`<p class="prose" dir="auto">${parts}</p>`;
}

function linked(text: string): Html {
  return html`${splitByLinks(text).map(part => (part.isLink ? externalLink(part.text, part.text) : marked(part.text)))}`;
}

const elements: Readonly<Record<string, (inner: Html | string) => Html>> = {
  '*': inner => html`<strong>${inner}</strong>`,
  _: inner => html`<em>${inner}</em>`,
  '~': inner => html`<s>${inner}</s>`,
};
/** A mark encloses words of one line, and never within a word. At most so many characters are looked through for its end. */
const emphasis = /(?<![\p{L}\p{N}*_~])([*_~])(?=[^\s*_~])([^\n*_~]{0,500}?[^\s*_~])\1(?![\p{L}\p{N}*_~])/u;

function marked(text: string): Html {
  const parts = text.split(emphasis);
  const read = (part: string, index: number) => (index % 3 === 2 ? elements[parts[index - 1] ?? '']?.(part) : part);
  return html`${parts.map((part, index) => (index % 3 === 1 ? '' : read(part, index)))}`;
}
