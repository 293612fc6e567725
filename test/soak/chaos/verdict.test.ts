import { expect, test } from 'vitest';
import { judgeOrder } from './verdict.ts';

const act = (name: string, seq: number, isTakenUp = false) => ({ name, seq, isTakenUp });

test('what people did later and took effect earlier is noticed, and who carried it out', () => {
  expect(judgeOrder([act('a', 1), act('b', 2, true), act('c', 3)])).toEqual({ outOfOrder: [], overtaken: [] });
  expect(judgeOrder([act('a', 3), act('b', 1), act('c', 4)])).toEqual({ outOfOrder: ['a'], overtaken: [] });
  expect(judgeOrder([act('a', 3, true), act('b', 1), act('c', 2, true)])).toEqual({ outOfOrder: [], overtaken: ['a'] });
});
