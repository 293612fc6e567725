import { expect, test } from 'vitest';
import { type Look, openChecks } from '../../../playground/checks.ts';
import { openStoryClock } from '../../../playground/story-system.ts';
import { unread } from '../../../playground/system/live-stories.ts';
import { deadlines } from '../../../src/deadlines.ts';
import { openInstantClock } from '../../support/instant-clock.ts';

/** Checks on a clock whose waits are over at once, with the verdicts that they gave. */
function openDesk() {
  const clock = openInstantClock();
  const verdicts: (readonly [claim: string, problems: readonly string[]])[] = [];
  const happened: string[] = [];
  const checks = openChecks(
    { ...unread, verdict: (claim, problems) => void verdicts.push([claim, problems]) },
    { clock, deadlines, hurry: async () => void happened.push('hurry') },
  );
  return { checks, clock, verdicts, happened };
}

/** A look that holds from the given time on. */
const from =
  (now: () => Date, milliseconds: number): Look =>
  expectThat =>
    expectThat(now().getTime() >= milliseconds, `tea at ${milliseconds}`);

test('people act once, and the look is tried until it holds, each time after Muster was hurried', async () => {
  const { checks, clock, verdicts, happened } = openDesk();
  await checks.check('There is tea.', {
    act: async () => void happened.push('act'),
    look: expectThat => {
      happened.push('look');
      from(clock.now, 500)(expectThat);
    },
  });
  expect(verdicts).toEqual([['There is tea.', []]]);
  expect(happened).toEqual(['act', ...['hurry', 'look'], ...['hurry', 'look'], ...['hurry', 'look']]);
  expect([checks.count, checks.failed]).toEqual([1, 0]);
});

test('a look that throws is tried again too', async () => {
  const { checks, clock, verdicts } = openDesk();
  await checks.check('There is tea.', {
    look: () => {
      if (clock.now().getTime() < 1000) throw new Error('There is no cup.');
    },
  });
  expect(verdicts).toEqual([['There is tea.', []]]);
});

test.each([
  ['the usual one', undefined, deadlines.playground.check],
  ['one that only time ends', deadlines.playground.time, deadlines.playground.time],
])('a wait ends at its deadline on the clock of the story: %s', async (_, within, deadline) => {
  const held = openDesk();
  await held.checks.check('There is tea.', { look: from(held.clock.now, deadline), ...(within && { within }) });
  expect(held.verdicts).toEqual([['There is tea.', []]]);

  const late = openDesk();
  await late.checks.check('There is tea.', { look: from(late.clock.now, deadline + 1), ...(within && { within }) });
  expect(late.verdicts).toEqual([['There is tea.', [`expected: tea at ${deadline + 1}`]]]);
  expect(late.clock.now().getTime()).toBe(deadline);
});

test('a deed that fails is a problem, and nobody looks; after a failure nothing more is waited for', async () => {
  const { checks, clock, verdicts } = openDesk();
  await checks.check('There is tea.', {
    act: () => Promise.reject(new Error('There is no water.')),
    look: () => expect.unreachable(),
  });
  await checks.check('There is cake.', { look: from(clock.now, 250) });
  await checks.check('There is milk.', { look: from(clock.now, 0) });
  expect(verdicts).toEqual([
    ['There is tea.', ['went wrong: There is no water.']],
    ['There is cake.', ['expected: tea at 250']],
    ['There is milk.', []],
  ]);
  expect([checks.count, checks.failed]).toEqual([3, 2]);
});

test('a wait on a clock that jumps takes its time there, and is over sooner', async () => {
  const clock = openStoryClock(new Date(0));
  const began = performance.now();
  await clock.wait(500);
  expect(clock.now().getTime()).toBeGreaterThanOrEqual(500);
  expect(clock.now().getTime()).toBeGreaterThan(performance.now() - began);
  clock.pass(2);
  expect(clock.now().getTime()).toBeGreaterThanOrEqual(120_500);
  await expect(clock.wait(5000, AbortSignal.abort())).rejects.toThrow('aborted');
});
