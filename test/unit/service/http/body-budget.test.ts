import { expect, test } from 'vitest';
import { createBodyBudget } from '../../../../src/service/http/body-budget.ts';
import { TestTimers } from '../../../support/timers.ts';

/** A budget of 1,000 bytes for small bodies and 200,000 for large ones. */
function openBudget() {
  const timers = new TestTimers(() => undefined);
  return { timers, budget: createBodyBudget({ small: 1000, large: 200_000, timeout: 2000, timers }) };
}

const busy = { code: 'unavailable', retryAfter: 1 };

test('small bodies are refused at once when their room is taken, and let in when it is given back', () => {
  const { budget } = openBudget();
  const first = budget.open();
  const second = budget.open();
  first.grow(600);
  second.grow(400);
  expect(() => second.grow(1)).toThrow(expect.objectContaining(busy));
  first[Symbol.dispose]();
  second.grow(600);
});

test('a large body waits for room, first come, first served', async () => {
  const { budget } = openBudget();
  const [first, second, third] = [budget.open(), budget.open(), budget.open()];
  await first.reserve(150_000);
  const order: string[] = [];
  const waiting = [
    second.reserve(100_000).then(() => order.push('second')),
    third.reserve(10_000).then(() => order.push('third')),
  ];
  first.keep(120_000);
  await Promise.resolve();
  expect(order).toEqual([]);
  first[Symbol.dispose]();
  await Promise.all(waiting);
  expect(order).toEqual(['second', 'third']);
});

test('a large body that waits in vain is refused, and those behind it are let in', async () => {
  const { budget, timers } = openBudget();
  const [first, second, third] = [budget.open(), budget.open(), budget.open()];
  await first.reserve(150_000);
  const refused = expect(second.reserve(100_000)).rejects.toMatchObject(busy);
  const behind = third.reserve(10_000);
  await timers.fire(2000);
  await refused;
  await behind;
});

test('room is given back once, however often it is disposed of', async () => {
  const { budget, timers } = openBudget();
  const first = budget.open();
  await first.reserve(200_000);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await budget.open().reserve(200_000);
  const refused = expect(budget.open().reserve(1)).rejects.toMatchObject(busy);
  await timers.fire(2000);
  await refused;
});

test('two large bodies are carried out at a time, and small ones do not wait for them', async () => {
  const { budget } = openBudget();
  const large = [budget.open(), budget.open(), budget.open()];
  for (const each of large) await each.reserve(66_000);
  const gate = Promise.withResolvers<void>();
  const begun: number[] = [];
  const carried = large.map((each, index) =>
    each.carryOut(async () => {
      begun.push(index);
      await gate.promise;
    }),
  );
  expect(await budget.open().carryOut(async () => 'small')).toBe('small');
  await expect.poll(() => begun).toEqual([0, 1]);
  gate.resolve();
  await Promise.all(carried);
  expect(begun).toEqual([0, 1, 2]);
});
