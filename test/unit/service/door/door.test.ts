import { StatementSync } from 'node:sqlite';
import fc from 'fast-check';
import { sql } from 'kysely';
import pino from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../../../src/db/database.ts';
import { endReaders } from '../../../../src/service/door/door.ts';
import { createService } from '../../../../src/service/service.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';
import { prepareRestored } from '../../../../src/transfer/prepare-restored.ts';
import { call } from '../../../support/service.ts';

const log = pino({ level: 'silent' });
const minute = 60_000;
/** Who may read. */
const members = new Set(['UALICE', 'UBOB']);
const nothing = sql<string>`(select '' as incident_id where 1 = 0)`;

/** A service whose people are alice and bob; mallory and a guest of no room may read nothing. */
async function openHouse() {
  let now = new Date('2026-11-20T12:00:00Z');
  const clock = () => now;
  const database = await openDatabase('sqlite::memory:', { log });
  onTestFinished(() => database[Symbol.asyncDispose]());
  const asked: string[] = [];
  const slack = { isAway: false };
  const find = async (userId: string) => {
    asked.push('who they are');
    if (slack.isAway) return 'away';
    return members.has(userId)
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
  };
  const readers = () => ({
    find,
    confirms: async () => {
      asked.push('whether they are in the room');
      return true;
    },
    lookAgain: () => void asked.push('again, behind the answer'),
    channelOf: async () => '',
  });
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
    restore: () => prepareRestored(database),
    end: (userId?: string) => endReaders(database.as<Tables>(), userId, now),
    /** The statements of the database that a request takes, what the bot is asked for it, and the answer. */
    workOf: async (...request: Parameters<typeof ask>) => {
      asked.length = 0;
      const methods = ['all', 'get', 'run', 'iterate'] as const;
      const spies = methods.map(method => vi.spyOn(StatementSync.prototype, method));
      const { status, text } = await ask(...request);
      const statements = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      for (const spy of spies) spy.mockRestore();
      return { status, text, statements, asked: [...asked] };
    },
    slack,
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

test('a cookie that is read each day ends 90 days after its person came in', async () => {
  const { ask, comeIn, wait } = await openHouse();
  let cookie = await comeIn('UALICE');
  let set = '';
  for (let day = 1; day < 90; day += 1) {
    wait(24 * 60 * minute + 1);
    const answer = await ask('/incidents', cookie);
    expect(answer.status, `day ${day}`).toBe(200);
    ({ set, cookie } = answer);
  }
  expect(Number(/Max-Age=(\d+)/.exec(set)?.[1])).toBeLessThanOrEqual(86_400);
  wait(24 * 60 * minute);
  expect((await ask('/incidents', cookie)).status).toBe(401);
});

test('Sign out ends each copy of a cookie, before and after it was renewed, and no other sign-in', async () => {
  const { ask, comeIn, wait } = await openHouse();
  const [cookie, phone] = [await comeIn('UALICE'), await comeIn('UALICE')];
  wait(25 * 60 * minute);
  const { cookie: renewed } = await ask('/incidents', cookie);
  expect((await ask('/sign-out', renewed, 'POST', { 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  expect((await ask('/incidents', renewed)).status).toBe(200);
  const out = await ask('/sign-out', renewed, 'POST');
  expect([out.status, out.set]).toEqual([200, expect.stringContaining('Max-Age=0')]);
  for (const ended of [cookie, renewed]) expect((await ask('/incidents', ended)).status).toBe(401);
  expect((await ask('/sign-out', renewed, 'POST')).status).toBe(200);
  expect((await ask('/incidents', phone)).status).toBe(200);
  // What ended stays so until its cookies are too old in any case.
  wait(29 * 24 * 60 * minute);
  await ask('/sign-out', await comeIn('UBOB'), 'POST');
  expect((await ask('/incidents', renewed)).status).toBe(401);
});

test('a cookie that a clock ahead dated holds for no time ahead, and outlives no revocation', async () => {
  const { ask, comeIn, wait, end } = await openHouse();
  wait(6 * minute);
  const early = await comeIn('UALICE');
  wait(-6 * minute);
  expect((await ask('/incidents', early)).status).toBe(401);
  wait(4 * minute);
  const slightly = await comeIn('UALICE');
  await end('UALICE');
  wait(-4 * minute);
  expect((await ask('/incidents', slightly)).status).toBe(401);
  const since = await comeIn('UALICE');
  expect((await ask('/incidents', since)).status).toBe(200);
  await end('UALICE');
  for (const cookie of [slightly, since]) expect((await ask('/incidents', cookie)).status).toBe(401);
});

test('a cookie is read by its whole name, whatever stands in others', async () => {
  const { ask, comeIn } = await openHouse();
  const cookie = await comeIn('UALICE');
  for (const other of ['x=__Host-muster=UBOB.1', 'x__Host-muster=UBOB.1', `x=${cookie}x`, '__Host-muster2=UBOB.1'])
    for (const header of [`${other}; ${cookie}`, `${cookie}; ${other}`])
      expect((await ask('/incidents', header)).status, header).toBe(200);
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

test('a restored database signs with a new key, and opens nothing of before', async () => {
  const { ask, comeIn, link, restore } = await openHouse();
  const [cookie, waiting] = [await comeIn('UALICE'), await link('UALICE')];
  await restore();
  expect((await ask('/incidents', cookie)).status).toBe(401);
  const since = await comeIn('UALICE');
  expect((await ask('/incidents', since)).status).toBe(200);
  expect((await ask('/incidents', cookie)).status).toBe(401);
  expect((await ask(waiting, '', 'POST')).status).toBe(401);
});

test('a form of another site, and the key of another person, let nobody in', async () => {
  const { ask, link, comeIn } = await openHouse();
  const key = await link('UALICE');
  expect((await ask(key, '', 'POST', { 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  expect((await ask(key, await comeIn('UBOB'), 'POST')).status).toBe(401);
  expect((await ask(key, '', 'POST')).status).toBe(303);
});

test('a browser in which a colleague is signed in reads whose it is, signs out there, and opens the link', async () => {
  const { ask, link, comeIn } = await openHouse();
  const cookie = await comeIn('UALICE');
  const own = await link('UBOB');
  const refused = await ask(own, cookie, 'POST');
  expect([refused.status, refused.set]).toEqual([401, '']);
  expect(refused.text).toContain('not a link of <bdi>UALICE</bdi>');
  expect(refused.text).toContain('opened before, or it is older than ten minutes');
  const [, way = ''] =
    /<form action="\/sub([^"]+)" method="post"><button type="submit">Sign out/.exec(refused.text) ?? [];
  expect((await ask(way, cookie, 'POST')).set).toContain('Max-Age=0');
  expect((await ask(own, '', 'POST')).set).toContain('__Host-muster=UBOB.');
});

test('the cookie of a person who is gone keeps no link from opening', async () => {
  const { ask, link, comeIn } = await openHouse();
  members.add('UGONE');
  const cookie = await comeIn('UGONE');
  members.delete('UGONE');
  const opened = await ask(await link('UBOB'), cookie, 'POST');
  expect([opened.status, opened.set]).toEqual([303, expect.stringContaining('__Host-muster=UBOB.')]);
});

test.each(['no cookie', 'a cookie of the same person'])(
  'a link that is opened while Slack is away is not used up, with %s',
  async which => {
    const { ask, link, comeIn, slack } = await openHouse();
    const cookie = which === 'no cookie' ? '' : await comeIn('UALICE');
    const own = await link('UALICE');
    slack.isAway = true;
    const held = await ask(own, cookie, 'POST');
    expect([held.status, held.set]).toEqual([503, '']);
    expect(held.text).toContain('Your link is not used up');
    slack.isAway = false;
    expect((await ask(own, cookie, 'POST')).status).toBe(303);
    expect((await ask(own, cookie, 'POST')).status).toBe(401);
  },
);

test('each page that a signed-in person reads says who that is and has Sign out, what cannot be shown too', async () => {
  const { ask, comeIn, slack } = await openHouse();
  const cookie = await comeIn('UALICE');
  const out = /<bdi>([^<]*)<\/bdi><button type="submit">Sign out/;
  const paths = ['/incidents', '/incidents/figures', '/dashboards', '/d/x', '/goto/x', '/nowhere'];
  for (const path of [...paths, '/a/grafana-irm-app/incidents/9', '/incidents?cursor=x', '/dashboards/f/x'])
    expect(out.exec((await ask(path, cookie)).text)?.[1], path).toBe('UALICE');
  slack.isAway = true;
  for (const path of paths) {
    const { status, text } = await ask(path, cookie);
    expect([status, out.exec(text)?.[1]], path).toEqual([503, 'Somebody of the team']);
    expect((await ask(path)).text, path).not.toContain('Sign out');
  }
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
  const noLink = (await ask('/door/never-made', '', 'POST')).text;
  const noLinkOfAlice = (await ask('/door/never-made', good, 'POST')).text;
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
      const told = method === 'GET' ? door : cookie === good ? noLinkOfAlice : noLink;
      expect([status, text, set], `${method} ${path} ${cookie}`).toEqual([401, told, '']);
    }),
    { numRuns: 1000 },
  );
});

test('a refusal takes the work of one for what does not exist, whatever is wrong', async () => {
  const { ask, link, comeIn, wait, end, workOf, service } = await openHouse();
  const title = 'Only its own people know';
  await call({ service }, 'IncidentsService.CreateIncident', { title, incidentType: 'private' });
  const overview = (id: string) => `/a/grafana-irm-app/incidents/${id}`;
  const expired = await comeIn('UBOB');
  wait(31 * 24 * 60 * minute);
  const [revoked, stranger] = [await comeIn('UBOB'), await strangersCookie()];
  const waiting = await link('UBOB');
  wait(minute);
  await end('UBOB');
  const late = await link('UALICE');
  wait(11 * minute);
  const used = await link('UALICE');
  const alice = (await ask(used, '', 'POST')).cookie;

  // Keys, for a browser without a cookie and for one of somebody else.
  for (const cookie of ['', alice]) {
    const unknown = await workOf('/door/never-made', cookie, 'POST');
    expect(unknown).toMatchObject({ status: 401, asked: cookie === '' ? [] : ['who they are'] });
    for (const key of [used, late, waiting, ...(cookie === '' ? [] : [await link('UBOB')])])
      expect(await workOf(key, cookie, 'POST'), key).toEqual(unknown);
  }
  // Cookies: the person of the first one never was here.
  const unknown = await workOf('/incidents', `__Host-muster=UNOBODY.${alice.split('.').slice(1).join('.')}`);
  expect(unknown).toMatchObject({ status: 401, statements: 1, asked: [] });
  for (const path of [overview('1'), overview('9999'), '/incidents', '/d/x', '/goto/x'])
    for (const cookie of [expired, revoked, alice.replace('UALICE', 'UBOB'), `${alice}x`])
      expect(await workOf(path, cookie), `${path} ${cookie}`).toEqual(unknown);
  // A person who may read nothing, such as a stranger who was let in once.
  const nothing = await workOf(overview('9999'), stranger);
  expect(nothing).toMatchObject({ status: 401, text: unknown.text, asked: ['who they are'] });
  for (const path of [overview('1'), '/incidents', '/d/x', '/goto/x', '/nowhere'])
    expect(await workOf(path, stranger), path).toEqual(nothing);
  // Somebody outside the room, a guest of another one, and who left it: they see no such incident.
  const gone = await workOf(overview('9999'), alice);
  expect(gone).toMatchObject({ status: 404, asked: ['who they are', 'again, behind the answer'] });
  const hidden = await workOf(overview('1'), alice);
  expect({
    ...hidden,
    text: hidden.text.replaceAll('/1<', '/9999<').replaceAll('incident 1 ', 'incident 9999 '),
  }).toEqual(gone);
  expect(hidden.text).not.toContain(title);

  /** The cookie of somebody who was a member when they came in. */
  async function strangersCookie() {
    members.add('UMALLORY');
    const cookie = await comeIn('UMALLORY');
    members.delete('UMALLORY');
    return cookie;
  }
});
