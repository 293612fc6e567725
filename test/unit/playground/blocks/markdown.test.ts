import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMarkdownInline } from '../../../../src/playground/page/blocks/markdown-inline.ts';
import { type MarkdownBlock, parseMarkdown } from '../../../../src/playground/page/blocks/markdown-tree.ts';

test('blocks of Markdown are read', () => {
  expect(
    parseMarkdown('# A\ntext\nmore\n- x\n  1. y\n- [x] z\n> q\n```js\n# b\n```\n\n|a|b|\n|-|-|\n|1|2\\|3|\n***'),
  ).toEqual([
    { kind: 'heading', level: 1, text: 'A' },
    { kind: 'paragraph', text: 'text\nmore' },
    {
      kind: 'list',
      items: [
        { indent: 0, text: 'x' },
        { indent: 1, number: 1, text: 'y' },
        { indent: 0, isDone: true, text: 'z' },
      ],
    },
    { kind: 'quote', blocks: [{ kind: 'paragraph', text: 'q' }] },
    { kind: 'code', text: '# b' },
    { kind: 'table', head: ['a', 'b'], rows: [['1', '2|3']] },
    { kind: 'rule' },
  ]);
});

test('marks within a line are read', () => {
  const text = (words: string) => ({ kind: 'text', text: words });
  expect(parseMarkdownInline('**a _b_** ~~c~~ `*d*` [e](https://a.example) \\*f\\* snake_case <b>&amp;')).toEqual([
    { kind: 'bold', children: [text('a '), { kind: 'italic', children: [text('b')] }] },
    text(' '),
    { kind: 'strike', children: [text('c')] },
    text(' '),
    { kind: 'code', children: [text('*d*')] },
    text(' '),
    { kind: 'link', url: 'https://a.example', label: 'e' },
    text(' '),
    text('*'),
    text('f'),
    text('*'),
    text(' snake_case <b>&amp;'),
  ]);
});

const signs = ['#', '-', '*', '_', '`', '```', '|', '>', '[', ']', '(', ')', '\n', ' ', '1.', 'a', 'b', '~~'];
const hostile = fc.array(fc.constantFrom(...signs), { maxLength: 60 }).map(pieces => pieces.join(''));

/** Every `a` of the blocks. */
function letters(blocks: readonly MarkdownBlock[]): string {
  return blocks
    .map(block => {
      if (block.kind === 'quote') return letters(block.blocks);
      if (block.kind === 'list') return block.items.map(item => item.text).join('');
      if (block.kind === 'table') return [...block.head, ...block.rows.flat()].join('');
      return block.kind === 'rule' ? '' : block.text;
    })
    .join('')
    .replaceAll(/[^a]/g, '');
}

test('it ends, and loses no word', () => {
  fc.assert(
    fc.property(hostile, text => {
      // What stands beside a fence of code names its language.
      const said = text.replaceAll(/^.*(```|~~~).*$/gm, '');
      expect(letters(parseMarkdown(said))).toBe(said.replaceAll(/[^a]/g, ''));
      expect(letters(parseMarkdown(text)).length).toBeLessThanOrEqual(text.replaceAll(/[^a]/g, '').length);
      expect(JSON.stringify(parseMarkdownInline(text)).replaceAll(/[^b]/g, '').length).toBeGreaterThanOrEqual(
        text.replaceAll(/[^b]/g, '').length,
      );
    }),
  );
});
