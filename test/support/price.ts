import { afterAll } from 'vitest';
import { cpuSeconds } from './cpu-seconds.ts';

/*
 * What a test file costs: the CPU seconds of its worker and of the processes that it started, from before the file is loaded to its end.
 * `.ci/count.mjs` holds them against `.ci/budget.json`. A worker's first file would pay for all of Muster, which the next ones find loaded.
 */

if (process.env.TEST_REPORT !== undefined) await import('../../src/app.ts');
const before = cpuSeconds();

// biome-ignore lint/correctness/noEmptyPattern: Vitest wants its fixtures taken apart there, and none is needed.
afterAll(({}, { file }) => {
  file.meta.cpu = cpuSeconds() - before;
});

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds of a test file. */
    cpu?: number;
  }
}
