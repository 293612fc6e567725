import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { countDeliveries } from '../../../src/bot/doctor/inbox.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import type { ApiClient } from '../../../src/client/client.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { DatabaseWatch } from '../../../src/operations/database-watch.ts';
import { createStatusApp, type StatusParts } from '../../../src/operations/health.ts';
import { createMetrics } from '../../../src/operations/metrics.ts';
import { readBuild } from '../../../src/operations/version.ts';
import { addOpenDelivery } from '../../support/databases/open-work.ts';
import { patient } from '../../support/deadlines.ts';
import { openFolder } from '../../support/folder.ts';
import { openBotDatabase } from '../../support/fresh-database.ts';

const clock = () => new Date('2026-11-23T12:00:00Z');
/** A database that says nothing costs a test no two seconds. */
const deadlines = patient({ databaseCheck: 100 });
const refused = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
const well: ReturnType<ApiClient['health']> = { state: 'closed', failingSince: undefined, lastFailure: undefined };

function openStatus(
  options: {
    countByState?: () => Promise<[]>;
    isConnected?: boolean;
    isAnswering?: boolean;
    health?: typeof well;
    start?: StatusParts['start'];
    backup?: { since: Date; bytes: number | undefined };
    inbox?: () => ReturnType<typeof countDeliveries>;
  } = {},
) {
  const size = async (): Promise<{ bytes: number; free: number | undefined }> => ({ bytes: 4096, free: 1e9 });
  const world = {
    countByState: async (): Promise<[]> => [],
    isConnected: true,
    isAnswering: true,
    health: well,
    size,
    inbox: async (): ReturnType<typeof countDeliveries> => ({ waiting: 0, states: [], isStuck: false }),
    ...options,
  };
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: line => void lines.push(line) });
  const database = new DatabaseWatch({ deadlines, clock, log });
  const countByState = () => world.countByState();
  const isConnected = () => world.isConnected;
  const app = createStatusApp({
    bot: {
      standing: () => {
        const { isConnected, isAnswering } = world;
        return {
          isConnected,
          isAnswering,
          refusal: '',
          untaken: undefined,
          since: isConnected && isAnswering ? undefined : clock(),
        };
      },
      ...{
        missingScopes: () => [],
        faults: () => [],
        deliveries: () => world.inbox(),
        journal: { countByState },
      },
    },
    api: { health: () => world.health },
    service: undefined,
    metrics: createMetrics({
      ...{
        census: countByState,
        deliveries: async () => (await world.inbox()).states,
        backlogs: async () => [],
        isConnected,
        database,
        clock,
      },
      size: () => world.size(),
      backup: async () => options.backup,
    }),
    ...(options.start ? { start: options.start } : {}),
    ...{ database, clock, log },
  });
  const ready = async (query = '') => {
    const answer = await app.request(`/readyz${query}`);
    const body: Readonly<{ ready: boolean; version: string; problems: string[]; message: string }> = JSON.parse(
      await answer.text(),
    );
    return { code: answer.status, body };
  };
  const metrics = async () => {
    const answer = await app.request('/metrics');
    return { code: answer.status, body: await answer.text() };
  };
  return { world, database, ready, metrics, messages: () => lines.map(line => JSON.parse(line).msg) };
}

test('while the database is away, the process is not ready and says since when; each change is one line of the log', async () => {
  const { world, ready, messages } = openStatus({ countByState: refused });
  const away = { state: 'does not answer', since: '2026-11-23T12:00:00.000Z' };
  for (const _ of [1, 2, 3]) {
    expect(await ready()).toMatchObject({
      code: 503,
      body: { ready: false, slack: 'connected', journal: 'not available', database: away },
    });
  }
  expect(messages()).toEqual(['database: does not answer a status page']);
  world.countByState = async () => [];
  expect(await ready()).toMatchObject({ code: 200, body: { ready: true, database: { state: 'ok' } } });
  expect(messages().at(-1)).toBe('database: answers again');
  expect(messages()).toHaveLength(2);
});

test('while the database is away or hangs, the metrics answer without what it counts', async () => {
  for (const countByState of [refused, () => new Promise<never>(() => undefined)]) {
    const { world, metrics } = openStatus({ countByState });
    const { code, body } = await metrics();
    expect(code).toBe(200);
    expect(body).toContain('\nmuster_database_up 0\n');
    expect(body).toMatch(/\nmuster_memory_bytes [1-9]/);
    world.countByState = async () => [];
    expect((await metrics()).body).toContain('\nmuster_database_up 1\n');
  }
});

test('what waits in the inbox shows in the status and in the metrics, and what waits for more than a minute is a problem', async () => {
  const database = await openBotDatabase(clock(), 'sqlite::memory:');
  const db = database.as<BotTables>();
  const { ready, metrics } = openStatus({ inbox: () => countDeliveries(database, clock()) });
  expect((await ready()).body).toMatchObject({ inbox: { waiting: 0 }, problems: [] });
  expect((await metrics()).body).toContain('\nmuster_deliveries_oldest_seconds{state="waiting"} 0\n');
  await addOpenDelivery(db);
  const young = clock().getTime() - 60_000;
  await db.updateTable('bot_delivery').set({ received_at: young }).execute();
  expect((await ready()).body).toMatchObject({
    inbox: { waiting: 1, since: '2026-11-23T11:59:00.000Z' },
    problems: [],
  });
  await db
    .updateTable('bot_delivery')
    .set({ received_at: young - 180_000, lease_owner: '', key: 'waits' })
    .execute();
  await addOpenDelivery(db);
  await db.updateTable('bot_delivery').set({ received_at: young }).where('key', '=', 'd').execute();
  const { body } = await ready();
  expect(body).toMatchObject({ ready: true, inbox: { waiting: 2, since: '2026-11-23T11:56:00.000Z' } });
  expect(body.problems).toEqual([expect.stringContaining('2 commands and presses wait in the inbox')]);
  const page = (await metrics()).body;
  for (const state of ['waiting', 'running']) expect(page).toContain(`\nmuster_deliveries{state="${state}"} 1\n`);
  expect(page).toContain('\nmuster_deliveries_oldest_seconds{state="waiting"} 240\n');
  expect(page).toContain('\nmuster_deliveries_given_up_total{reason="set aside"} 0\n');
  await db.updateTable('bot_delivery').set({ state: 'done' }).execute();
  expect((await ready()).body).toMatchObject({ inbox: { waiting: 0 }, problems: [] });
});

test('the metrics say how large the database is, and how much room its disk has where that is known', async () => {
  const { world, metrics } = openStatus();
  const { body } = await metrics();
  expect(body).toContain('\nmuster_database_bytes 4096\n');
  expect(body).toContain('\nmuster_database_disk_free_bytes 1000000000\n');
  world.size = async () => ({ bytes: 8192, free: undefined });
  const later = (await metrics()).body;
  expect(later).toContain('\nmuster_database_bytes 8192\n');
  expect(later).not.toContain('\nmuster_database_disk_free_bytes ');
  // A database that does not say so is no database that is away.
  world.size = () => Promise.reject(new Error('permission denied'));
  expect((await metrics()).body).toContain('\nmuster_database_up 1\n');
  expect((await metrics()).body).not.toContain('\nmuster_database_bytes ');
});

test('the metrics count deliveries of alerts, from 0 on, and say when the newest was stored', async () => {
  const database = new DatabaseWatch({ deadlines, clock, log: pino({ level: 'silent' }) });
  const metrics = createMetrics({
    ...{
      census: async () => [],
      deliveries: async () => [],
      backlogs: async () => [],
      size: async () => undefined,
      backup: async () => undefined,
    },
    ...{ isConnected: () => true, database, clock, alertSources: ['prod', 'test'] },
  });
  const read = async () => {
    const { body } = await metrics.page();
    const found = body.matchAll(/^muster_alert\w+\{(.*)\} (\S+)$/gm);
    return Object.fromEntries([...found].map(([, labels, value]) => [labels, Number(value)]));
  };
  const first = await read();
  expect(Object.keys(first)).toHaveLength(13);
  expect(new Set(Object.values(first))).toEqual(new Set([0]));
  const at = clock();
  for (const result of ['stored', 'grouped', 'grouped', 'unavailable'] as const)
    metrics.alert({ source: 'prod', result, at });
  metrics.alert({ source: '', result: 'refused_token', at });
  metrics.alert({ source: 'test', result: 'refused_token', at });
  expect(await read()).toEqual({
    ...first,
    'source="prod",result="stored"': 1,
    'source="prod",result="grouped"': 2,
    'source="prod",result="unavailable"': 1,
    'source="(unknown)",result="refused_token"': 1,
    'source="test",result="refused_token"': 1,
    'source="prod"': at.getTime() / 1000,
  });
});

test('the metrics count attempts to reach a pager, from 0 on', async () => {
  const database = new DatabaseWatch({ deadlines, clock, log: pino({ level: 'silent' }) });
  const metrics = createMetrics({
    ...{
      census: async () => [],
      deliveries: async () => [],
      backlogs: async () => [],
      size: async () => undefined,
      backup: async () => undefined,
    },
    ...{ isConnected: () => true, database, clock, pagers: ['sre', 'db'] },
  });
  const read = async () => {
    const found = (await metrics.page()).body.matchAll(/^muster_pages_total\{(.*)\} (\S+)$/gm);
    return Object.fromEntries([...found].map(([, labels, value]) => [labels, Number(value)]));
  };
  const first = await read();
  expect(Object.keys(first)).toHaveLength(6);
  for (const result of ['again', 'again', 'sent'] as const) metrics.paged({ pager: 'sre', result });
  metrics.paged({ pager: 'db', result: 'failed' });
  expect(await read()).toEqual({
    ...first,
    'pager="sre",result="again"': 2,
    'pager="sre",result="sent"': 1,
    'pager="db",result="failed"': 1,
  });
});

test('the metrics say whether Slack is connected', async () => {
  const { world, metrics } = openStatus();
  expect((await metrics()).body).toContain('\nmuster_slack_connected 1\n');
  world.isConnected = false;
  expect((await metrics()).body).toContain('\nmuster_slack_connected 0\n');
});

test('the API’s state is said in words, with the time since when it fails', async () => {
  const { world, ready } = openStatus();
  expect((await ready()).body).toMatchObject({ api: { state: 'ok' } });
  world.health = { state: 'open', failingSince: clock().getTime() - 0.25, lastFailure: 'connection refused' };
  expect((await ready()).body).toMatchObject({
    api: { state: 'failing', since: '2026-11-23T11:59:59.999Z', lastFailure: 'connection refused' },
  });
});

test('the metrics tell of the process and of Node what Prometheus expects', async () => {
  const { body } = await openStatus().metrics();
  for (const name of [
    'process_open_fds',
    'process_max_fds',
    'process_start_time_seconds',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    expect(body).toMatch(new RegExp(`^${name} [\\d.e+-]+$`, 'm'));
  }
  expect(body).toMatch(/^nodejs_version_info\{.*\} 1$/m);
});

test('while the disk of the database is full, the process is not ready and says since when, until there is room', async () => {
  const { database: watch, ready, metrics, messages } = openStatus();
  const database = await openDatabase(`sqlite:${await openFolder()}/full.db`, {
    onFull: error => watch.hearFull(error, () => database.tryRoom()),
  });
  await migrate(database, 'shelf', [], clock());
  onTestFinished(() => database[Symbol.asyncDispose]());
  await sql`create table thing (name text)`.execute(database.as());
  const limitPages = (count: number) => sql`pragma max_page_count = ${sql.lit(count)}`.execute(database.as());
  const put = () =>
    database.withLock<{ thing: { name: string } }, unknown>('thing', db =>
      db
        .insertInto('thing')
        .values({ name: 'x'.repeat(20_000) })
        .execute(),
    );
  await limitPages(3);
  for (const _ of [1, 2, 3]) await expect(put()).rejects.toThrow('database or disk is full');
  for (const _ of [1, 2]) {
    expect(await ready()).toMatchObject({
      code: 503,
      body: {
        ready: false,
        database: { state: 'its disk is full', since: '2026-11-23T12:00:00.000Z' },
        problems: [expect.stringContaining('The disk of the database is full since 2026-11-23T12:00:00.000Z')],
      },
    });
  }
  expect((await metrics()).body).toContain('\nmuster_database_up 0\n');
  expect(messages()).toEqual(['database: its disk is full, so nothing is stored']);

  await limitPages(1000);
  expect(await ready()).toMatchObject({ code: 200, body: { ready: true, database: { state: 'ok' } } });
  expect((await metrics()).body).toContain('\nmuster_database_up 1\n');
  expect(messages().at(-1)).toBe('database: its disk has room again');
  const { rows } = await sql`select 1 from schema_migration`.execute(database.as());
  expect(rows, 'nothing is left of the trial').toEqual([]);
});

test('a bot whose calls Slack does not answer is ready, and says since when they are not answered', async () => {
  const { world, ready } = openStatus({ isAnswering: false });
  const slackSince = '2026-11-23T12:00:00.000Z';
  expect(await ready()).toMatchObject({
    code: 200,
    body: { ready: true, slack: 'does not answer', slackSince, problems: [expect.stringContaining(slackSince)] },
  });
  world.isConnected = false;
  expect(await ready()).toMatchObject({ code: 503, body: { ready: false, slack: 'not connected', slackSince } });
  Object.assign(world, { isConnected: true, isAnswering: true });
  const { body } = await ready();
  expect(body).toMatchObject({ ready: true, slack: 'connected' });
  expect(body).not.toHaveProperty('slackSince');
});

const started: NonNullable<StatusParts['start']> = {
  isOver: true,
  isStopping: false,
  missing: [],
  isFound: () => true,
};
const waiting = { ...started, isOver: false, missing: [{ name: 'Slack', since: clock() }] as const };
const noRoom = async () => Promise.reject(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }));

// Whether a balancer sends requests, and whether people are told that all is well: the second is about more.
test.each<[string, Parameters<typeof openStatus>[0], { traffic: number; people: number }]>([
  ['all is well', {}, { traffic: 200, people: 200 }],
  ['the API does not answer', { health: { ...well, state: 'open', failingSince: 1 } }, { traffic: 200, people: 200 }],
  ['Slack does not reach it', { isConnected: false }, { traffic: 200, people: 503 }],
  ['Slack does not answer', { isAnswering: false }, { traffic: 200, people: 200 }],
  ['the database is away', { countByState: refused }, { traffic: 200, people: 503 }],
  ['the database hangs', { countByState: () => new Promise<never>(() => undefined) }, { traffic: 200, people: 503 }],
  ['nothing works', { isConnected: false, isAnswering: false, countByState: refused }, { traffic: 200, people: 503 }],
  ['it has no start', { start: undefined }, { traffic: 200, people: 200 }],
  ['it waits for Slack', { start: waiting }, { traffic: 503, people: 503 }],
  ['it starts', { start: { ...started, isOver: false } }, { traffic: 503, people: 503 }],
  ['it stops', { start: { ...started, isStopping: true } }, { traffic: 503, people: 503 }],
  ['it stops while it starts', { start: { ...waiting, isStopping: true } }, { traffic: 503, people: 503 }],
])('ready for traffic and ready: %s', async (_, options, expected) => {
  const { ready } = openStatus(options);
  const [traffic, people] = [await ready('?for=traffic'), await ready()];
  expect({ traffic: traffic.code, people: people.code }).toEqual(expected);
  for (const { code, body } of [traffic, people]) {
    expect(body.ready).toBe(code === 200);
    expect(body.version).toBe(readBuild().version);
    if (code === 503) expect(body.problems.join()).toMatch(/\w+ .*\./);
  }
});

test('a full disk takes away no traffic: Muster itself tells people that nothing is stored', async () => {
  const { database, ready } = openStatus({ start: started });
  database.hearFull(new Error('full'), noRoom);
  expect(await ready()).toMatchObject({ code: 503, body: { ready: false } });
  expect(await ready('?for=traffic')).toMatchObject({ code: 200, body: { ready: true } });
});

test.each(['?for=', '?for=people', '?for=Traffic', '?for=traffic&for=people'])(
  'what readiness is for must be known: %s',
  async query => {
    const { code, body } = await openStatus().ready(query);
    expect(code).toBe(400);
    expect(body.message).toContain('for=traffic');
  },
);

test.each<[string, { since: Date; bytes: number | undefined } | undefined, string | undefined, string | undefined]>([
  ['of an older Muster', undefined, undefined, undefined],
  ['without a copy', { since: new Date('2026-11-23T11:00:00Z'), bytes: undefined }, '3600', undefined],
  ['with a copy', { since: new Date('2026-11-22T12:00:00Z'), bytes: 12_000_000 }, '86400', '12000000'],
  ['with a copy of another clock', { since: new Date('2026-11-23T12:00:05Z'), bytes: 1 }, '0', '1'],
])('the metrics tell of a database %s how old its copy is, and how large', async (_, backup, age, bytes) => {
  const { body } = await openStatus(backup ? { backup } : {}).metrics();
  expect(/^muster_backup_age_seconds (\S+)$/m.exec(body)?.[1]).toBe(age);
  expect(/^muster_backup_bytes (\S+)$/m.exec(body)?.[1]).toBe(bytes);
});
