import { alertSnippets } from './alerts.ts';

/** A line of a fenced `sh` block: what it shows where it is run as it stands, the test that runs it in its own way, or why nothing runs it. */
export type DocumentedCommand = { readonly line: string } & (
  | {
      /** What it prints, on standard output or standard error. Its exit code is 0. */
      readonly shows: readonly RegExp[];
      /** Whether Muster runs meanwhile; absent: it is stopped. */
      readonly whileMusterRuns?: true;
    }
  /** A file of test/soak/readme. */
  | { readonly test: 'first-command.test.ts' | 'first-change.test.ts' }
  | { readonly whyNot: string }
);

const source = 'It needs a source of alerts. A test has one:';
const inCi = '.ci/run runs it on each change; this test is a part of that.';
const longRun = 'It runs for minutes. A test runs the same for a short time:';
const docker = 'It needs Docker, and an image.';
const grafana = 'It needs a Grafana. A test speaks with a server of the same API:';

/** Every line of the `sh` blocks of these documents, in order. */
export const documentedCommands: Readonly<Record<string, readonly DocumentedCommand[]>> = {
  'docs/alerts.md': [
    { line: 'muster alerts test --source prometheus', whyNot: `${source} test/unit/commands/alerts.test.ts.` },
    { line: 'muster doctor', whyNot: `${source} test/unit/bot/doctor/alerts.test.ts.` },
    { line: alertSnippets.curl, whyNot: `${source} test/deploy/alerts.test.ts.` },
  ],
  'docs/pager.md': [
    {
      line: 'muster pager test sre',
      whyNot: 'It needs a pager. A test has one: test/unit/commands/pager.test.ts.',
    },
  ],
  'README.md': [
    { line: 'npm ci && npm run demo', test: 'first-command.test.ts' },
    { line: 'npm ci && npm test', whyNot: inCi },
  ],
  'CONTRIBUTING.md': [
    { line: 'npm ci', whyNot: 'It is in the first line of README.md, which is run.' },
    { line: 'npm run demo', whyNot: 'It is in the first line of README.md, which is run.' },
    { line: 'npm test', whyNot: inCi },
    { line: 'npm run check', whyNot: inCi },
    { line: 'npm run test:all', whyNot: inCi },
    { line: 'npm run test:long', whyNot: 'It takes half an hour and more.' },
    { line: 'npm run fuzz', whyNot: `${longRun} test/soak/hostile/fuzz.test.ts.` },
    { line: 'npm run breakdown', whyNot: `${longRun} test/soak/breakdown/breakdown.test.ts.` },
    { line: 'npm run kills', whyNot: `${longRun} test/soak/kills/kills.test.ts.` },
    { line: 'npm run tour', whyNot: `${longRun} test/soak/tour/tour.test.ts.` },
    { line: 'npm run monkey', whyNot: `${longRun} test/soak/monkey/monkey.test.ts.` },
    { line: 'npm run bench', whyNot: 'It measures for half an hour. Tests of its parts: test/unit/bench.' },
    { line: '.ci/run', whyNot: 'It runs this test.' },
    { line: 'npm run prices', whyNot: 'It is .ci/run, which runs this test.' },
    { line: "npm test -- test/stories/task.test.ts -t 'how many tasks'", test: 'first-change.test.ts' },
    { line: 'npm run docs', test: 'first-change.test.ts' },
    { line: 'npm run check', whyNot: inCi },
    { line: 'git commit -am "task: /task count says how many are open"', test: 'first-change.test.ts' },
  ],
  'docs/operating.md': [
    {
      line: 'muster backup --out ./muster-monday.db',
      whileMusterRuns: true,
      shows: [/^\.\/muster-monday\.db is a sound copy: 1 incident, \d+ timeline items, 1 room, /m],
    },
    {
      line: 'muster restore ./muster-monday.db',
      shows: [
        /^\.\/data\/muster\.db is what \.\/muster-monday\.db holds: 1 incident, \d+ timeline items, 1 room, /m,
        /^The database that was there stands at \.\/data\/muster\.db\.before-/m,
        /No intent was open in it\./,
      ],
    },
    { line: 'muster restore --in-place', shows: [/^The database is prepared: start Muster on it now\./m] },
    { line: 'docker compose -f deploy/compose/compose.sqlite.yml stop muster', whyNot: docker },
    {
      line: 'docker compose -f deploy/compose/compose.sqlite.yml run --rm muster node bin/muster.js restore data/muster-monday.db',
      whyNot: docker,
    },
    { line: 'docker compose -f deploy/compose/compose.sqlite.yml start muster', whyNot: docker },
    { line: 'muster journal list', shows: [/The replica is behind/, /Nobody knows why/] },
    { line: 'muster journal show <id>', shows: [/pending/, /The replica is behind/] },
    { line: 'muster journal retry <id>', shows: [/^1 intent is due now\./m] },
    { line: 'muster journal discard <id>', shows: [/^Discarded: .*The replica is behind/m] },
    { line: 'muster journal purge --incident 7', shows: [/^Deleted: 0 intents\.$/m] },
    { line: 'muster journal purge --person U012', shows: [/^Deleted: 0 intents and 0 drafts\.$/m] },
    {
      line: 'muster conformance --url https://grafana.example.com --token glsa_…',
      whyNot: `${grafana} test/unit/conformance.`,
    },
    {
      line: 'muster webhooks add https://example.com/hook --query "severity:critical"',
      shows: [
        /^Added endpoint 1\. It receives events of incidents that match, but not of private ones\./m,
        /^[0-9a-f]{64}$/m,
      ],
    },
    { line: 'muster webhooks deliveries', shows: [/^There are no such deliveries\./m] },
    { line: 'muster webhooks deliveries --status failed', shows: [/^There are no such deliveries\./m] },
    { line: 'muster webhooks retry --failed', shows: [/^0 deliveries are due now\./m] },
    {
      line: 'muster move --from sqlite:./data/muster.db --to env:NEW_DATABASE_URL',
      whyNot: 'It needs a Postgres. A test has one: test/soak/drill/move.test.ts.',
    },
    {
      line: 'muster export --out ./export',
      shows: [/^\.\/export holds 1 incident with \d+ timeline items and 1 task, 3 roles, 3 people, 0 dashboards\./m],
    },
    { line: 'muster export --out ./export --url https://old.grafana.net', whyNot: `${grafana} test/unit/transfer.` },
    { line: 'muster import ./export', shows: [/^incidents: 0 added, 1 there already$/m] },
    { line: 'muster import ./export --url https://new.grafana.net', whyNot: `${grafana} test/unit/transfer.` },
    {
      line: 'muster erase --person alice@example.com --dry-run',
      shows: [/^Would erase: alice, alice@example\.com, /m, /^Nothing was changed\./m, /^changed +1 +incidents$/m],
    },
    {
      line: 'muster erase --person alice@example.com',
      shows: [
        /^Erasing: alice, alice@example\.com, /m,
        /^“Erased person [0-9a-f]{8}” stands in their place\./m,
        /^changed +1 +incidents$/m,
      ],
    },
    { line: 'muster doctor', shows: [/ok\s+database/] },
    { line: 'muster doctor --json', shows: [/"well": true/] },
  ],
};
