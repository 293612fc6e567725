import { defineConfig } from 'vitest/config';

/** The tests of one area, as Stryker runs them. `MUTATE_TESTS` lists their globs, separated by spaces. */
export default defineConfig({
  test: {
    restoreMocks: true,
    setupFiles: ['test/mutate/setup.ts'],
    include: (process.env.MUTATE_TESTS ?? '').split(' '),
    exclude: [],
    // Tests of hostile length take longest by far, and notice nothing that the others miss but slowness.
    testNamePattern: /^(?!.*stays quick)/,
    testTimeout: 20_000,
    expect: { poll: { timeout: 5000, interval: 20 } },
    isolate: false,
    deps: { interopDefault: false },
    provide: { engine: 'sqlite' },
  },
});
