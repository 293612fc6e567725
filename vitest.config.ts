import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { patience } from './test/support/patience.ts';

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
  'test/unit/bot/alerts/{growth,large-bodies,races-postgres}.test.ts',
  'test/unit/bot/pager/page-store.test.ts',
  'test/unit/bot/statements-postgres.test.ts',
  'test/stories/{call-replicas,deliveries*,elsewhere-replicas,move,next-steps-replicas,reminders-replicas,starts-early-postgres,timeline-races}.test.ts',
  'test/soak/durability/**/*.test.ts',
];

/** Other tests that keep something in a database. They run on SQLite, and in `npm run test:long` on Postgres too. */
const withDatabase = [
  'test/unit/service/**/*.test.ts',
  'test/unit/transfer/**/*.test.ts',
  'test/unit/bot/{incident,dispatch}/**/*.test.ts',
  'test/unit/bot/people/directory.test.ts',
  'test/stories/{adopt,call-chain,call-kills,link,reminders,room-lines}.test.ts',
  ...ofOperations,
  'test/soak/fuzz/**/*.test.ts',
];

/** Tests in those folders that keep nothing in a database, or in which time is virtual, which a server does not follow. */
const withoutDatabase = [
  'test/unit/bot/incident/board/loop.test.ts',
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

/**
 * Tests keep their temporary files in memory where they can: no core waits for a disk. What is killed and restored keeps them on the disk, as
 * production does.
 */
const env: Record<string, string> = isWritable(inMemory) ? { TMPDIR: inMemory } : {};

/** Quick tests hardly wait. Each worker loads all of Muster, so one more than there are cores is enough to keep those busy. */
const quick = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 0 } };

/**
 * Tests that start processes, drive browsers and databases, or compute for minutes. How long that takes is up to the machine, and none of them
 * is judged by it. Only a test that hangs takes so long: the run then goes on to the next one, and says which it was.
 */
const unhurried = {
  testTimeout: 30 * 60_000,
  hookTimeout: 30 * 60_000,
  expect: { poll: { timeout: patience, interval: 20 } },
};

/** The main way of each verb and surface: the stories that are quick enough for `npm test`. */
const mainStories = [
  'test/stories/{access,app,dash,dash-link,dash-posted,dash-save,dash-trash,declare,declare-form,declare-pasted,direct-message}.test.ts',
  'test/stories/{dispatch,drill,elsewhere-names,erase,formatting,forwards,help,home-tab,idle,incident-times,label,link,log-fields}.test.ts',
  'test/stories/{loose-words,lost-database,message-menu,note,own-acts,pages,pages-port,pages-revoke,pages-ways-in}.test.ts',
  'test/stories/{people,private-later-posts,private-says-so,resolve,role,role-handover,sentences,settings,several-tasks,severity}.test.ts',
  'test/stories/{status-posted,task,timeline,timeline-elsewhere,timeline-follow,title,two-incidents,typed-times,update-mentions}.test.ts',
  'test/stories/{what-matters,whoami}.test.ts',
];

/** Unit tests that try thousands of inputs, or wait for real databases and processes: too dear for `npm test`. */
const dearUnits = [
  'test/unit/{expressions,readers}.test.ts',
  'test/unit/db/{backup,growth,landings}.test.ts',
  'test/unit/bot/text/times-round-trip.test.ts',
  'test/unit/bot/grammar/{free-text,long-lines}.test.ts',
  'test/unit/bot/slack/message-words.test.ts',
  'test/unit/bot/alerts/{hostile,read/read,read/window}.test.ts',
  'test/unit/bot/doctor/slack.test.ts',
  'test/unit/bot/features/{undo,dash/dash,dash/link,reminders/reminders}.test.ts',
  'test/unit/commands/journal.test.ts',
  'test/unit/conformance/kit.test.ts',
  'test/unit/deploy/backup-script.test.ts',
  'test/unit/docs/pinned.test.ts',
  'test/unit/playground/workspace/server.test.ts',
  'test/unit/service/dashboards/discovery.test.ts',
  'test/unit/service/http/body.test.ts',
  'test/unit/service/pages/{errors,incident,pages}.test.ts',
  'test/unit/service/webhooks/sender.test.ts',
  'test/unit/transfer/database.test.ts',
  'test/unit/service/clients/vendor-requests.test.ts',
  'test/unit/service/incidents/type-header.test.ts',
];

/** Tests of Postgres itself, and of several bots on one database. */
const ofPostgresAlone = [
  'test/unit/bot/alerts/races-postgres.test.ts',
  'test/unit/bot/journal/lane-locks-postgres.test.ts',
  'test/unit/bot/statements-postgres.test.ts',
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
/** Only `npm run test:long` runs these: what a process holds in memory after thousands of requests, and random clicks. */
const ofLong = ['test/soak/fuzz/growth.test.ts', 'test/soak/monkey/monkey.test.ts'];
/** Soak tests that wait for time, or for a Muster, a playground or programs of others in processes of their own. */
const ofProcesses = ['test/soak/{alerts,playground,processes,readme,renderers,tour}/*.test.ts'];
/** Tests that have a short form for each change and a long one. */
const inTwoLengths = [
  'test/unit/{expressions,readers}.test.ts',
  'test/stories/grafana-failures.test.ts',
  'test/browser/{first-minute,incident,pages,stories}.test.ts',
  'test/soak/{breakdown,chaos,hostile,kills,monkey}/*.test.ts',
  'test/soak/alerts/kills.test.ts',
  'test/soak/drill/*.test.ts',
  'test/soak/durability/durability.test.ts',
  'test/soak/processes/poison.test.ts',
  'test/soak/fuzz/*.test.ts',
  'test/soak/{renderers/renderers,sentences/sentences}.test.ts',
  'test/soak/simulate/{busy-minute,simulate}.test.ts',
];
/** The test files that stay away from this run, as .ci/suites.ts prints them. */
// biome-ignore lint/style/noProcessEnv: it is no setting of Muster.
const away = (process.env.AWAY ?? '').split('\n').filter(path => path !== '');
/** Soak tests that `.ci/run` runs only when their subject changed (.ci/suites.ts). */
const ofSubjects = ['test/soak/{readme,simulate/broken}/*.test.ts'];
/** Clients of others, where they are installed. */
const ofClients = 'test/clients/*.test.ts';
const inBrowser = 'test/unit/service/pages/browser.test.ts';

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
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The one patience of every test that waits for an effect. A test that waits in vain fails late, not often.
    expect: { poll: { timeout: 60_000, interval: 20 } },
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
          exclude: [...ofPostgresAlone, ...dearUnits, inBrowser],
          env,
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'stories',
          ...quick,
          include: mainStories,
          env: { ...env, TZ: 'America/Los_Angeles' },
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'cases',
          ...unhurried,
          include: ['test/stories/**/*.test.ts', ...dearUnits],
          exclude: [...ofPostgresAlone, ...mainStories],
          env: { ...env, TZ: 'Asia/Kolkata' },
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          ...unhurried,
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
          ...unhurried,
          include: [inBrowser, 'test/browser/**/*.test.ts'],
          env,
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        // What deploy/ offers, tried with the programs it is for: nginx, Caddy, promtool, systemd-analyze.
        test: {
          name: 'deploy',
          ...unhurried,
          include: ['test/deploy/**/*.test.ts'],
          exclude: away,
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        // They compute, most of them in virtual time.
        test: {
          name: 'soak',
          ...unhurried,
          include: ['test/soak/**/*.test.ts'],
          exclude: [...ofProcesses, ...crowded, ...timed, ...away],
          env,
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          ...unhurried,
          include: ofProcesses,
          exclude: away,
          env,
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'crowd',
          ...unhurried,
          include: crowded,
          exclude: [...timed, ...ofLong],
          provide: { engine: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'attack',
          ...unhurried,
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
          ...unhurried,
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
          ...unhurried,
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
          ...unhurried,
          include: [...inTwoLengths, ...ofSubjects, ofClients],
          provide: { engine: 'sqlite', isLong: true },
          sequence: { groupOrder: 3 },
          maxWorkers: 1,
        },
      },
    ],
  },
});
