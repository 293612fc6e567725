import type { ErrorCode } from '../contract/errors.ts';

/** Buckets in seconds: Slack's three seconds lie between two of them. */
const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.9, 5, 15, 60];

/** How many intents are in a state, and since when (RFC 3339) the oldest one is. */
export interface Census {
  readonly state: string;
  readonly count: number;
  readonly since: string;
}

/** How many webhooks wait for an endpoint, and since when (RFC 3339, `""` for none) the first of them does. */
export interface Backlog {
  readonly endpoint: number;
  readonly waiting: number;
  readonly since: string;
}

/** What an operator's Prometheus reads. */
export interface Metrics {
  delivery(delivery: { kind: string; status: number; ms: number }): void;
  webApi(call: { method: string; outcome: string; ms: number }): void;
  rpc(call: { method: string; outcome: 'ok' | ErrorCode; ms: number }): void;
  /** An attempt to deliver a webhook; `again` says that there will be another. */
  webhook(attempt: { endpoint: number; outcome: 'success' | 'again' | 'failed'; ms: number }): void;
  /** The page at `/metrics`, with its content type. */
  page(): Promise<{ contentType: string; body: string }>;
}

interface MetricsDeps {
  /** Asked each time the page is read, and so are the backlogs. */
  readonly census: () => Promise<readonly Census[]>;
  readonly backlogs: () => Promise<readonly Backlog[]>;
  readonly clock: () => Date;
}

/** Observations kept at most before the instruments are loaded for them. */
const keptEarly = 200;

/** Opens the metrics. Their library is loaded when somebody reads the page, or when there is much to tell: no start needs it. */
export function createMetrics(deps: MetricsDeps): Metrics {
  const early: ((instruments: Metrics) => void)[] = [];
  let instruments: Metrics | undefined;
  let loading: Promise<Metrics> | undefined;

  async function load(): Promise<Metrics> {
    instruments = await openInstruments(deps);
    for (const tell of early.splice(0)) tell(instruments);
    return instruments;
  }

  function observe(tell: (instruments: Metrics) => void): void {
    if (instruments) tell(instruments);
    else if (early.push(tell) >= keptEarly) loading ??= load();
  }

  return {
    delivery: delivery => observe(to => to.delivery(delivery)),
    webApi: call => observe(to => to.webApi(call)),
    rpc: call => observe(to => to.rpc(call)),
    webhook: attempt => observe(to => to.webhook(attempt)),
    page: async () => {
      loading ??= load();
      return (await loading).page();
    },
  };
}

async function openInstruments(deps: MetricsDeps): Promise<Metrics> {
  const { Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  const deliveries = new Histogram({
    name: 'muster_slack_delivery_ack_seconds',
    help: 'Time from a Slack delivery to its acknowledgement, by kind and HTTP status.',
    labelNames: ['kind', 'status'],
    buckets,
    registers,
  });
  const webApi = new Histogram({
    name: 'muster_slack_api_seconds',
    help: 'Slack Web API calls by method and outcome (ok, or Slack’s word for the error).',
    labelNames: ['method', 'outcome'],
    buckets,
    registers,
  });
  const rpc = new Histogram({
    name: 'muster_api_seconds',
    help: 'Incident and dashboard API calls by method and outcome (ok, or the error’s code).',
    labelNames: ['method', 'outcome'],
    buckets,
    registers,
  });
  const intents = new Gauge({
    name: 'muster_intents',
    help: 'Intents in the journal by state.',
    labelNames: ['state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'muster_intents_oldest_seconds',
    help: 'Age of the oldest intent by state.',
    labelNames: ['state'],
    registers,
  });
  const webhooks = new Histogram({
    name: 'muster_webhook_seconds',
    help: 'Attempts to deliver webhooks by endpoint (its id) and outcome: success, again (there will be another), failed (given up).',
    labelNames: ['endpoint', 'outcome'],
    buckets,
    registers,
  });
  const waiting = new Gauge({
    name: 'muster_webhooks_waiting',
    help: 'Webhooks that wait to be delivered, by endpoint.',
    labelNames: ['endpoint'],
    registers,
  });
  const longest = new Gauge({
    name: 'muster_webhooks_oldest_seconds',
    help: 'Age of the oldest webhook that waits, by endpoint.',
    labelNames: ['endpoint'],
    registers,
  });
  new Gauge({
    name: 'muster_memory_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });

  const toAge = (since: string) => Math.max(0, (deps.clock().getTime() - Date.parse(since)) / 1000);

  return {
    delivery: ({ kind, status, ms }) => deliveries.observe({ kind, status: String(status) }, ms / 1000),
    webApi: ({ method, outcome, ms }) => webApi.observe({ method, outcome }, ms / 1000),
    rpc: ({ method, outcome, ms }) => rpc.observe({ method, outcome }, ms / 1000),
    webhook: ({ endpoint, outcome, ms }) => webhooks.observe({ endpoint, outcome }, ms / 1000),
    page: async () => {
      intents.reset();
      oldest.reset();
      for (const { state, count, since } of await deps.census()) {
        intents.set({ state }, count);
        oldest.set({ state }, toAge(since));
      }
      waiting.reset();
      longest.reset();
      for (const backlog of await deps.backlogs()) {
        waiting.set({ endpoint: backlog.endpoint }, backlog.waiting);
        longest.set({ endpoint: backlog.endpoint }, backlog.since === '' ? 0 : toAge(backlog.since));
      }
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
