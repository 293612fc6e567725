import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { botEvents, scopes } from '../../../src/bot/manifest.ts';
import { openFakeSlack } from '../../../src/fake-slack/fake-slack.ts';
import { execute } from '../../support/databases/execute.ts';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { Random } from '../simulate/random.ts';
import { openBalancer } from './balancer.ts';
import { type FaultKind, openFailingApi } from './failing-api.ts';
import { type Act, actOn, type Crowd, type Stage, severities } from './people.ts';
import { Replica } from './processes.ts';
import { judge, type Verdict } from './verdict.ts';

/** How bad it gets. */
export interface ChaosOptions {
  /** Acts that must be acknowledged. */
  readonly actions: number;
  /** How long they take at least, and processes are killed. The API goes on failing for half as long: then most is done. */
  readonly seconds: number;
  readonly incidents: number;
  /** The share of requests to the API that fail, in [0, 1]. */
  readonly failing: number;
  /** Decides what people do and which requests fail; when things happen is the machine's. */
  readonly seed: number;
  /**
   * Whether leases of dead processes are waited for. Otherwise all processes are killed in the end, all leases ended in the
   * database, and processes started once more: the same as waiting, a minute sooner.
   */
  readonly waitsForLeases: boolean;
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
  readonly kills: number;
  /** Requests to the API while it failed. */
  readonly requests: number;
  readonly faults: Readonly<Record<FaultKind, number>>;
  /** Words of log lines of level `error`, and how often each came. */
  readonly errors: ReadonlyMap<string, number>;
  /** Rows that were unfinished when it was no longer waited for. */
  readonly unfinished: number;
  /** How long people acted, how long it then took until no intent was unfinished, and until every delivery was answered too. */
  readonly seconds: { readonly acting: number; readonly journal: number; readonly settling: number };
}

const apiToken = 'glsa_chaos';
const killEvery = 1_000;
/** How long it may take until nothing is unfinished, in milliseconds. */
const patience = 900_000;

/** Lives through it, and judges. Throws when something does not even start. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { actions, seconds, incidents, seed } = options;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-chaos-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = stack.use(await startPostgres());
  const databaseUrl = postgres.url('postgres');
  const errors = new Map<string, number>();
  const onLine = (line: string) => {
    options.onLine?.(line);
    const [, words] = /"level":(?:50|60),.*"msg":"([^"]*)"/.exec(line) ?? [];
    if (words !== undefined) errors.set(words, (errors.get(words) ?? 0) + 1);
  };
  const service = stack.adopt(
    new Replica({
      args: ['service', '--port', '0', '--database', `sqlite:${join(folder, 'service.db')}`],
      settings: { SERVICE_TOKENS: `${apiToken}:Admin`, SEVERITIES: severities.join(',') },
      ready: /listens on http:\/\/127\.0\.0\.1:(\d+)/,
      onLine,
    }),
    each => each.kill(),
  );
  await service.start();
  const serviceUrl = service.life?.url ?? '';
  const api = stack.use(await openFailingApi(serviceUrl, new Random(seed, 'api')));
  const slack = stack.use(
    await openFakeSlack({ scopes: Object.values(scopes).map(each => each.scope), events: botEvents }),
  );
  const replicas = [1, 2].map(() =>
    stack.adopt(
      new Replica({
        args: ['start'],
        settings: {
          SLACK_BOT_TOKEN: slack.botToken,
          SLACK_SIGNING_SECRET: slack.signingSecret,
          SLACK_API_URL: slack.apiUrl,
          GRAFANA_URL: api.url,
          GRAFANA_TOKEN: apiToken,
          DATABASE_URL: databaseUrl,
          SEVERITIES: severities.join(','),
          PORT: '0',
        },
        ready: /"port":(\d+).*"msg":"muster: ready"/,
        onLine,
      }),
      each => each.kill(),
    ),
  );
  for (const replica of replicas) await replica.start();
  const balancer = stack.use(await openBalancer(replicas));
  slack.connectApp(`${balancer.url}/slack/events`);
  const people = ['alice', 'bob', 'carol', 'dave', 'erin'].map(name => slack.addPerson({ name }));
  const crowd: Crowd = { slack, people, balancer, random: new Random(seed, 'people') };
  const stages = await declare(crowd, incidents);

  const before = { requests: api.requests, done: await countDone(databaseUrl) };
  const began = performance.now();
  let accepted = 0;
  let isOver = false;
  api.fail(options.failing);
  const killing = killInTurn(replicas, () => isOver);
  const every = (seconds * 1000 * incidents) / actions;
  const enough = (isAccepted: boolean) => {
    if (isAccepted) accepted += 1;
    return accepted >= actions;
  };
  const acts = (await Promise.all(stages.map(stage => actOn(crowd, stage, every, enough)))).flat();
  await wait(Math.max(0, seconds * 1000 - (performance.now() - began)));
  isOver = true;
  const kills = await killing;
  const acted = performance.now();

  if (!options.waitsForLeases) await endLeases(replicas, databaseUrl);
  await wait(seconds * 500);
  api.fail(0);
  const requests = api.requests - before.requests;
  const doneMeanwhile = (await countDone(databaseUrl)) - before.done;
  const { unfinished, drained } = await settle(databaseUrl);
  const settled = performance.now();
  const verdict = await judge({ acts, serviceUrl, token: apiToken, databaseUrl });
  return {
    ...verdict,
    acts,
    accepted,
    doneMeanwhile,
    kills,
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

/** Declares incidents one after the other, so that they are numbered from 1, and takes everybody there. */
async function declare({ slack, people }: Crowd, incidents: number): Promise<Stage[]> {
  const [alice] = people;
  const general = slack.addChannel({ name: 'general', botIsMember: true });
  const stages: Stage[] = [];
  for (let id = 1; id <= incidents; id += 1) {
    await alice?.command(general, `/incident declare Chaos ${id} --now`);
    const room = await slack.until(() => slack.channels.find(each => each.name === `inc-${id}-chaos-${id}`), 20_000);
    await slack.until(
      () => alice?.sees(general).some(each => each.text.includes(`Incident ${id} is declared`)),
      20_000,
    );
    for (const person of people) person.join(room);
    stages.push({ incidentID: String(id), room });
  }
  return stages;
}

/** Kills one after the other, one every second, and starts it again at once; yields how many. Whoever is not up yet is waited for. */
async function killInTurn(replicas: readonly Replica[], isOver: () => boolean): Promise<number> {
  const starting = replicas.map(() => Promise.resolve());
  let kills = 0;
  for (;;) {
    await wait(killEvery);
    const index = kills % replicas.length;
    await starting[index];
    if (isOver()) break;
    const replica = replicas[index];
    if (!replica) break;
    await replica.kill();
    kills += 1;
    starting[index] = replica.start();
  }
  await Promise.all(starting);
  return kills;
}

/** Ends the leases of processes that are gone: all are. */
async function endLeases(replicas: readonly Replica[], databaseUrl: string): Promise<void> {
  for (const replica of replicas) await replica.kill();
  await execute(databaseUrl, "update bot_intent set lease_owner = '', next_at = 0");
  await execute(databaseUrl, "update bot_delivery set lease_owner = '', next_at = 0 where state = 'open'");
  for (const replica of replicas) await replica.start();
}

async function countDone(databaseUrl: string): Promise<number> {
  const [row] = await execute(databaseUrl, "select count(*) as done from bot_intent where state = 'done'");
  return Number(row?.done);
}

/** Waits until nothing is unfinished; yields how much still is when that takes too long, and when the last intent ended. */
async function settle(databaseUrl: string): Promise<{ unfinished: number; drained: number }> {
  const until = performance.now() + patience;
  let drained = performance.now();
  for (;;) {
    const [row] = await execute(
      databaseUrl,
      `select (select count(*) from bot_intent where state in ('pending', 'running')) as intents,
              (select count(*) from bot_intent where state in ('done', 'failed') and tell <> 'nobody')
            + (select count(*) from bot_delivery where state = 'open') as others`,
    );
    const intents = Number(row?.intents);
    if (intents > 0) drained = performance.now();
    const unfinished = intents + Number(row?.others);
    if (unfinished === 0 || performance.now() > until) return { unfinished, drained };
    await wait(250);
  }
}
