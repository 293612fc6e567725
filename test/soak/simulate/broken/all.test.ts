import { expect, test } from 'vitest';
import { invariants } from '../invariants/all.ts';
import { readSeeds } from '../seeds.ts';
import { simulate } from '../simulation.ts';
import { variants } from '../variants/all.ts';

test('for every invariant there is a variant that breaks it', () => {
  const broken = new Set(Object.values(variants).map(each => each.breaks));
  expect([...broken].toSorted()).toEqual(Object.keys(invariants).toSorted());
});

test('every variant has a known seed: npm run simulate -- --find-seeds', () => {
  expect(Object.keys(readSeeds())).toEqual(Object.keys(variants));
});

test('the command fails where a world breaks an invariant, says which, and how to replay it', async () => {
  const name = 'notes are added twice';
  const which = ['--variant', name, '--from', String(readSeeds()[name]), '--seeds', '4', '--workers', '1'];
  const { breaks } = variants[name] ?? {};
  const { code, text } = await simulate(...which, '--until', String(breaks));
  expect(text).toContain(` · ${breaks}: `);
  expect(text).toContain('Replay one with: npm run simulate -- --seed ');
  expect(text).toMatch(/^1 worlds, /m);
  expect(code).toBe(1);
});
