import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/fake-slack/protocol/json.ts';
import { cellWords, filterRows, pageOf, sortRows } from '../../../../src/playground/page/blocks/data-rows.ts';

const raw = (text: string) => ({ type: 'raw_text', text });
const number = (value: number) => ({ type: 'raw_number', value, text: `${value} min` });
const rich = (text: string) => ({
  type: 'rich_text',
  elements: [
    { type: 'rich_text_section', elements: [{ type: 'text', text, style: { bold: true } }] },
    {
      type: 'rich_text_list',
      elements: [
        { type: 'rich_text_section', elements: [{ type: 'link', url: 'https://a.example', text: ' linked' }] },
      ],
    },
  ],
});

const rows = [
  [raw('checkout'), number(42)],
  [raw('Search'), number(210)],
  [rich('mail'), number(7)],
];
const names = (list: readonly (readonly JsonObject[])[]) => list.map(([cell]) => cellWords(cell));

test('a cell of rich text says its words, those of lists too', () => {
  expect(cellWords(rich('mail'))).toBe('mail linked');
  expect(cellWords(undefined)).toBe('');
});

test('numbers go by size, words by the alphabet, and nothing moves without an order', () => {
  expect(names(sortRows(rows, { column: 1, isDescending: true }))).toEqual(['Search', 'checkout', 'mail linked']);
  expect(names(sortRows(rows, { column: 0, isDescending: false }))).toEqual(['checkout', 'mail linked', 'Search']);
  expect(sortRows(rows, undefined)).toBe(rows);
});

test('a row fits when its cells say every word', () => {
  expect(names(filterRows(rows, ' LINKED  7 '))).toEqual(['mail linked']);
  expect(names(filterRows(rows, 'nothing'))).toEqual([]);
  expect(filterRows(rows, ' ')).toBe(rows);
});

test('the pages hold every row once, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 9 }), (words, size) => {
      const all = words.map(word => [raw(word)]);
      const { pages } = pageOf(all, 0, size);
      const shown = Array.from({ length: pages }, (_, page) => pageOf(all, page, size).rows).flat();
      expect(shown).toEqual(all);
      expect(pageOf(all, pages + 5, size)).toEqual(pageOf(all, pages - 1, size));
    }),
  );
});
