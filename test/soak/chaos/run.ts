import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { Random } from '../simulate/random.ts';
import type { FaultKind } from './failing-api.ts';
import { type Act, actOn } from './people.ts';
import type { Replica } from './processes.ts';
import { query } from './query.ts';
import { settle } from './settle.ts';
import { openStand } from './stand.ts';
import { judge, type Verdict } from './verdict.ts';

/** How bad it gets. */
export interface ChaosOptions {
  /** Acts that must be acknowledged. */
  readonly actions: number;
  /** One process on SQLite, or two on Postgres. */
  readonly engine: keyof typeof promptness;
  /** How long they take at least, while processes are killed, stopped and frozen, and the API fails. */
  readonly seconds: number;
  readonly incidents: number;
  /** The share of requests to the API that fail, in [0, 1]. */
  readonly failing: number;
  /** Decides what people do and which requests fail; when things happen is the machine's. */
  readonly seed: number;
  /** Gets every line that the processes log. */
  readonly onLine?: (line: string) => void;
}

/** What happened. */
export interface ChaosReport extends Verdict {
  readonly acts: readonly Act[];
  /** Acts that were acknowledged. */
  readonly accepted: number;
  /** Intents that were done before the API stopped failing; the others were done afterwards. */
  readonly doneMeanwhile: number;
  /** How often a process was killed, stopped as for an update, or frozen. */
  readonly kills: number;
  readonly stops: number;
  readonly freezes: number;
  /** Requests to the API while it failed. */
  readonly requests: number;
  readonly faults: Readonly<Record<FaultKind, number>>;
  /** Words of log lines of level `error`, and how often each came. */
  readonly errors: ReadonlyMap<string, number>;
  /** Rows that were unfinished when all should have been done and told, after the last fault. */
  readonly late: number;
  /** Rows that were unfinished when it was no longer waited for. */
  readonly unfinished: number;
  /** How long people acted, how long it then took until no intent was unfinished, and until every delivery was answered too. */
  readonly seconds: { readonly acting: number; readonly journal: number; readonly settling: number };
}

const troubleEvery = 1_000;
/** The longest that a process stands still, in milliseconds: longer than a lease. */
const longestFreeze = 25_000;
/**
 * How soon after the last fault nothing is unfinished, in milliseconds. On Postgres that is one lease and five seconds; on
 * SQLite no other process can hold a lease, so it is the five seconds after the process is there again.
 */
const promptness = { postgres: 25_000, sqlite: 5_000 } as const;

/** Lives through it, and judges. Throws when something does not even start. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { actions, seconds, incidents, seed, engine, onLine } = options;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-chaos-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const databaseUrl =
    engine === 'postgres' ? stack.use(await startPostgres()).url('postgres') : `sqlite:${join(folder, 'bot.db')}`;
  const databases = engine === 'postgres' ? [databaseUrl, databaseUrl] : [databaseUrl];
  const stand = stack.use(await openStand({ folder, databases, incidents, seed, onLine }));
  const { api, crowd, stages, replicas, errors, service } = stand;

  const before = { requests: api.requests, done: await countDone(databaseUrl) };
  const began = performance.now();
  let accepted = 0;
  let isOver = false;
  api.fail(options.failing);
  const troubling = troubleInTurn(replicas, new Random(seed, 'processes'), seconds, () => isOver);
  const every = (seconds * 1000 * incidents) / actions;
  const enough = (isAccepted: boolean) => {
    if (isAccepted) accepted += 1;
    return accepted >= actions;
  };
  const acts = (await Promise.all(stages.map(stage => actOn(crowd, stage, every, enough)))).flat();
  await wait(Math.max(0, seconds * 1000 - (performance.now() - began)));
  isOver = true;
  const troubles = await troubling;
  const acted = performance.now();

  api.fail(0);
  const lastFault = await killOnce(replicas);
  const requests = api.requests - before.requests;
  const doneMeanwhile = (await countDone(databaseUrl)) - before.done;
  const { late, unfinished, drained } = await settle(databaseUrl, lastFault + promptness[engine]);
  const settled = performance.now();
  const verdict = await judge({ acts, serviceUrl: service.url, token: service.token, databaseUrl });
  return {
    ...verdict,
    acts,
    accepted,
    doneMeanwhile,
    ...troubles,
    kills: troubles.kills + 1,
    late,
    requests,
    faults: api.faults,
    errors,
    unfinished,
    seconds: {
      acting: (acted - began) / 1000,
      journal: (drained - acted) / 1000,
      settling: (settled - acted) / 1000,
    },
  };
}

/**
 * Every second kills, stops or freezes one after the other, and starts it again at once. Whoever is not up yet is waited for.
 * Yields how often each happened.
 */
async function troubleInTurn(replicas: readonly Replica[], random: Random, seconds: number, isOver: () => boolean) {
  const recovering = replicas.map(() => Promise.resolve());
  const count = { kills: 0, stops: 0, freezes: 0 };
  const longest = Math.min(longestFreeze, seconds * 200);
  const freeze = async (replica: Replica) => {
    replica.freeze();
    const until = performance.now() + random.whole(1000, longest);
    while (performance.now() < until && !isOver()) await wait(100);
    replica.resume();
  };
  for (let turn = 0; ; turn += 1) {
    const index = turn % replicas.length;
    await recovering[index];
    // One process alone has the time between two troubles that each of two has.
    await wait((troubleEvery * 2) / replicas.length);
    const replica = replicas[index];
    if (isOver() || !replica) break;
    const trouble = random.pick(['kills', 'kills', 'stops', 'freezes'] as const);
    count[trouble] += 1;
    if (trouble === 'freezes') {
      recovering[index] = freeze(replica);
    } else {
      const ended = trouble === 'kills' ? replica.kill() : replica.terminate();
      recovering[index] = ended.then(() => replica.start());
    }
  }
  await Promise.all(recovering);
  return count;
}

/** Kills the first one, the last fault; yields since when a process takes requests, on the clock of `performance`. */
async function killOnce(replicas: readonly Replica[]): Promise<number> {
  const [first, ...others] = replicas;
  await first?.kill();
  const killed = performance.now();
  await first?.start();
  return others.length > 0 ? killed : performance.now();
}

async function countDone(databaseUrl: string): Promise<number> {
  const [row] = await query(databaseUrl, "select count(*) as done from bot_intent where state = 'done'");
  return Number(row?.done);
}
