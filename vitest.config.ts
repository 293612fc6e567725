import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** Stories of each operation of the API (docs/operations.md). They run on SQLite, and in `npm run test:long` over HTTP and on Postgres too. */
const ofOperations = [
  'test/stories/{dash,role,task,timeline}*.test.ts',
  'test/stories/{declare,drill,incident-times,label,note,resolve,severity,status,title,undo,whoami}.test.ts',
];

/** Tests of the statements that a database carries out, and of all that must outlast a process. */
const ofDatabase = [
  'test/unit/db/**/*.test.ts',
  'test/unit/service/{incidents,dashboards,query}/**/*.test.ts',
  'test/unit/service/webhooks/{endpoints,events,retry}.test.ts',
  'test/unit/service/call/{admit,response-cache,tokens}.test.ts',
  'test/unit/service/{incident-retention,invariants,replicas,soundness}.test.ts',
  'test/unit/transfer/database.test.ts',
  'test/unit/deploy/backup-script.test.ts',
  'test/unit/erase/erase.test.ts',
  'test/unit/conformance/**/*.test.ts',
  'test/unit/bot/{journal,inbox}/**/*.test.ts',
  'test/unit/bot/incident/{board,lines,state}/**/*.test.ts',
  'test/unit/bot/doctor/database.test.ts',
  'test/unit/bot/{gone-incidents,move-home}.test.ts',
  'test/unit/bot/alerts/races-postgres.test.ts',
  'test/unit/bot/pager/page-store.test.ts',
  'test/stories/{call-replicas,deliveries*,elsewhere-replicas,move,next-steps-replicas,reminders,reminders-replicas,room-lines,starts-early-postgres,task,timeline-races}.test.ts',
  'test/soak/durability/**/*.test.ts',
];

/** Other tests that keep something in a database. They run on SQLite, and in `npm run test:long` on Postgres too. */
const withDatabase = [
  'test/unit/service/**/*.test.ts',
  'test/unit/transfer/**/*.test.ts',
  'test/unit/bot/{incident,dispatch}/**/*.test.ts',
  'test/unit/bot/people/directory.test.ts',
  'test/stories/{adopt,call-chain,call-kills,link}.test.ts',
  ...ofOperations,
  'test/soak/fuzz/**/*.test.ts',
];

/** Tests in those folders that keep nothing in a database. */
const withoutDatabase = [
  'test/unit/bot/inbox/channel-order.test.ts',
  'test/unit/bot/journal/retry-policy.test.ts',
  'test/unit/service/{query/parse,incidents/severity,incidents/slug,store/slug,pages/rules}.test.ts',
];

/** Where Linux keeps files in memory. A database there does not wait for the disk at each commit. */
const inMemory = '/dev/shm';

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Quick tests keep their temporary files in memory where they can. Soak tests keep theirs on the disk, as production does. */
const env: Record<string, string> = isWritable(inMemory) ? { TMPDIR: inMemory } : {};

/** Quick tests hardly wait. Each worker loads all of Muster, so one more than there are cores is enough to keep those busy. */
const quick = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 0 } };

/** Stories that go through every case of a table, or wait for time that passes. */
const ofEveryCase = [
  'test/stories/{api-failures,grafana-failures,grafana-life,closed-rooms,demo,grafana-away,missing-scope,nobody-enters,outage-places,revoked,seats-asked,sight-everywhere,socket-mode,timeline-emoji,typed-answers,undo,words}.test.ts',
];

/** Tests of Postgres itself, and of several bots on one database. */
const ofPostgresAlone = [
  'test/unit/bot/alerts/races-postgres.test.ts',
  'test/unit/bot/journal/lane-locks-postgres.test.ts',
  'test/unit/db/{outages-postgres,pgbouncer,postgres,postgres-tls}.test.ts',
  'test/stories/call-replicas.test.ts',
  'test/stories/deliveries-replicas.test.ts',
  'test/stories/elsewhere-replicas.test.ts',
  'test/stories/next-steps-replicas.test.ts',
  'test/stories/reminders-replicas.test.ts',
  'test/stories/starts-early-postgres.test.ts',
];
/** Tests of SQLite itself. */
const ofSqliteAlone = 'test/unit/db/sqlite*.test.ts';
/** Soak tests that say how long somebody waits. */
const timed = ['test/soak/{attack,hostile}/*.test.ts', 'test/soak/chaos/outages.test.ts'];
/** Soak tests that wait for processes of their own, which are killed, start and stop. */
const crowded = ['test/soak/{breakdown,chaos,drill,durability,fuzz,kills,monkey,rolling}/*.test.ts'];
/** Soak tests that wait for a Muster, a playground or programs of others in processes of their own. */
const ofProcesses = ['test/soak/{alerts,playground,processes,readme}/*.test.ts'];
/** Tests that have a short form for each change and a long one. */
const inTwoLengths = [
  'test/stories/grafana-failures.test.ts',
  'test/soak/{breakdown,chaos,hostile,kills,monkey}/*.test.ts',
  'test/soak/fuzz/fuzz.test.ts',
  'test/soak/renderers/renderers.test.ts',
  'test/soak/simulate/{busy-minute,simulate}.test.ts',
];
/** Soak tests that `.ci/run` runs only when their subject changed (.ci/suites.ts). */
const ofSubjects = ['test/soak/{readme,simulate/broken}/*.test.ts'];
/** Clients of others, where they are installed. */
const ofClients = 'test/clients/*.test.ts';
const inBrowser = 'test/unit/service/pages/browser.test.ts';
/** The pictures of the documents, taken anew in a browser. */
const pictures = 'test/browser/pictures.test.ts';

/**
 * `npm test` runs the projects `unit` and `stories`, which are quick and need nothing but Node. `npm run test:long` runs those that take
 * too long for each change, and `npm run test:all` all others: in `.ci/run` in two lanes beside each other, those that compute and those that
 * wait. docs/architecture.md says what each is for.
 */
export default defineConfig({
  test: {
    restoreMocks: true,
    setupFiles: ['test/support/price.ts'],
    // Only a test that hangs takes so long. A busy machine must not fail one that does not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The one patience of every test that waits for an effect. A test that waits in vain fails late, not often.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    // Soak tests, browsers and Postgres wait a part of their time, and start processes of their own.
    maxWorkers: availableParallelism() + 2,
    // Projects of one group share its workers. The groups run one after the other.
    sequence: { sequencer: LongestFirst, groupOrder: 1 },
    // No test replaces a module, so test files may share the modules that a worker has loaded.
    isolate: false,
    // Node itself loads the TypeScript, as in production: it keeps what it compiled, and nothing is transformed first.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...quick,
          include: ['test/unit/**/*.test.ts'],
          exclude: [...ofPostgresAlone, inBrowser],
          env,
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'stories',
          ...quick,
          include: ['test/stories/**/*.test.ts'],
          exclude: [...ofPostgresAlone, ...ofEveryCase],
          env,
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: { name: 'cases', include: ofEveryCase, env, provide: { engine: 'sqlite' } },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: { enabled: true, only: true, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ofDatabase,
          exclude: [...withoutDatabase, ofSqliteAlone],
          globalSetup: ['test/support/databases/setup.ts'],
          provide: { engine: 'postgres' },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [inBrowser, 'test/browser/**/*.test.ts'],
          exclude: [pictures],
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        // What deploy/ offers, tried with the programs it is for: nginx, Caddy, promtool, systemd-analyze.
        test: { name: 'deploy', include: ['test/deploy/**/*.test.ts'], provide: { engine: 'sqlite' } },
      },
      {
        extends: true,
        // They compute, most of them in virtual time.
        test: {
          name: 'soak',
          include: ['test/soak/**/*.test.ts'],
          exclude: [...ofProcesses, ...crowded, ...timed],
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: { name: 'processes', include: ofProcesses, provide: { engine: 'sqlite' } },
      },
      {
        extends: true,
        test: { name: 'crowd', include: crowded, exclude: timed, provide: { engine: 'sqlite' } },
      },
      {
        extends: true,
        test: {
          name: 'attack',
          include: timed,
          provide: { engine: 'sqlite' },
          // How long a bystander waits is measured, so nothing else runs meanwhile.
          sequence: { groupOrder: 3 },
          maxWorkers: 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'long-http',
          include: ofOperations,
          env,
          provide: { engine: 'sqlite', api: 'service' },
        },
      },
      {
        extends: true,
        test: {
          name: 'long-grafana',
          include: ofOperations,
          setupFiles: ['test/support/price.ts', 'test/support/grafana-left-out.ts'],
          env: { ...env, TZ: 'UTC' },
          provide: { engine: 'sqlite', api: 'newer Grafana' },
        },
      },
      {
        extends: true,
        test: {
          name: 'long-grafana-la',
          include: ofOperations,
          setupFiles: ['test/support/price.ts', 'test/support/grafana-left-out.ts'],
          env: { ...env, TZ: 'America/Los_Angeles' },
          provide: { engine: 'sqlite', api: 'older Grafana' },
        },
      },
      {
        extends: true,
        test: {
          name: 'long-postgres',
          include: withDatabase,
          exclude: [...withoutDatabase, ...ofDatabase, inBrowser],
          globalSetup: ['test/support/databases/setup.ts'],
          provide: { engine: 'postgres' },
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [...inTwoLengths, ...ofSubjects, pictures, ofClients],
          provide: { engine: 'sqlite', isLong: true },
          sequence: { groupOrder: 3 },
          maxWorkers: 1,
        },
      },
    ],
  },
});
