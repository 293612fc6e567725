import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { MemoryTables } from '../../src/bot/memory/tables.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openFakeSlack } from '../../src/playground/fake-slack.ts';
import { execute } from '../databases/execute.ts';
import { startPostgres } from '../databases/postgres-server.ts';
import { startProcess, token } from '../service/durability/process.ts';
import { Random } from '../simulate/random.ts';
import { openFront } from './front.ts';
import { type Action, createListener, work } from './people.ts';
import { startReplicas } from './replicas.ts';
import { openRoughProxy } from './rough-proxy.ts';
import { judge } from './verdict.ts';

/** How it went. */
export interface Outcome {
  readonly actions: number;
  readonly answered: number;
  readonly kills: number;
  readonly calls: { readonly well: number; readonly badly: number };
  /** How often an event had to be sent again. */
  readonly again: number;
  /** Seconds that it took until nothing was left to do, after the last action. */
  readonly drained: number;
  readonly faults: readonly string[];
}

/** How long the replicas have to do what is left once nothing fails any more, in milliseconds. */
const longestDrain = 180_000;

/**
 * Two real processes of the bot on a real Postgres, one of them killed every second; an API of which half of the calls fail; a
 * Slack over HTTP. People do so many things over so many seconds. Yields what came of it.
 */
export async function runChaos(size: { actions: number; seconds: number; incidents: number }): Promise<Outcome> {
  const random = new Random(Date.now());
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-chaos-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = stack.use(await startPostgres());
  await execute(postgres.url('postgres'), 'create database chaos');
  const apiDatabase = `sqlite:${join(folder, 'api.db')}`;
  const service = startProcess(apiDatabase, '');
  stack.defer(() => service.kill());
  const { url } = await service.ready;
  const proxy = stack.use(await openRoughProxy(url, random));
  const slack = stack.use(await openFakeSlack());
  const people = Array.from({ length: size.incidents }, (_, index) => slack.addPerson({ name: `person${index + 1}` }));
  const general = slack.addChannel({ name: 'general', members: people, botIsMember: true });
  const replicas = stack.use(
    await startReplicas(2, {
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      SLACK_API_URL: slack.apiUrl,
      DATABASE_URL: postgres.url('chaos'),
      GRAFANA_URL: proxy.url,
      GRAFANA_TOKEN: token,
      LOG_LEVEL: 'error',
    }),
  );
  const front = stack.use(await openFront(replicas.ports, slack.signingSecret, random));
  slack.connectApp(front.url);

  const incidents = await Promise.all(
    people.map(async (person, index) => {
      await person.command(general, `/incident declare storm${index + 1} is over us --severity minor --now`);
      return slack.until(() => {
        const channel = slack.channels.find(each => each.name.includes(`storm${index + 1}-`));
        const card = channel?.messages.find(each => /^Incident \d+ \(/.test(each.text));
        const id = /^Incident (\d+) /.exec(card?.text ?? '')?.[1];
        return channel && id ? { person, channel, incident: id } : undefined;
      }, 120_000);
    }),
  );

  const ends = Date.now() + size.seconds * 1000;
  let kills = 0;
  const killing = (async () => {
    while (Date.now() < ends) {
      await pause(1000);
      replicas.kill(kills % 2);
      kills += 1;
    }
  })();
  let marks = 0;
  const next = () => {
    if (marks >= size.actions) return undefined;
    marks += 1;
    return `m${marks}`;
  };
  const listen = createListener(slack);
  const pace = (size.seconds * 1000 * size.incidents) / size.actions;
  const done = await Promise.all(incidents.map(each => work({ slack, ...each, random, listen, next, pace })));
  const actions: Action[] = done.flat();
  await killing;
  proxy.calmDown();
  const drained = await drain(postgres.url('chaos'));
  await pause(1000);
  for (const action of actions) {
    const told = listen(action.mark);
    if (told) Object.assign(action, { answeredAt: told.at, answer: told.text });
  }
  const acknowledged = new Set(front.acknowledged.map(({ text }) => /\bm\d+\b/.exec(text)?.[0] ?? ''));
  const faults = await judge({ slack, actions, acknowledged, apiDatabase });
  return {
    actions: actions.length,
    answered: actions.filter(each => each.answer !== undefined).length,
    kills,
    calls: proxy.count,
    again: front.count.again,
    drained: drained === undefined ? longestDrain / 1000 : drained,
    faults: [...(drained === undefined ? ['something is left to do'] : []), ...faults],
  };
}

/** Seconds until nothing is left to do; undefined when something is after the longest time. */
async function drain(databaseUrl: string): Promise<number | undefined> {
  const began = performance.now();
  await using database = await openDatabase(databaseUrl);
  const db = database.as<MemoryTables>();
  while (performance.now() - began < longestDrain) {
    const intents = await db
      .selectFrom('bot_intent')
      .select('id')
      .where(({ or, eb }) => or([eb('state', 'in', ['waiting', 'trying']), eb('aftermath', '=', 1)]))
      .limit(1)
      .execute();
    const deliveries = await db.selectFrom('bot_delivery').select('key').where('state', '=', 'open').limit(1).execute();
    if (intents.length + deliveries.length === 0) return Math.round((performance.now() - began) / 1000);
    await pause(500);
  }
  return undefined;
}
