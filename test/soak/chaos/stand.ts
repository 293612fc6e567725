import { join } from 'node:path';
import { type FakeSlack, openFakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import { grants } from '../../support/grants.ts';
import { muster } from '../../support/muster-process.ts';
import { Random } from '../simulate/random.ts';
import { openBalancer } from './balancer.ts';
import { type FailingApi, openFailingApi } from './failing-api.ts';
import { type Crowd, type Stage, severities } from './people.ts';
import { Replica } from './processes.ts';

/** What a stand begins with. */
export interface StandOptions {
  /** A folder for files. */
  readonly folder: string;
  /** Absent: a file in that folder. */
  readonly serviceDatabase?: string;
  /** The database of each bot. */
  readonly databases: readonly string[];
  readonly incidents: number;
  readonly seed: number;
  /** Settings of a bot that differ from the usual; `index` counts the bots, from 0. */
  readonly settings?: (slack: FakeSlack, apiUrl: string, index: number) => Promise<Readonly<Record<string, string>>>;
  /** The `main.ts` that the processes run; today's when absent. */
  readonly program?: string | undefined;
  /** Gets every line that the processes log. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Bots, the service behind an API that may fail, a Slack, people, and the rooms of the incidents that they have declared. */
export interface Stand extends AsyncDisposable {
  readonly slack: FakeSlack;
  readonly api: FailingApi;
  /** The service itself, and who may ask it. */
  readonly service: { readonly url: string; readonly token: string };
  readonly crowd: Crowd;
  readonly stages: readonly Stage[];
  /** The bots that the balancer passes requests to; what is put in here gets some too. */
  readonly replicas: Replica[];
  /** Words of log lines of level `error`, and how often each came. */
  readonly errors: ReadonlyMap<string, number>;
  /** Ends the service, as a crash would. */
  stopService(): Promise<void>;
  /** A bot of today's code on a database, not started yet. */
  replicaOn(databaseUrl: string): Replica;
}

const token = 'glsa_of_the_chaos_test';

/** Starts all of it, and declares the incidents. Disposing kills the processes. */
export async function openStand(options: StandOptions): Promise<Stand> {
  const { folder, databases, incidents, seed, program } = options;
  await using stack = new AsyncDisposableStack();
  const errors = new Map<string, number>();
  const onLine = (line: string) => {
    options.onLine?.(line);
    const [, words] = /"level":"(?:error|fatal)",.*"msg":"([^"]*)"/.exec(line) ?? [];
    if (words !== undefined) errors.set(words, (errors.get(words) ?? 0) + 1);
  };
  const service = stack.adopt(
    new Replica({
      program: program ?? muster,
      args: ['service', '--port', '0', '--database', options.serviceDatabase ?? `sqlite:${join(folder, 'service.db')}`],
      settings: { SERVICE_TOKENS: `${token}:Admin`, SEVERITIES: severities.join(',') },
      ready: /listens on http:\/\/127\.0\.0\.1:(\d+)/,
      onLine,
    }),
    each => each.kill(),
  );
  await service.start();
  const url = service.life?.url ?? '';
  const api = stack.use(await openFailingApi(url, new Random(seed, 'api')));
  const slack = stack.use(await openFakeSlack(grants));
  const settings = await Promise.all(databases.map((_, index) => options.settings?.(slack, api.url, index)));
  const bot = (databaseUrl: string, ofProgram?: string, own: Readonly<Record<string, string>> = {}) =>
    new Replica({
      program: ofProgram ?? muster,
      args: ['start'],
      settings: {
        SLACK_BOT_TOKEN: slack.botToken,
        SLACK_SIGNING_SECRET: slack.signingSecret,
        SLACK_API_URL: slack.apiUrl,
        GRAFANA_URL: api.url,
        GRAFANA_TOKEN: token,
        DATABASE_URL: databaseUrl,
        SEVERITIES: severities.join(','),
        PORT: '0',
        ...own,
      },
      ready: /"port":(\d+).*"msg":"muster: ready"/,
      onLine,
    });
  const replicas = databases.map((url, index) => stack.adopt(bot(url, program, settings[index]), each => each.kill()));
  for (const replica of replicas) await replica.start();
  const balancer = stack.use(await openBalancer(replicas));
  slack.connectApp(`${balancer.url}/slack/events`);
  const people = ['alice', 'bob', 'carol', 'dave', 'erin'].map(name => slack.addPerson({ name }));
  const crowd: Crowd = { slack, people, balancer, random: new Random(seed, 'people') };
  const stages = await declare(crowd, incidents);
  const running = stack.move();
  return {
    slack,
    api,
    service: { url, token },
    crowd,
    stages,
    replicas,
    errors,
    stopService: () => service.kill(),
    replicaOn: databaseUrl => running.adopt(bot(databaseUrl), each => each.kill()),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Declares incidents one after the other, so that they are numbered from 1, and takes everybody there. */
async function declare({ slack, people }: Crowd, incidents: number): Promise<Stage[]> {
  const [alice] = people;
  const general = slack.addChannel({ name: 'general', botIsMember: true });
  const stages: Stage[] = [];
  for (let id = 1; id <= incidents; id += 1) {
    await alice?.command(general, `/incident declare Chaos ${id} --now`);
    const room = await slack.until(() => slack.channels.find(each => each.name === `inc-${id}-chaos-${id}`));
    // The last landing says it in other words.
    const told = new RegExp(`\\bincident ${id}\\b`, 'i');
    await slack.until(() => alice?.sees(general).some(each => told.test(each.text)));
    for (const person of people) person.join(room);
    stages.push({ incidentID: String(id), room });
  }
  return stages;
}
