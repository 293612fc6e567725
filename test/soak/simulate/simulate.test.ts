import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { simulate } from './simulation.ts';
import { WorldProcess } from './world-process.ts';

const everything =
  'api,slack,kills,stops,freezes,steps,elsewhere,talk,rivals,duties,aftermath,classic,calls,promises,pages';

test.each([
  { what: 'whatever befalls them', variant: undefined, worlds: isLong ? 16 : 8 },
  {
    what: 'in which people hand roles over, post lists, press on the home tab and below a resolution, and archive',
    variant: 'duties,rooms,aftermath,classic',
    worlds: isLong ? 12 : 6,
  },
  ...(isLong ? [{ what: 'with all troubles at once', variant: everything, worlds: 300 }] : []),
])('in $worlds workplaces, $what, all invariants hold', async ({ variant, worlds }) => {
  const { code, text } = await simulate(
    ...(variant === undefined ? [] : ['--variant', variant]),
    '--seeds',
    `${worlds}`,
  );
  expect(text.split('\n').slice(-30).join('\n')).toMatch(new RegExp(`${worlds} worlds, .*: all invariants hold`));
  expect(code).toBe(0);
});

test('a seed replays alone or after others, with the same history to the millisecond', async () => {
  await using worlds = new WorldProcess();
  const [{ text }, again] = await Promise.all([simulate('--seed', '7'), worlds.live(6).then(() => worlds.live(7))]);
  expect(text).toContain(`seed 7: 0 violations, history ${again.digest}`);
  expect(text.split('\n').length).toBeGreaterThan(50);
});
