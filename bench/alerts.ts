import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { openFakeSlack } from '../playground/fake-slack/fake-slack.ts';
import { startMuster } from '../test/support/acknowledging-process.ts';
import { quantile } from '../test/support/quantile.ts';
import { filesIn, type MakeDatabase } from './databases.ts';
import { interleave, type Row, summarise } from './measure.ts';

/** Deliveries a second: a storm, which is when acknowledgements matter. */
const perSecond = 200;
/** Seconds of a turn of one side. */
const turn = 2;
/** Unmeasured turns of each side, in which both get as fast as they will be. */
const warmUp = 5;
/** Groups of alerts that fire again and again. */
const groups = 500;
/** Connections at most. Alertmanager keeps some; deliveries do not wait for one another. */
const connections = 64;
const token = 'bench-0123456789abcdef';
/** Every delivery is to be acknowledged within so many milliseconds. */
const longest = 1000;

/**
 * Deliveries of Alertmanager at a fixed pace, whether the earlier ones were answered or not, for so many seconds each: of the whole of Muster, over a bare
 * Hono app that stores the body into the same kind of database. The wait of a delivery begins when it was due.
 */
export async function benchAlerts(seconds: number, given?: MakeDatabase): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  const make = given ?? filesIn(folder);
  try {
    await using slack = await openFakeSlack();
    const ops = slack.addChannel({ name: 'ops', members: [slack.addPerson({ name: 'ada' })] });
    await using muster = await startMuster(slack, folder, {
      ...{ DATABASE_URL: await make('alerts'), ANNOUNCE_CHANNEL: ops.id, ALERTS: `bench=${token}` },
    });
    await using bare = await startBare(await make('bare'));
    const measure = { baseline: () => load(bare.origin), subject: () => load(muster.origin) };
    await interleave(warmUp, measure);
    const pairs = await interleave(Math.max(1, Math.round(seconds / turn)), measure);
    const at = (share: number) =>
      summarise(
        pairs.map(({ baseline, subject }) => ({
          baseline: quantile(baseline, share),
          subject: quantile(subject, share),
        })),
      );
    const slowest = Math.max(...pairs.flatMap(each => each.subject));
    const within = { ratio: slowest / longest, baseline: longest, subject: slowest, limit: 1 };
    return [
      { name: 'alerts-p50', ...at(0.5), limit: 2, bound: 'at most', unit: 'ms' },
      { name: 'alerts-p99', ...at(0.99), limit: 2, bound: 'at most', unit: 'ms' },
      { name: 'alerts-slowest', ...within, bound: 'at most', unit: 'ms' },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The bare app. Disposing ends it. */
async function startBare(url: string): Promise<AsyncDisposable & { readonly origin: string }> {
  const child = fork(new URL('./alerts-bare.ts', import.meta.url), [url, token]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

let serial = 0;

/** Sends deliveries for a turn, at the pace; gives how long each waited for its acknowledgement, in milliseconds. */
async function load(origin: string): Promise<readonly number[]> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const waits: number[] = [];
  const began = performance.now();
  const send = async (due: number) => {
    serial += 1;
    const request = { path: '/hooks/alerts/bench', method: 'POST', headers, body: toBody(serial) } as const;
    const response = await pool.request(request);
    await response.body.dump();
    waits.push(performance.now() - due);
    if (response.statusCode !== 200) throw new Error(`A delivery was answered with status ${response.statusCode}.`);
  };
  const sent: Promise<void>[] = [];
  for (let index = 0; index < perSecond * turn; index += 1) {
    const due = began + (index * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    sent.push(send(due));
  }
  await Promise.all(sent);
  await pool.close();
  return waits;
}

/** A body of Alertmanager with three alerts, unlike any other one: 2.6 kB. */
function toBody(serial: number): string {
  const group = serial % groups;
  const labels = { alertname: 'HighErrorRate', cluster: 'eu-1', service: `service-${group}`, severity: 'warning' };
  const startsAt = new Date().toISOString();
  const alerts = [0, 1, 2].map(index => ({
    status: 'firing',
    labels: { ...labels, instance: `10.0.${group % 256}.${index}:9100`, job: 'node', team: 'shop' },
    annotations: {
      summary: `Service ${group} answers ${serial} of 100,000 requests with 500`,
      description: 'More than 5 % of the requests of the last five minutes failed.',
      runbook_url: 'https://runbooks.example.com/high-error-rate',
    },
    startsAt,
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus.example.com/graph?g0.expr=rate%28errors%5B5m%5D%29&g0.tab=1',
    fingerprint: `${group}-${index}`,
  }));
  return JSON.stringify({
    ...{ receiver: 'muster', status: 'firing', version: '4', truncatedAlerts: 0, alerts, groupLabels: labels },
    ...{ commonLabels: labels, commonAnnotations: {}, externalURL: 'http://alertmanager.example.com' },
    groupKey: `{}/{severity="warning"}:{service="service-${group}"}`,
  });
}
