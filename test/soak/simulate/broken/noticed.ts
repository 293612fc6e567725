import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeed, readSeeds } from '../seeds.ts';
import type { Variants } from '../variants/variant.ts';
import { WorldProcess } from '../world-process.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the end of `.ci/run` says of a test that passed. */
    note?: string;
  }
}

/**
 * Makes a test of each variant: a world shows it. The known seed is tried first. When its world does not show the variant, others are
 * searched, and the report of the run says that the known seed is out of date: that costs time and no strength.
 */
export function testNoticed(variants: Variants): void {
  const known = readSeeds();
  let worlds: WorldProcess;
  beforeAll(() => {
    worlds = new WorldProcess();
  });
  afterAll(() => worlds[Symbol.asyncDispose]());

  test.for(Object.entries(variants))('that %s is noticed', async ([name, { breaks }], { task }) => {
    const seed = await findSeed(name, known[name], (...which) => worlds.live(...which));
    expect(seed, `a seed whose world breaks “${breaks}”`).toBeDefined();
    if (seed !== known[name])
      task.meta.note = `seed ${known[name]} does not show it, seed ${seed} does: npm run simulate -- --find-seeds`;
  });
}
