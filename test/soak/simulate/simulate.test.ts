import { expect, test } from 'vitest';
import { simulate } from './simulation.ts';

test('in 16 workplaces, whatever befalls them, all invariants hold', async () => {
  const { code, text } = await simulate('--seeds', '16');
  expect(text.split('\n').slice(-30).join('\n')).toMatch(/16 worlds, .*: all invariants hold/);
  expect(code).toBe(0);
}, 600_000);

test('in 12 workplaces in which people hand roles over, post lists, press on the home tab and below a resolution, and archive, all invariants hold', async () => {
  const { code, text } = await simulate('--variant', 'duties,rooms,aftermath,classic', '--seeds', '12');
  expect(text.split('\n').slice(-30).join('\n')).toMatch(/12 worlds, .*: all invariants hold/);
  expect(code).toBe(0);
}, 600_000);

test('a seed replays alone, with the same history to the millisecond', async () => {
  const [first, second] = await Promise.all([simulate('--seed', '7'), simulate('--seed', '7')]);
  expect(first.text).toBe(second.text);
  expect(first.text.split('\n').length).toBeGreaterThan(50);
});
