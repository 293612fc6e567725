import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests of what is kept in a database; they run twice, on SQLite and on a Postgres that is started for them. */
const onBothEngines = [
  'test/unit/db/**/*.test.ts',
  'test/unit/service/**/*.test.ts',
  'test/unit/transfer/**/*.test.ts',
  'test/unit/conformance/**/*.test.ts',
  'test/unit/bot/{journal,inbox,incident}/**/*.test.ts',
  'test/stories/deliveries*.test.ts',
  'test/soak/{durability,fuzz}/**/*.test.ts',
];

/** Tests among them that keep nothing, and the one that looks at pages in a browser. */
const pure = [
  'test/unit/db/lease-watch.test.ts',
  'test/unit/bot/incident/room.test.ts',
  'test/unit/bot/journal/retry-policy.test.ts',
  'test/unit/service/{query/parse,incidents/severity,incidents/slug,store/slug,pages/rules,pages/browser}.test.ts',
];

export default defineConfig({
  test: {
    restoreMocks: true,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Many tests wait for what takes its time: even where there are two cores, two go on beside each other.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // CommonJS packages are imported as Node does it.
    deps: { interopDefault: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          // Several bots on one database need Postgres.
          exclude: ['test/unit/db/postgres.test.ts', 'test/stories/deliveries-replicas.test.ts'],
          typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: onBothEngines,
          exclude: pure,
          globalSetup: ['test/support/databases/setup.ts'],
          provide: { engine: 'postgres' },
        },
      },
    ],
  },
});
