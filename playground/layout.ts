import { styleText } from 'node:util';
import { nameToEmoji } from 'gemoji';

/** Columns of the transcript. */
export const columns = 100;

/** Styles for a terminal; a file or pipe gets none. */
export type Style = Parameters<typeof styleText>[0];

/** Text in a style, when standard output is a terminal with colours. */
export function styled(style: Style, text: string): string {
  return text === '' ? '' : styleText(style, text);
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Columns that text takes in a terminal: two for an emoji. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += /\p{Emoji_Presentation}|\p{Script=Han}|\ufe0f/u.test(segment) ? 2 : 1;
  }
  return width;
}

/** Breaks text between words into lines of at most `width` columns. An address that is longer is cut. Continued lines keep the indent of the first. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap(line => wrapLine(line, width));
}

function wrapLine(line: string, width: number): string[] {
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const whole of line.slice(indent.length).split(' ')) {
    const word = /^\(?https?:/.test(whole) ? shorten(whole, width - indent.length) : whole;
    const longer = current.trim() === '' ? `${indent}${word}` : `${current} ${word}`;
    if (widthOf(longer) <= width || current.trim() === '') {
      current = longer;
    } else {
      lines.push(current);
      current = `${indent}${word}`;
    }
  }
  return [...lines, current];
}

/** Replaces names such as `:memo:` with the emoji. Unknown names stay. */
export function withEmoji(text: string): string {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, name: string) => nameToEmoji[name] ?? whole);
}

/** Cuts text to `width` columns; cut text ends in `…`. */
function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** A frame around lines, with a title in its upper edge and the buttons in its lower edge. */
export function box(title: string, lines: readonly string[], foot: string): string[] {
  const wrapped = lines.flatMap(line => wrap(line, columns - 11));
  const inner = Math.max(40, widthOf(title) + 2, widthOf(foot) + 2, ...wrapped.map(line => widthOf(line)));
  const edge = (text: string) => `─ ${text} ${'─'.repeat(inner - widthOf(text) - 1)}`;
  return [
    `┌${edge(title)}┐`,
    ...wrapped.map(line => `│ ${line}${' '.repeat(inner - widthOf(line))} │`),
    `└${foot === '' ? '─'.repeat(inner + 2) : edge(foot)}┘`,
  ];
}

/** A table. Each column is as wide as its widest cell; the last takes the rest, is wrapped, and overlong words are cut. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const count = rows[0]?.length ?? 0;
  const widths = Array.from({ length: count - 1 }, (_, at) => Math.max(...rows.map(row => widthOf(row[at] ?? ''))));
  const left = widths.reduce((sum, width) => sum + width + 2, 0);
  const room = columns - left;
  return rows.flatMap(row => {
    const head = widths.map((width, at) => `${row[at] ?? ''}${' '.repeat(width - widthOf(row[at] ?? ''))}  `).join('');
    const last = (row[count - 1] ?? '').replace(/\S+/g, word => shorten(word, room));
    return wrap(last, room).map((line, at) => `${at === 0 ? head : ' '.repeat(left)}${line}`);
  });
}
