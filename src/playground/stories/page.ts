import { styleText } from 'node:util';

/** How many columns the transcript takes. */
export const columns = 100;

/** Styles that a terminal shows and a file does not get. */
export type Style = Parameters<typeof styleText>[0];

/** Text in a style, when standard output is a terminal that has colours. */
export function styled(style: Style, text: string): string {
  return text === '' ? '' : styleText(style, text);
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns text takes in a terminal: two for an emoji. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += /\p{Emoji_Presentation}|\p{Script=Han}|\ufe0f/u.test(segment) ? 2 : 1;
  }
  return width;
}

/** Breaks text between words into lines of at most `width` columns; continued lines are indented like their first. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap(line => wrapLine(line, width));
}

function wrapLine(line: string, width: number): string[] {
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const word of line.slice(indent.length).split(' ')) {
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

/** The emoji that Muster's words use, by Slack's names for them. */
const emoji: Readonly<Record<string, string>> = {
  arrow_forward: '▶️',
  ballot_box_with_check: '☑️',
  bar_chart: '📊',
  bust_in_silhouette: '👤',
  dart: '🎯',
  grey_question: '❔',
  heavy_plus_sign: '➕',
  label: '🏷️',
  large_green_circle: '🟢',
  large_orange_circle: '🟠',
  leftwards_arrow_with_hook: '↩️',
  link: '🔗',
  lock: '🔒',
  memo: '📝',
  red_circle: '🔴',
  rotating_light: '🚨',
  vertical_traffic_light: '🚦',
  warning: '⚠️',
  wastebasket: '🗑️',
  white_check_mark: '✅',
  white_large_square: '⬜',
};

/** Text with `:memo:` and the like as the pictures people see; a name that is not known stays. */
export function withEmoji(text: string): string {
  return text.replace(/:([a-z_]+):/g, (whole, name: string) => emoji[name] ?? whole);
}

/** Text of at most `width` columns; what is longer ends in `…`. */
export function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Lines in a frame with a headline, and what can be pressed in its lower edge. */
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

/** Rows in columns as wide as their widest cell; the last one takes what is left, is wrapped, and its overlong words are cut. */
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
