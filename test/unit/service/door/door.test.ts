import fc from 'fast-check';
import { sql } from 'kysely';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../../src/db/database.ts';
import { endReaders } from '../../../../src/service/door/door.ts';
import { createService } from '../../../../src/service/service.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';

const log = pino({ level: 'silent' });
const minute = 60_000;
const nothing = sql<string>`(select '' where 1 = 0)`;

/** A service whose people are alice and bob; mallory and a guest of no room may read nothing. */
async function openHouse() {
  let now = new Date('2026-11-20T12:00:00Z');
  const clock = () => now;
  const database = await openDatabase('sqlite::memory:', { log });
  onTestFinished(() => database[Symbol.asyncDispose]());
  const find = async (userId: string) =>
    ['UALICE', 'UBOB'].includes(userId)
      ? {
          name: userId,
          seesDashboards: true,
          leftOut: 0,
          sight: {
            ...{ seesPublic: true, userIDs: [`slack:${userId}`], mark: '' },
            ...{ joined: nothing, roomed: nothing, closed: nothing, declared: nothing },
          },
        }
      : undefined;
  const readers = () => ({ find, confirms: async () => true, lookAgain: () => undefined, channelOf: async () => '' });
  const options = { pages: 'slack', rootUrl: 'https://muster.example.com/sub' } as const;
  const service = await createService({ database, log, clock, options, readers });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const ask = async (path: string, cookie = '', method = 'GET', headers: Record<string, string> = {}) => {
    const request = new Request(`http://here${path}`, {
      method,
      headers: { accept: 'text/html', ...(cookie ? { cookie } : {}), ...headers },
    });
    const answer = await service.fetch(request);
    const [set = ''] = answer.headers.getSetCookie();
    return { status: answer.status, text: await answer.text(), set, cookie: set.split(';')[0] ?? '', answer };
  };
  const link = async (userId: string, path = '/incidents') =>
    new URL(await service.pageLink(userId, path)).pathname.replace('/sub', '');
  return {
    ask,
    link,
    comeIn: async (userId: string) => (await ask(await link(userId), '', 'POST')).cookie,
    wait: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    end: (userId?: string) => endReaders(database.as<Tables>(), userId, now),
    service,
  };
}

test('a key sets a host cookie, and leads to its own path below the service', async () => {
  const { ask, link } = await openHouse();
  const entered = await ask(await link('UALICE', '/a/grafana-irm-app/incidents/1?show=notes'), '', 'POST');
  expect([entered.status, entered.answer.headers.get('location')]).toEqual([
    303,
    '/sub/a/grafana-irm-app/incidents/1?show=notes',
  ]);
  expect(entered.set).toMatch(/^__Host-muster=UALICE\./);
  for (const word of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=2592000'])
    expect(entered.set).toContain(word);
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a\nb', 'x', ''])
    await expect(link('UALICE', path), path).rejects.toThrow('own');
});

test('a cookie is renewed once a day, and ends after 30 days without a visit', async () => {
  const { ask, comeIn, wait } = await openHouse();
  const cookie = await comeIn('UALICE');
  wait(23 * 60 * minute);
  expect(await ask('/incidents', cookie)).toMatchObject({ status: 200, set: '' });
  wait(2 * 60 * minute);
  const { set, cookie: renewed } = await ask('/incidents', cookie);
  expect(set).toContain('__Host-muster=UALICE.');
  wait(29.5 * 24 * 60 * minute);
  expect((await ask('/incidents', cookie)).status).toBe(401);
  expect((await ask('/incidents', renewed)).status).toBe(200);
});

test('a revocation ends the cookies and links of one person, or of all, and new ones open', async () => {
  const { ask, comeIn, link, wait, end } = await openHouse();
  const [alice, bob, waiting] = [await comeIn('UALICE'), await comeIn('UBOB'), await link('UALICE')];
  wait(minute);
  await end('UALICE');
  expect((await ask('/incidents', alice)).status).toBe(401);
  expect((await ask(waiting, '', 'POST')).status).toBe(401);
  expect((await ask('/incidents', bob)).status).toBe(200);
  wait(minute);
  const anew = await comeIn('UALICE');
  expect((await ask('/incidents', anew)).status).toBe(200);
  await end();
  for (const cookie of [anew, bob]) expect((await ask('/incidents', cookie)).status).toBe(401);
});

test('a form of another site, and the key of another person, let nobody in', async () => {
  const { ask, link, comeIn } = await openHouse();
  const key = await link('UALICE');
  expect((await ask(key, '', 'POST', { 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  expect((await ask(key, await comeIn('UBOB'), 'POST')).status).toBe(401);
  expect((await ask(key, '', 'POST')).status).toBe(303);
});

test('1,000 hostile requests at door, cookie and keys get the one answer that tells nothing', async () => {
  const { ask, link, comeIn, wait, end } = await openHouse();
  const late = await link('UALICE');
  const revoked = await comeIn('UBOB');
  wait(11 * minute);
  await end('UBOB');
  const used = await link('UALICE');
  const good = (await ask(used, '', 'POST')).cookie;
  const [stranger, bobs] = [await link('UMALLORY'), await link('UBOB')];
  await ask(stranger, '', 'POST');
  const door = (await ask('/incidents')).text;
  const forged = fc
    .tuple(fc.constantFrom('UALICE', 'UBOB', 'UMALLORY'), fc.base64String({ maxLength: 60 }))
    .map(([id, rest]) => `__Host-muster=${id}.${rest}`);
  const flipped = fc.nat(good.length - 20).map(at => {
    const place = 14 + at;
    return `${good.slice(0, place)}${good[place] === 'A' ? 'B' : 'A'}${good.slice(place + 1)}`;
  });
  const renamed = fc.constantFrom(good.replace('UALICE', 'UBOB'), good.replace('__Host-', ''), revoked, '');
  const cookies = fc.oneof(forged, flipped, renamed);
  const paths = fc.constantFrom(
    ...[
      '/incidents',
      '/incidents/figures',
      '/a/grafana-irm-app/incidents/1',
      '/a/x/incidents/9999/y',
      '/d/x',
      '/goto/x',
    ],
    ...['/dashboards/f/x', '/d/x/y/model.json', '/incidents.csv', '/dashboards', '/incidents?q=label:x'],
  );
  const keys = fc.oneof(
    fc.constantFrom(late, used, stranger),
    fc.base64String().map(key => `/door/${encodeURIComponent(key || 'x')}`),
  );
  const requests = fc.oneof(
    fc.tuple(paths, cookies, fc.constant('GET')),
    fc.tuple(keys, cookies, fc.constant('POST')),
    fc.tuple(fc.constant(bobs), fc.constant(good), fc.constant('POST')),
  );
  await fc.assert(
    fc.asyncProperty(requests, async ([path, cookie, method]) => {
      const { status, text, set } = await ask(path, cookie, method);
      expect([status, text, set], `${method} ${path} ${cookie}`).toEqual([401, door, '']);
    }),
    { numRuns: 1000 },
  );
});
