import { expect, test } from 'vitest';
import { invariants } from './invariants/all.ts';
import { simulate } from './simulation.ts';
import { variants } from './variants.ts';

test.each(Object.entries(variants))(
  'that %s is noticed',
  async (name, { breaks, seeds = 4 }) => {
    const which = ['--variant', name, '--from', '1', '--seeds', String(seeds)];
    const { code, text } = await simulate(...which, '--until', breaks, '--workers', '1');
    expect(text).toContain(` · ${breaks}: `);
    expect(text).toContain('Replay one with: npm run simulate -- --seed ');
    expect(code).toBe(1);
  },
  240_000,
);

test('for every invariant there is a variant that breaks it', () => {
  const broken = new Set(Object.values(variants).map(each => each.breaks));
  expect([...broken].toSorted()).toEqual(Object.keys(invariants).toSorted());
});
