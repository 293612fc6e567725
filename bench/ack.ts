import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { openFakeSlack } from '../playground/fake-slack/fake-slack.ts';
import { startMuster } from '../test/support/acknowledging-process.ts';
import { quantile } from '../test/support/quantile.ts';
import { eventsPath, type SignedRequest, signedHelp } from '../test/support/signed-command.ts';
import { filesIn, type MakeDatabase } from './databases.ts';
import { interleave, type Pair, type Row, summarise } from './measure.ts';
import { startBareBolt } from './start-bare-bolt.ts';

/** Requests under way at any time, each on a connection of its own that is kept open. */
const concurrency = 8;
const perRound = 1000;
const rounds = 50;
/** Unmeasured rounds, in which both get as fast as they will be: V8 optimises most of their code after 17,000 requests. */
const warmUp = 20;

/** How quickly requests were acknowledged. */
interface Load {
  /** Requests acknowledged per second. */
  readonly throughput: number;
  /** Milliseconds within which 99 of 100 were acknowledged. */
  readonly p99: number;
}

/**
 * `/muster help` through the whole bot — signature, replay guard, dedupe, metrics, log at `info` written to a file — over a
 * bare Bolt app that checks the signature and acknowledges the same words. Each server is a process of its own; all requests
 * differ and are signed before the clock runs.
 */
export async function benchAck(given?: MakeDatabase): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  const make = given ?? filesIn(folder);
  await using slack = await openFakeSlack();
  try {
    await using muster = await startMuster(slack, folder, { DATABASE_URL: await make('ack') });
    await using bare = await startBareBolt(slack, folder, muster.answer);
    if (bare.answer !== muster.answer) throw new Error('The two do not answer the same, so nothing is measured.');
    await using musterPool = openPool(muster.origin);
    await using barePool = openPool(bare.origin);
    const sign = () => Array.from({ length: perRound }, () => signedHelp(slack));
    const measure = {
      baseline: () => load(barePool.pool, sign()),
      subject: () => load(musterPool.pool, sign()),
    };
    await interleave(warmUp, measure);
    const pairs = await interleave(rounds, measure);
    const throughput = pairs.map(each => ({ baseline: each.baseline.throughput, subject: each.subject.throughput }));
    const p99 = pairs.map(each => ({ baseline: each.baseline.p99, subject: each.subject.p99 }));
    return [
      { name: 'ack-throughput', ...summarise(throughput), limit: 0.8, bound: 'at least', unit: 'per s' },
      { name: 'ack-p99', ...summarise(p99), ...ofMedians(p99), limit: 1.25, bound: 'at most', unit: 'ms' },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The ratio of the medians: one slow moment of the machine makes a p99, so neighbours say little about each other. */
function ofMedians(pairs: readonly Pair[]): { ratio: number } {
  const { baseline, subject } = summarise(pairs);
  return { ratio: subject / baseline };
}

/** Connections to a server; disposing closes them. */
function openPool(origin: string): AsyncDisposable & { pool: Pool } {
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
  return { pool, [Symbol.asyncDispose]: () => pool.close() };
}

/** Sends signed requests over kept connections, and takes the time until each is acknowledged. */
async function load(pool: Pool, requests: readonly SignedRequest[]): Promise<Load> {
  const waits: number[] = [];
  const queue = requests.values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const request of queue) {
        const sent = performance.now();
        const response = await pool.request({ path: eventsPath, method: 'POST', ...request });
        await response.body.dump();
        waits.push(performance.now() - sent);
        if (response.statusCode !== 200) throw new Error(`A command was answered with status ${response.statusCode}.`);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  return { throughput: requests.length / seconds, p99: quantile(waits, 0.99) };
}
