import { expect, test } from 'vitest';
import { createPace } from '../../../../src/bot/incident/card-pace.ts';

/** The times at which an incident is shown when it is changed at these times, in milliseconds. */
function roundsOf(changes: readonly number[], urgent: readonly number[] = []): readonly number[] {
  let now = 0;
  const pace = createPace(() => now);
  const rounds: number[] = [];
  let due = Number.POSITIVE_INFINITY;
  const show = () => {
    now = due;
    pace.begin('7');
    rounds.push(now);
    due = Number.POSITIVE_INFINITY;
  };
  for (const at of [...changes, ...urgent].toSorted((one, other) => one - other)) {
    if (due <= at) show();
    now = at;
    due = Math.min(due, now + pace.wait('7', urgent.includes(at)));
  }
  show();
  return rounds;
}

test('a change in a calm room is shown at once', () => {
  expect(roundsOf([0, 100_000, 200_000])).toEqual([300, 100_300, 200_300]);
});

test('forty changes in a minute are shown at most five times in any minute, so that card and line are ten writes', () => {
  const changes = Array.from({ length: 200 }, (_, index) => index * 1500);
  const rounds = roundsOf(changes);
  const perMinute = rounds.map(from => rounds.filter(at => at >= from && at < from + 60_000).length);
  expect(rounds.length).toBeGreaterThan(10);
  expect(Math.max(...perMinute)).toBe(5);
});

test('a change that people must notice is shown at once in a busy room too', () => {
  const changes = Array.from({ length: 40 }, (_, index) => index * 1500);
  expect(roundsOf(changes, [25_200])).toContain(25_500);
});

test('when much must be noticed within a minute, it is gathered for five seconds', () => {
  const rounds = roundsOf(
    [],
    Array.from({ length: 60 }, (_, index) => index * 1000),
  );
  expect(rounds.slice(0, 6)).toEqual([300, 1300, 2300, 3300, 8300, 13_300]);
});
