import { Gauge, Histogram, Registry } from 'prom-client';
import type { ErrorCode } from './contract/errors.ts';

/** Buckets in seconds: Slack's three seconds lie between two of them. */
const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.9, 5, 15, 60];

/** How many intents are in a state, and since when (RFC 3339) the oldest one is. */
export interface Census {
  readonly state: string;
  readonly count: number;
  readonly since: string;
}

/** What an operator's Prometheus reads. */
export interface Metrics {
  delivery(delivery: { kind: string; status: number; ms: number }): void;
  webApi(call: { method: string; outcome: string; ms: number }): void;
  rpc(call: { method: string; outcome: 'ok' | ErrorCode; ms: number }): void;
  /** The page at `/metrics`, with its content type. */
  page(): Promise<{ contentType: string; body: string }>;
}

/** Opens the metrics. `census` is asked each time the page is read. */
export function createMetrics(deps: { census: () => Promise<readonly Census[]>; clock: () => Date }): Metrics {
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
  new Gauge({
    name: 'muster_memory_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });

  return {
    delivery: ({ kind, status, ms }) => deliveries.observe({ kind, status: String(status) }, ms / 1000),
    webApi: ({ method, outcome, ms }) => webApi.observe({ method, outcome }, ms / 1000),
    rpc: ({ method, outcome, ms }) => rpc.observe({ method, outcome }, ms / 1000),
    page: async () => {
      intents.reset();
      oldest.reset();
      for (const { state, count, since } of await deps.census()) {
        intents.set({ state }, count);
        oldest.set({ state }, Math.max(0, (deps.clock().getTime() - Date.parse(since)) / 1000));
      }
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
