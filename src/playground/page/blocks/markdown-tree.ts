/** A piece of a standard Markdown document. */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** A line of a list, with how deep it stands. */
export interface ListItem {
  readonly indent: number;
  /** Its number; absent in a list of bullets. */
  readonly number?: number;
  /** Whether its box is ticked; absent when it has none. */
  readonly isDone?: boolean;
  readonly text: string;
}

const starts = {
  heading: /^(#{1,6})\s+(.*?)\s*#*$/,
  rule: /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/,
  fence: /^ {0,3}(```|~~~)/,
  quote: /^ {0,3}> ?/,
  item: /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/,
  divider: /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/,
};

/** Parses the blocks of a Markdown document. Any text is valid. How deep quotes nest is capped. */
export function parseMarkdown(text: string, depth = 0): MarkdownBlock[] {
  const lines = text.split('\n');
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  const takeWhile = (fits: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (at < lines.length && fits(lines[at] ?? '')) {
      taken.push(lines[at] ?? '');
      at += 1;
    }
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = starts.heading.exec(line);
    const fence = starts.fence.exec(line)?.[1];
    if (line.trim() === '') at += 1;
    else if (heading !== null) {
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
      at += 1;
    } else if (fence !== undefined) {
      at += 1;
      blocks.push({ kind: 'code', text: takeWhile(each => !each.trimStart().startsWith(fence)).join('\n') });
      at += 1;
    } else if (starts.rule.test(line)) {
      blocks.push({ kind: 'rule' });
      at += 1;
    } else if (starts.quote.test(line) && depth < 5) {
      const inner = takeWhile(each => starts.quote.test(each)).map(each => each.replace(starts.quote, ''));
      blocks.push({ kind: 'quote', blocks: parseMarkdown(inner.join('\n'), depth + 1) });
    } else if (starts.item.test(line)) {
      blocks.push({ kind: 'list', items: takeWhile(each => starts.item.test(each)).map(toItem) });
    } else if (line.includes('|') && starts.divider.test(lines[at + 1] ?? '')) {
      at += 2;
      const rows = takeWhile(each => each.includes('|') && each.trim() !== '').map(toCells);
      blocks.push({ kind: 'table', head: toCells(line), rows });
    } else {
      at += 1;
      const more = takeWhile(each => each.trim() !== '' && !isStart(each, depth));
      blocks.push({ kind: 'paragraph', text: [line, ...more].join('\n') });
    }
  }
  return blocks;
}

function isStart(line: string, depth: number): boolean {
  const { heading, rule, fence, quote, item } = starts;
  return [heading, rule, fence, item].some(start => start.test(line)) || (depth < 5 && quote.test(line));
}

function toItem(line: string): ListItem {
  const [, space = '', number, box, text = ''] = starts.item.exec(line) ?? [];
  return {
    indent: Math.min(6, Math.floor(space.replaceAll('\t', '  ').length / 2)),
    text,
    ...(number === undefined ? {} : { number: Number(number) }),
    ...(box === undefined ? {} : { isDone: box !== ' ' }),
  };
}

function toCells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replaceAll('\\|', '|'));
}
