import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { simulate } from './simulation.ts';

const everything =
  'api,slack,kills,stops,freezes,steps,elsewhere,talk,rivals,duties,aftermath,classic,calls,promises,pages';

const usualWorlds = isLong ? 16 : 8;
let lived: ReturnType<typeof simulate> | undefined;
/** The usual workplaces, through which both tests below live once. */
const usual = () => (lived ??= simulate('--seeds', `${usualWorlds}`, '--digests'));

test.each([
  { what: 'whatever befalls them', variant: undefined, worlds: usualWorlds },
  {
    what: 'in which people hand roles over, post lists, press on the home tab and below a resolution, and archive',
    variant: 'duties,rooms,aftermath,classic',
    worlds: isLong ? 12 : 6,
  },
  {
    what: 'in which days pass: people leave and come back, rooms close and open, and nobody comes who is called',
    variant: 'calls,promises,pages,days',
    worlds: isLong ? 40 : 4,
  },
  ...(isLong ? [{ what: 'with all troubles at once', variant: everything, worlds: 300 }] : []),
])('in $worlds workplaces, $what, all invariants hold', async ({ variant, worlds }) => {
  const { code, text } = await (variant === undefined
    ? usual()
    : simulate('--variant', variant, '--seeds', `${worlds}`));
  expect(text.split('\n').slice(-30).join('\n')).toMatch(new RegExp(`${worlds} worlds, .*: all invariants hold`));
  expect(code).toBe(0);
});

test('a seed replays alone or after others, with the same history to the millisecond', async () => {
  // Two processes live through the others: the last seed comes after some of them.
  const seed = usualWorlds - 1;
  const [{ text }, others] = await Promise.all([simulate('--seed', `${seed}`), usual()]);
  const [, digest] = new RegExp(`^seed ${seed}: history (\\w+)$`, 'm').exec(others.text) ?? [];
  expect(text).toContain(`seed ${seed}: 0 violations, history ${digest}`);
  expect(text.split('\n').length).toBeGreaterThan(50);
});
