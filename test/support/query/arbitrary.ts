import fc from 'fast-check';
import {
  exactProperties,
  type Node,
  partialProperties,
  type Query,
  rangeProperties,
} from '../../../src/service/query/ast.ts';

const at = { start: 0, end: 0 };

/** Conditions over the given words, so that random queries and random incidents meet. */
export interface Words {
  readonly text: fc.Arbitrary<string>;
  readonly slug: fc.Arbitrary<string>;
  readonly time: fc.Arbitrary<number>;
}

/** Text that the language can write: no NUL, and not both kinds of quote. */
export const writable = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .map(text => text.replaceAll('\0', '').replaceAll('"', ''));

/** Random queries as they are read, their places in the text set to zero. */
export function queries(words: Words): fc.Arbitrary<Query> {
  const end = fc.option(words.time, { nil: undefined });
  const term: fc.Arbitrary<Node> = fc.oneof(
    fc.record({
      kind: fc.constant('partial' as const),
      property: fc.constantFrom(...partialProperties),
      value: words.text,
      at: fc.constant(at),
    }),
    fc.record({
      kind: fc.constant('exact' as const),
      property: fc.constantFrom(...exactProperties),
      value: words.text,
      at: fc.constant(at),
    }),
    fc.record({ kind: fc.constant('drill' as const), value: fc.boolean(), at: fc.constant(at) }),
    fc.record({ kind: fc.constant('field' as const), slug: words.slug, value: words.text, at: fc.constant(at) }),
    fc
      .record({
        kind: fc.constant('range' as const),
        property: fc.constantFrom(...rangeProperties),
        from: end,
        to: end,
        at: fc.constant(at),
      })
      .filter(range => range.from !== undefined || range.to !== undefined),
  );
  const { node } = fc.letrec<{ node: Node }>(tie => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 3, arbitrary: term },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          items: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
          at: fc.constant(at),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('not' as const), item: tie('node'), at: fc.constant(at) }),
      },
    ),
  }));
  return fc.record({
    kind: fc.constant('and' as const),
    items: fc.array(node, { maxLength: 4 }),
    at: fc.constant(at),
  });
}

/** A query without its places in the text. */
export function withoutPlaces<N extends Node>(node: N): N {
  return JSON.parse(JSON.stringify(node, (key, value) => (key === 'at' ? at : value)));
}
