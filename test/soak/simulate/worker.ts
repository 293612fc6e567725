import { runSeed } from './run.ts';
import { findVariant } from './variants/all.ts';

/** One seed after another, as they are sent; answers each with how it went, and with its history when it went wrong. */
process.on('message', async ({ seed, variant }: { seed: number; variant?: string }) => {
  const run = await runSeed(seed, findVariant(variant));
  process.send?.(run.violations.length === 0 ? { ...run, history: [] } : run);
});
