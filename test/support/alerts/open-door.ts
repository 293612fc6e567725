import { type Agent, request as httpRequest } from 'node:http';
import { createAlertDoor } from '../../../src/bot/alerts/door.ts';
import type { HookDelivery } from '../../../src/bot/alerts/hook-door.ts';
import { readAlertmanager } from '../../../src/bot/alerts/read/alertmanager.ts';
import type { AlertGroup } from '../../../src/bot/incident/state/alert-group.ts';
import type { AlertSource } from '../../../src/config/alert-sources.ts';
import type { Deadlines } from '../../../src/deadlines.ts';
import { serveHttp } from '../../../src/service/http/server.ts';
import { patient } from '../deadlines.ts';
import { type LogRecord, openWatchedLog } from '../watched-log.ts';

/** Tokens of the sources behind {@link openDoor}. `prod` has two, as while they are changed. */
export const tokens = {
  prod: 'prod-0123456789abcdef/+==',
  old: 'prod-old-0123456789abcdef',
  test: 'test-0123456789abcdef',
} as const;

/** A source of alerts with nothing set. */
export function toSource(name: string, ...its: readonly string[]): AlertSource {
  return { name, tokens: its, channel: '', severities: new Map(), labels: [], declares: [] };
}

/** What a delivery was answered. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A delivery to send. */
interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

/** The real door on the real server, before a place that keeps what it hears in memory. */
export async function openDoor(
  options: {
    readonly hear?: (source: AlertSource, group: AlertGroup) => Promise<void>;
    readonly expectErrors?: (record: LogRecord) => boolean;
    readonly keeps?: boolean;
    readonly deadlines?: Deadlines;
  } = {},
) {
  const heard: { source: string; group: AlertGroup }[] = [];
  const seen: HookDelivery[] = [];
  const { keeps = true, expectErrors, deadlines = patient() } = options;
  const watched = openWatchedLog({
    level: 'debug',
    expectErrors,
    close: async () => await server[Symbol.asyncDispose](),
  });
  const door = createAlertDoor({
    sources: [toSource('prod', tokens.prod, tokens.old), toSource('test', tokens.test)],
    read: (_source, body) => readAlertmanager(body),
    hold: (_source, _body, read) => read(),
    hear: async (source, group) => {
      await options.hear?.(source, group);
      if (keeps) heard.push({ source: source.name, group });
      return 'stored';
    },
    observe: delivery => {
      if (keeps) seen.push(delivery);
    },
    deadlines,
    clock: () => new Date('2026-11-26T10:00:00Z'),
    log: watched.log,
  });
  const server = await serveHttp({ listener: door, port: 0, deadlines, log: watched.log });
  /** Sends a delivery of `prod` with its token, unless told otherwise. */
  const send = async (sent: Sent = {}): Promise<Answer> => {
    const { method = 'POST', path = '/hooks/alerts/prod', headers = bearer(tokens.prod), body = toBody() } = sent;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const agent = sent.agent ? { agent: sent.agent } : {};
    httpRequest({ port: server.port, method, path, headers, ...agent }, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString() });
      });
    })
      .once('error', reject)
      .end(body);
    return await promise;
  };
  return { port: server.port, send, heard, seen, records: watched.records, lines: watched.lines };
}

/** The header that shows a token. */
export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** The token as the password of Basic. */
export function basic(token: string, user = 'alertmanager'): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}` };
}

/** A body of Alertmanager; `more` replaces members of it. */
export function toBody(more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...usual, ...more });
}

const labels = { alertname: 'HighErrorRate', service: 'checkout', severity: 'critical' };
const usual = {
  version: '4',
  groupKey: '{}:{alertname="HighErrorRate"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'muster',
  groupLabels: { alertname: 'HighErrorRate' },
  commonLabels: labels,
  commonAnnotations: { summary: 'Checkout answers 500' },
  externalURL: 'http://alertmanager.example.com',
  alerts: [
    {
      status: 'firing',
      labels,
      annotations: { summary: 'Checkout answers 500' },
      startsAt: '2026-11-26T09:58:00Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus.example.com/graph?g0.expr=up',
      fingerprint: 'b1946ac92492d234',
    },
  ],
};
