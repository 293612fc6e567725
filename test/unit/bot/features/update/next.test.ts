import { expect, test } from 'vitest';
import { shareVerbs } from '../../../../support/verbs.ts';

const nexts: readonly (readonly [typed: string, minutes: number])[] = [
  ['30', 30],
  ['30m', 30],
  ['in 30', 30],
  ['half an hour', 30],
  ['in half an hour', 30],
  ['1h30', 90],
  ['1h 30m', 90],
  ['in an hour and a half', 90],
  ['an hour', 60],
  ['23:59 UTC', 704],
  ['at 23:59 UTC', 704],
  ['at 2:30 pm UTC', 135],
  ['tomorrow 9:00', 1185],
  ['tomorrow at 9am', 1185],
  ['9:00 tomorrow', 1185],
  ['14:30', 75],
];

const room = shareVerbs();

test.each(nexts)('--next %s is a time', async (typed, minutes) => {
  const { type, publicLines, now } = room();
  expect(await type(`/incident update we look --next ${typed}`)).toMatch(
    /^📣 You posted .* \(next by .*\)\.\n\[Undo\]$/,
  );
  const at = new Date(now().getTime() + minutes * 60_000);
  const clock = at.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });
  expect((await publicLines()).at(-1)).toContain('next by');
  expect((await publicLines()).at(-1)).toContain(clock.replace(/\s/, ' '));
});

test.each([
  ['14:30', '1:30 PM'],
  ['half an hour', '12:45 PM'],
  ['in half an hour', '12:45 PM'],
  ['an hour and a half', '1:45 PM'],
  ['at 14:30', '1:30 PM'],
  ['14h30', '1:30 PM'],
  ['2:30 p.m.', '1:30 PM'],
  ['13:30Z', '1:30 PM'],
  ['08:30 EST', '1:30 PM'],
  ['45', '1:00 PM'],
])('the next update is due at “%s”, which stands before its words', async (typed, shown) => {
  const { type, publicLines } = room();
  await type(`/incident update --next ${typed} we roll back`);
  expect((await publicLines()).at(-1)).toContain(`next by ${shown} – @alice\n> we roll back`);
});
