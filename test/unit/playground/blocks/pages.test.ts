import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf } from '../../../../playground/page/blocks/pages.ts';

test('the pages hold every item once, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 9 }), (all, size) => {
      const { pages } = pageOf(all, 0, size);
      const shown = Array.from({ length: pages }, (_, page) => pageOf(all, page, size).items).flat();
      expect(shown).toEqual(all);
      expect(pageOf(all, pages + 5, size)).toEqual(pageOf(all, pages - 1, size));
    }),
  );
});
