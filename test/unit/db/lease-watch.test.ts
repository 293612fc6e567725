import { expect, test } from 'vitest';
import { createLeaseWatch } from '../../../src/db/lease-watch.ts';

test('a lease is left once it has not changed for its whole time, by a clock that never steps', () => {
  let now = 0;
  const watch = createLeaseWatch(20, () => now);
  const a = { key: 'a', owner: 'one', mark: 5 };
  const b = { key: 'b', owner: 'two', mark: 5 };
  expect(watch.look([a, b])).toEqual([]);
  now = 19;
  expect(watch.look([a, { ...b, mark: 6 }])).toEqual([]);
  now = 20;
  expect(watch.look([a, { ...b, mark: 6 }]).map(each => each.key)).toEqual(['a']);
  now = 39;
  expect(
    watch
      .look([
        { ...a, owner: 'three' },
        { ...b, mark: 6 },
      ])
      .map(each => each.key),
  ).toEqual(['b']);
  expect(watch.look([])).toEqual([]);
  expect(watch.look([b])).toEqual([]);
});
