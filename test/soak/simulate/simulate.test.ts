import { expect, test } from 'vitest';
import { simulate } from './simulation.ts';
import { WorldProcess } from './world-process.ts';

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

test('a seed replays alone or after others, with the same history to the millisecond', async () => {
  await using worlds = new WorldProcess();
  const [{ text }, again] = await Promise.all([simulate('--seed', '7'), worlds.live(6).then(() => worlds.live(7))]);
  expect(text).toContain(`seed 7: 0 violations, history ${again.digest}`);
  expect(text.split('\n').length).toBeGreaterThan(50);
}, 600_000);
