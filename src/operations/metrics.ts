import type { Counter, Gauge, Histogram } from 'prom-client';
import { type HookResult, hookResults, isTaken } from '../bot/alerts/hook-door.ts';
import { type PageResult, pageResults } from '../bot/pager/paging.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { type RefusalReason, refusalReasons } from '../service/call/refusals.ts';
import type { DatabaseWatch } from './database-watch.ts';
import type { StartWatch } from './start-watch.ts';
import { readBuild } from './version.ts';

/*
 * The metrics are the rows of three tables. The library makes an instrument of each row when the page at `/metrics` is first read, or when 200
 * observations wait, and adds its own about the process.
 * Deliveries, calls and attempts are observed when they end; the gauges are set each time the page is read, from the database, the process
 * and its watch of Slack. While the database does not answer, its gauges are absent instead of old.
 */

/** Buckets in seconds. One ends just below the three seconds in which Slack wants an acknowledgement (docs/slack.md 4). */
const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.9, 5, 15, 60];

/** Takes observations, and gives the page that Prometheus reads. Times are in milliseconds. */
export interface Metrics {
  delivery(delivery: { kind: string; status: number; ms: number }): void;
  /** A delivery that was acknowledged before it was stored. */
  unstored(): void;
  /** A delivery that is not tried any more. */
  givenUp(why: 'failed' | 'set aside'): void;
  webApi(call: { method: string; outcome: string; ms: number }): void;
  rpc(call: { method: string; outcome: 'ok' | ErrorCode; ms: number }): void;
  /** An attempt to deliver a webhook. The outcome `again` means that another attempt follows. */
  webhook(attempt: { endpoint: number; outcome: 'success' | 'again' | 'failed'; ms: number }): void;
  /** A request to the embedded service whose token is refused. */
  refusal(refusal: { reason: RefusalReason }): void;
  /** A delivery of alerts that was answered. */
  alert(delivery: { source: string; result: HookResult; at: Date }): void;
  /** An attempt to reach a pager. The result `again` means that another attempt follows. */
  paged(attempt: { pager: string; result: PageResult }): void;
  /** The page at `/metrics`, with its content type. */
  page(): Promise<{ contentType: string; body: string }>;
}

interface MetricsDeps {
  /** How many intents are in each state, and since when (RFC 3339) the oldest. Called each time the page is read; so is `backlogs`. */
  readonly census: () => Promise<readonly { readonly state: string; readonly count: number; readonly since: string }[]>;
  /** How many deliveries that are not done are in each state, and since when the oldest (`""` for none). */
  readonly deliveries: MetricsDeps['census'];
  /** How many webhooks wait for each endpoint, and since when (RFC 3339, `""` for none) the oldest. */
  readonly backlogs: () => Promise<
    readonly { readonly endpoint: number; readonly waiting: number; readonly since: string }[]
  >;
  /** Whether Slack reaches the bot, answers it and takes its token; undefined where there is no bot. */
  readonly isConnected: () => boolean | undefined;
  /**
   * How much room the database takes, and how much its disk has left where that is known, in bytes. Undefined before the database is open.
   */
  readonly size: () => Promise<{ readonly bytes: number; readonly free: number | undefined } | undefined>;
  /**
   * When the database was last copied, or since when it could have been while there is no copy, and how large the copy is, in bytes.
   * Undefined before the database is open.
   */
  readonly backup: () => Promise<{ readonly since: Date; readonly bytes: number | undefined } | undefined>;
  /** The names of those that may send alerts. */
  readonly alertSources?: readonly string[];
  /** The names of the team's pagers. */
  readonly pagers?: readonly string[];
  readonly database: DatabaseWatch;
  /** Absent where nothing is waited for. */
  readonly start?: StartWatch;
  readonly clock: () => Date;
}

/** The source of a delivery that names none of ours. No source has such a name. */
const unknownSource = '(unknown)';

/** Observations that wait at most; then they make the library load. */
const maxEarly = 200;

/** Opens the metrics. Their library loads when the page is first read, or after many observations, so that a start does without it. */
export function createMetrics(deps: MetricsDeps): Metrics {
  const early: ((instruments: Metrics) => void)[] = [];
  let instruments: Metrics | undefined;
  let loading: Promise<Metrics> | undefined;

  async function load(): Promise<Metrics> {
    instruments = await openInstruments(deps);
    for (const record of early.splice(0)) record(instruments);
    return instruments;
  }

  function observe(record: (instruments: Metrics) => void): void {
    if (instruments) record(instruments);
    else if (early.push(record) >= maxEarly) loading ??= load();
  }

  return {
    delivery: delivery => observe(to => to.delivery(delivery)),
    unstored: () => observe(to => to.unstored()),
    givenUp: why => observe(to => to.givenUp(why)),
    webApi: call => observe(to => to.webApi(call)),
    rpc: call => observe(to => to.rpc(call)),
    webhook: attempt => observe(to => to.webhook(attempt)),
    refusal: refusal => observe(to => to.refusal(refusal)),
    alert: delivery => observe(to => to.alert(delivery)),
    paged: attempt => observe(to => to.paged(attempt)),
    page: async () => {
      loading ??= load();
      return (await loading).page();
    },
  };
}

type MetricRows = Readonly<Record<string, readonly [name: string, help: string, labels: readonly string[]]>>;

const histogramRows = {
  deliveries: [
    'muster_slack_delivery_ack_seconds',
    'Time from a Slack delivery to its acknowledgement, by kind and HTTP status.',
    ['kind', 'status'],
  ],
  webApi: [
    'muster_slack_api_seconds',
    'Slack Web API calls by method and outcome (ok, or Slack’s word for the error).',
    ['method', 'outcome'],
  ],
  rpc: [
    'muster_api_seconds',
    'Incident and dashboard API calls by method and outcome (ok, or the error’s code).',
    ['method', 'outcome'],
  ],
  webhooks: [
    'muster_webhook_seconds',
    'Attempts to deliver webhooks by endpoint (its id) and outcome: success, again (another attempt follows), failed (given up).',
    ['endpoint', 'outcome'],
  ],
} as const satisfies MetricRows;

const counterRows = {
  unstored: [
    'muster_deliveries_unstored_total',
    'Slack deliveries that were acknowledged before they were stored, because the database took too long.',
    [],
  ],
  givenUp: [
    'muster_deliveries_given_up_total',
    'Slack deliveries that are not tried any more, by reason: failed (too often), set aside (processes hung or ended with it).',
    ['reason'],
  ],
  refusals: [
    'muster_service_refusals_total',
    'Requests to the embedded service that are refused for their token, by reason.',
    ['reason'],
  ],
  alerts: [
    'muster_alerts_total',
    `Deliveries of alerts by source and result: ${hookResults.join(', ')}. The source is ${unknownSource} where none has the name.`,
    ['source', 'result'],
  ],
  paged: [
    'muster_pages_total',
    `Attempts to reach a pager, by pager and result: ${pageResults.join(', ')}. After again another attempt follows.`,
    ['pager', 'result'],
  ],
} as const satisfies MetricRows;

const fromDatabase = 'All processes on one database show the same: use max(), not sum().';

const gaugeRows = {
  newestAlert: [
    'muster_alert_newest_timestamp_seconds',
    'When this process stored the newest delivery of alerts, by source, in Unix seconds. Absent before the first.',
    ['source'],
  ],
  intents: ['muster_intents', `Intents in the journal by state. ${fromDatabase}`, ['state']],
  oldest: ['muster_intents_oldest_seconds', `Age of the oldest intent by state. ${fromDatabase}`, ['state']],
  inbox: [
    'muster_deliveries',
    `Slack deliveries that are stored and not done, by state: waiting (no process has it), running (a process has it, or had it and died). ${fromDatabase}`,
    ['state'],
  ],
  inboxOldest: [
    'muster_deliveries_oldest_seconds',
    `Age of the oldest delivery that is not done, by state; 0 where there is none. ${fromDatabase}`,
    ['state'],
  ],
  waiting: [
    'muster_webhooks_waiting',
    `Webhooks that wait to be delivered, by endpoint. ${fromDatabase}`,
    ['endpoint'],
  ],
  longest: [
    'muster_webhooks_oldest_seconds',
    `Age of the oldest waiting webhook, by endpoint. ${fromDatabase}`,
    ['endpoint'],
  ],
  memory: ['muster_memory_bytes', 'Resident memory of the process.', []],
  databaseUp: [
    'muster_database_up',
    'Whether the database answers and its disk has room, 1 or 0. While it does not answer, what is counted in it is left out.',
    [],
  ],
  size: ['muster_database_bytes', `Size of the database. ${fromDatabase}`, []],
  free: [
    'muster_database_disk_free_bytes',
    'Free room on the disk of a SQLite database. Absent with Postgres: watch the disk of its server.',
    [],
  ],
  backupAge: [
    'muster_backup_age_seconds',
    `Time since the last copy of muster backup; while there is none, since the database was made. ${fromDatabase}`,
    [],
  ],
  backupSize: [
    'muster_backup_bytes',
    `Size of the last copy of muster backup. Absent while there is none. ${fromDatabase}`,
    [],
  ],
  slack: [
    'muster_slack_connected',
    'Whether Slack reaches the bot, answers its calls and takes its token, 1 or 0. Absent without a bot.',
    [],
  ],
  build: [
    'muster_build_info',
    'Always 1; the labels say which Muster runs, of which commit, on which Node.',
    ['version', 'commit', 'node'],
  ],
} as const satisfies MetricRows;

/** The instruments of a table's rows, under the same keys and with the same labels. */
type Histograms<Rows extends MetricRows> = { [Key in keyof Rows]: Histogram<Rows[Key][2][number]> };
type Counters<Rows extends MetricRows> = { [Key in keyof Rows]: Counter<Rows[Key][2][number]> };
type Gauges<Rows extends MetricRows> = { [Key in keyof Rows]: Gauge<Rows[Key][2][number]> };

async function openInstruments(deps: MetricsDeps): Promise<Metrics> {
  const library = await import('prom-client');
  const registry = new library.Registry();
  // process_* and nodejs_*: what Prometheus expects of every process, such as open files and the lag of the event loop.
  library.collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const make = <Made>(
    rows: MetricRows,
    one: (row: { name: string; help: string; labelNames: readonly string[] }) => unknown,
  ) =>
    Object.fromEntries(
      Object.entries(rows).map(([key, [name, help, labelNames]]) => [key, one({ name, help, labelNames })]),
    ) as Made;
  const { deliveries, webApi, rpc, webhooks } = make<Histograms<typeof histogramRows>>(
    histogramRows,
    row => new library.Histogram({ ...row, buckets, registers }),
  );
  const {
    unstored,
    givenUp: abandoned,
    refusals,
    alerts,
    paged,
  } = make<Counters<typeof counterRows>>(counterRows, row => new library.Counter({ ...row, registers }));
  const gauges = make<Gauges<typeof gaugeRows>>(gaugeRows, row => new library.Gauge({ ...row, registers }));
  // Each series that is known begins at 0, so that increase() sees the first.
  for (const reason of ['failed', 'set aside']) abandoned.inc({ reason }, 0);
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  for (const source of deps.alertSources ?? []) for (const result of hookResults) alerts.inc({ source, result }, 0);
  alerts.inc({ source: unknownSource, result: 'refused_token' }, 0);
  for (const pager of deps.pagers ?? []) for (const result of pageResults) paged.inc({ pager, result }, 0);
  gauges.build.set({ ...readBuild(), node: process.versions.node }, 1);

  return {
    delivery: ({ kind, status, ms }) => deliveries.observe({ kind, status: String(status) }, ms / 1000),
    unstored: () => unstored.inc(),
    givenUp: reason => abandoned.inc({ reason }),
    webApi: ({ method, outcome, ms }) => webApi.observe({ method, outcome }, ms / 1000),
    rpc: ({ method, outcome, ms }) => rpc.observe({ method, outcome }, ms / 1000),
    webhook: ({ endpoint, outcome, ms }) => webhooks.observe({ endpoint, outcome }, ms / 1000),
    refusal: ({ reason }) => refusals.inc({ reason }),
    alert: ({ source, result, at }) => {
      alerts.inc({ source: source || unknownSource, result });
      if (isTaken(result)) gauges.newestAlert.set({ source }, at.getTime() / 1000);
    },
    paged: ({ pager, result }) => paged.inc({ pager, result }),
    page: async () => {
      await updateGauges(gauges, deps);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

/** Sets the gauges to what the database, the process and Slack's watch say now. */
async function updateGauges(
  { intents, oldest, inbox, inboxOldest, waiting, longest, ...gauges }: Gauges<typeof gaugeRows>,
  deps: MetricsDeps,
): Promise<void> {
  const toAge = (since: string | Date) => Math.max(0, (deps.clock().getTime() - new Date(since).getTime()) / 1000);
  for (const each of [intents, oldest, inbox, inboxOldest, waiting, longest]) each.reset();
  const measure = () => deps.size().catch(() => undefined);
  const isOpen = deps.start?.isFound('database') ?? true;
  const count = () => Promise.all([deps.census(), deps.deliveries(), deps.backlogs(), measure(), deps.backup()]);
  const counted = isOpen ? await deps.database.read(count) : undefined;
  gauges.databaseUp.set(counted && !deps.database.fullSince ? 1 : 0);
  const connected = deps.isConnected();
  if (connected === undefined) gauges.slack.remove();
  else gauges.slack.set(connected ? 1 : 0);
  gauges.memory.set(process.memoryUsage.rss());
  const [census, deliveries, backlogs, measured, backup] = counted ?? [[], [], [], undefined, undefined];
  for (const [each, bytes] of [
    [gauges.size, measured?.bytes],
    [gauges.free, measured?.free],
    [gauges.backupAge, backup && toAge(backup.since)],
    [gauges.backupSize, backup?.bytes],
  ] as const) {
    if (bytes === undefined) each.remove();
    else each.set(bytes);
  }
  for (const { state, count, since } of census) {
    intents.set({ state }, count);
    oldest.set({ state }, toAge(since));
  }
  for (const { state, count, since } of deliveries) {
    inbox.set({ state }, count);
    inboxOldest.set({ state }, since === '' ? 0 : toAge(since));
  }
  for (const backlog of backlogs) {
    waiting.set({ endpoint: backlog.endpoint }, backlog.waiting);
    longest.set({ endpoint: backlog.endpoint }, backlog.since === '' ? 0 : toAge(backlog.since));
  }
}
