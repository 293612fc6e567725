import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeLines } from '../../../../../src/bot/incident/lines/store.ts';

type Placing = Parameters<typeof placeLines>[1];

const waiting = (...lines: readonly string[]) =>
  lines.map((line, index) => ({
    id: `${index + 1}`,
    actor: line.replace('!', ''),
    is_alone: line.endsWith('!') ? 1 : 0,
    message: '',
  }));
const open: Placing['last'] = { message: 'm', begun_at: 1000, actor: 'alice', is_alone: 0, is_closed: 0 };
const calm = { last: open, begun: 1, lately: 0, perHour: 30, now: 2000 };
const messages = (lines: ReturnType<typeof waiting>, placing: Placing) =>
  placeLines(lines, placing).map(each => each.message);

test('lines of one person within a minute share a message', () => {
  expect(messages(waiting('alice', 'alice'), calm)).toEqual(['m', 'm']);
  expect(messages(waiting('alice'), { ...calm, now: 61_000 })).toEqual(['1']);
  expect(messages(waiting('bob', 'bob', 'alice'), calm)).toEqual(['1', '1', '3']);
});

test('after two messages within a minute, lines join the last one, whoever made them', () => {
  expect(messages(waiting('bob', 'alice', 'bob', 'carol'), calm)).toEqual(['1', '2', '2', '2']);
  expect(messages(waiting('bob', 'carol!', 'dave'), { ...calm, lately: 2 })).toEqual(['m', '2', '3']);
});

test('a line that people must notice stands alone', () => {
  expect(messages(waiting('alice', 'alice!', 'alice'), calm)).toEqual(['m', '2', '3']);
});

test('nothing joins a message that is closed, or one from a clock that ran ahead', () => {
  expect(messages(waiting('alice'), { ...calm, last: { ...open, is_closed: 1 } })).toEqual(['1']);
  expect(messages(waiting('alice'), { ...calm, now: 0 })).toEqual(['1']);
});

test('with enough messages within the hour, lines join the last one, whoever made them', () => {
  expect(messages(waiting('bob', 'carol', 'dave!', 'erin'), { ...calm, begun: 30 })).toEqual(['m', 'm', '3', '4']);
  expect(messages(waiting('bob', 'carol'), { ...calm, perHour: 2 })).toEqual(['1', '1']);
});

test('each line gets one message, in order, and a message begins with its first line', () => {
  const line = fc.constantFrom('alice', 'bob', 'alice!', 'bob!');
  fc.assert(
    fc.property(fc.array(line), fc.nat(5), fc.nat(120_000), (lines, perHour, now) => {
      const placed = placeLines(waiting(...lines), { ...calm, perHour, now });
      expect(placed.map(each => each.id)).toEqual(lines.map((_, index) => `${index + 1}`));
      const order = [...new Set(placed.map(each => each.message))];
      expect(placed.map(each => order.indexOf(each.message))).toEqual(
        placed.map(each => order.indexOf(each.message)).toSorted((one, other) => one - other),
      );
      for (const { id, message, isNew } of placed) expect(isNew).toBe(message === id);
    }),
  );
});
