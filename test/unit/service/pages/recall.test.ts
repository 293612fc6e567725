import { type KyselyPlugin, sql } from 'kysely';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../../src/db/database.ts';
import { defaultOptions } from '../../../../src/service/call/options.ts';
import { recall } from '../../../../src/service/call/recall.ts';
import { createService } from '../../../../src/service/service.ts';
import { call } from '../../../support/service.ts';

const log = pino({ level: 'silent' });

/** A service that people of Slack read: alice is in the room of incident 1, and bob is in none. It tells how often a picture's items were counted. */
async function openHouse() {
  const database = await openDatabase('sqlite::memory:', { log });
  onTestFinished(() => database[Symbol.asyncDispose]());
  const time = { now: new Date('2026-11-20T12:00:00Z'), drawings: 0 };
  const watch: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode' && node.groupBy && JSON.stringify(node.from).includes('"activity"'))
        time.drawings += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const watched: typeof database = Object.assign(Object.create(database), {
    forSearches: () => database.forSearches().withPlugin(watch),
  });
  const ids = (list: readonly string[]) =>
    sql<string>`(select value as incident_id from json_each(${JSON.stringify(list)}))`;
  const find = async (userId: string) => ({
    name: userId === 'UALICE' ? 'Alice Adams' : 'Bob Brown',
    ...{ seesDashboards: true, leftOut: 0 },
    sight: {
      ...{ seesPublic: true, userIDs: [`slack:${userId}`], mark: '', closed: ids(['1']), roomed: ids(['1']) },
      ...{ joined: ids(userId === 'UALICE' ? ['1'] : []), declared: ids([]) },
    },
  });
  const service = await createService({
    ...{ database: watched, log, clock: () => time.now, options: { pages: 'slack' } },
    readers: () => ({ find, confirms: async () => true, lookAgain: () => undefined, channelOf: async () => '' }),
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const ask = async (cookie: string, path: string) => {
    const answer = await service.fetch(new Request(`http://here${path}`, { headers: { cookie } }));
    return { status: answer.status, text: await answer.text(), tag: answer.headers.get('etag') ?? '' };
  };
  const comeIn = async (userId: string) => {
    const { pathname } = new URL(await service.pageLink(userId, '/incidents'));
    const answer = await service.fetch(new Request(`http://here${pathname}`, { method: 'POST' }));
    return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  };
  const house = Object.assign(time, { service, ask });
  const declare = (title: string) => call(house, 'IncidentsService.CreateIncident', { title });
  const note = (incidentID: string, body: string) =>
    call(house, 'ActivityService.AddActivity', { incidentID, activityKind: 'userNote', body });
  return Object.assign(house, { declare, note, alice: await comeIn('UALICE'), bob: await comeIn('UBOB') });
}

const path = (incidentID: string, query = '') => `/a/grafana-irm-app/incidents/${incidentID}${query}`;

test('a page that is kept is nobody’s who may not see it, and carries no other reader’s name', async () => {
  const house = await openHouse();
  await house.declare('Payroll leaks');
  await house.declare('Mail is late');
  const seen = await house.ask(house.alice, path('1'));
  expect([seen.status, seen.text]).toEqual([200, expect.stringContaining('Payroll leaks')]);
  const refused = await house.ask(house.bob, path('1'));
  expect([refused.status, refused.tag]).toEqual([404, '']);
  expect(refused.text).not.toContain('Payroll');
  const [alices, bobs] = [await house.ask(house.alice, path('2')), await house.ask(house.bob, path('2'))];
  expect(alices.tag).not.toBe(bobs.tag);
  for (const [{ text }, own, other] of [
    [alices, 'Alice', 'Bob'],
    [bobs, 'Bob', 'Alice'],
  ] as const) {
    expect(text).toContain(own);
    expect(text).not.toContain(other);
  }
  expect(house.drawings).toBe(2);
});

test('twenty readers of one version cost one drawing, and each further item one more', async () => {
  const house = await openHouse();
  await house.declare('Payroll leaks');
  const crowd = async (query = '') =>
    await Promise.all(Array.from({ length: 20 }, () => house.ask(house.alice, path('1', query))));
  expect((await crowd()).map(({ status }) => status)).toEqual(Array(20).fill(200));
  await crowd('?show=notes');
  expect(house.drawings).toBe(1);
  await house.note('1', 'The pool is empty.');
  for (const { text } of await crowd()) expect(text).toContain('The pool is empty.');
  expect(house.drawings).toBe(2);
  house.now = new Date('2026-11-20T12:01:00Z');
  await crowd();
  expect(house.drawings).toBe(3);
  await call(house, 'IncidentsService.UpdateStatus', { incidentID: '1', status: 'resolved' });
  await crowd();
  house.now = new Date('2026-11-20T13:00:00Z');
  await crowd();
  expect(house.drawings).toBe(4);
});

test('what is kept stays within its room, the newest last; what fails is made anew', async () => {
  const options = { ...defaultOptions };
  let made = 0;
  const ask = (key: string, size: number, mark = '') =>
    recall(
      options,
      { key, mark },
      async () => {
        made += 1;
        if (mark === 'bad') throw new Error('bad');
        return 'x'.repeat(size);
      },
      ({ length }) => length,
    );
  for (const key of ['a', 'b', 'c', 'd', 'a', 'e']) await ask(key, 450_000);
  expect(made).toBe(5);
  await ask('a', 450_000);
  expect(made).toBe(5);
  await ask('b', 450_000);
  expect(made).toBe(6);
  for (const _ of [1, 2]) await ask('huge', 600_000);
  expect(made).toBe(8);
  for (const _ of [1, 2]) await expect(ask('a', 1, 'bad')).rejects.toThrow('bad');
  expect(made).toBe(10);
});
