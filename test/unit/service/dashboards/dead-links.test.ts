import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { keepNamedLinks } from '../../../../src/service/store/named-links.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';
import { toMicros } from '../../../../src/service/store/time.ts';
import { openDesk } from '../../../support/dashboards.ts';
import { call, tokens } from '../../../support/service.ts';

const chrome = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

test.each<[string | undefined, 'page' | 'JSON']>([
  [chrome, 'page'],
  ['text/html', 'page'],
  ['TEXT/HTML', 'page'],
  ['text/html;q=0.9, application/json;q=0.5', 'page'],
  ['application/json;q=0.5, text/html;q=0.9', 'page'],
  ['application/xhtml+xml', 'page'],
  ['*/*, text/html;q=0.1', 'page'],
  [undefined, 'JSON'],
  ['', 'JSON'],
  ['*/*', 'JSON'],
  ['application/json', 'JSON'],
  ['application/json, text/html;q=0.9', 'JSON'],
  ['text/html;q=0, */*', 'JSON'],
  ['text/plain', 'JSON'],
  ['nonsense;;q=', 'JSON'],
])('a short link that leads nowhere answers Accept %j with a %s', async (accept, kind) => {
  await using desk = await openDesk({ publicGoto: true });
  const headers: Record<string, string> = accept === undefined ? {} : { accept };
  const answer = await desk.service.fetch(new Request('http://test/goto/nothing?orgId=1', { headers }));
  const text = await answer.text();
  expect(answer.status).toBe(404);
  if (kind === 'JSON') {
    expect(JSON.parse(text)).toEqual({ message: 'Not found' });
    return;
  }
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain("script-src 'none'");
  expect(text).not.toContain('<script');
  expect(text).toContain('This short link leads nowhere');
  expect(text).toContain('nobody opened it within 7 days');
});

test.each<[string, string, number, string]>([
  ['a link that needs a token', '/goto/x', 401, 'This short link opens with a token only'],
  ['a page while pages are off', '/d/nginx/nginx', 404, 'The pages of this service are off'],
  ['an address of nothing', '/no/such', 404, 'There is no such page'],
])('a browser at %s reads a page', async (_, path, status, words) => {
  await using desk = await openDesk();
  const answer = await desk.service.fetch(new Request(`http://test${path}`, { headers: { accept: chrome } }));
  expect(answer.status).toBe(status);
  expect(await answer.text()).toContain(words);
});

test('the page says how long links are kept here', async () => {
  for (const [shortUrlDays, words] of [
    [1, 'within a day and no timeline names it'],
    [90, 'within 90 days'],
    [0, 'its address is cut off. Ask'],
  ] as const) {
    await using desk = await openDesk({ publicGoto: true, shortUrlDays });
    const answer = await desk.service.fetch(new Request('http://test/goto/a', { headers: { accept: chrome } }));
    expect(await answer.text()).toContain(words);
  }
});

const link = (uid: string) => `https://muster.example/goto/${uid}?orgId=1`;

test.each<[string, (uid: string) => string]>([
  ['what /dash link writes', uid => `Dashboard “NGINX”: ${link(uid)}\nTags: nginx`],
  ['a bare address', link],
  ['an address without a query', uid => `https://muster.example/goto/${uid}`],
  ['an address at the end of a sentence', uid => `see https://muster.example/goto/${uid}.`],
  ['a link of Slack', uid => `<${link(uid)}|the board>`],
  ['a link of Markdown', uid => `[board](https://muster.example/goto/${uid})`],
  ['an address of another host', uid => `https://old.example.com/sub/goto/${uid}`],
  ['a path', uid => `open /goto/${uid}`],
  ['one among many', uid => `${link('other')} and ${link(uid)} and ${link('third')}`],
  ['capitals', uid => `HTTPS://MUSTER.EXAMPLE/goto/${uid}`],
])('a short link that a timeline names stays: %s', async (_, write) => {
  await using desk = await openDesk();
  const uids = ['kept-1', 'gone'];
  for (const uid of uids) await desk.call('POST', '/api/short-urls', { path: 'd/a', uid });
  const { incident } = await call(desk, 'IncidentsService.CreateIncident', { title: 'x' });
  await call(desk, 'ActivityService.AddActivity', { incidentID: incident.incidentID, body: write('kept-1') });

  for (const day of ['2026-03-08T12:00:01Z', '2026-06-08T12:00:01Z', '2027-03-08T12:00:01Z']) {
    desk.clock.now = new Date(day);
    expect((await desk.call('POST', '/api/short-urls', { path: 'd/a' }, tokens.Viewer)).status).toBe(200);
  }

  expect((await desk.call('GET', '/goto/kept-1')).status).toBe(302);
  expect((await desk.call('GET', '/goto/gone')).status).toBe(404);
});

test('a short link stays that an older item names since it was edited', async () => {
  await using desk = await openDesk();
  const { incident } = await call(desk, 'IncidentsService.CreateIncident', { title: 'x' });
  const note = { incidentID: incident.incidentID, body: 'see the board' };
  const { activityItem } = await call(desk, 'ActivityService.AddActivity', note);
  desk.clock.now = new Date('2026-03-02T12:00:00Z');
  await desk.call('POST', '/api/short-urls', { path: 'd/a', uid: 'late' });
  const { activityItemID } = activityItem;
  const body = `see ${link('late')}`;
  await call(desk, 'ActivityService.UpdateActivityBody', { ...note, activityItemID, body });
  desk.clock.now = new Date('2026-04-02T12:00:00Z');
  await desk.call('POST', '/api/short-urls', { path: 'd/b' });
  expect((await desk.call('GET', '/goto/late')).status).toBe(302);
});

test.each<[number, string, number]>([
  [7, '2026-03-08T11:59:59Z', 302],
  [7, '2026-03-08T12:00:00Z', 404],
  [1, '2026-03-02T12:00:00Z', 404],
  [0.5, '2026-03-02T00:00:00Z', 404],
  [30, '2026-03-30T12:00:00Z', 302],
  [30, '2026-03-31T12:00:00Z', 404],
  [0, '2046-03-31T12:00:00Z', 302],
])('with shortUrlDays %d, a link that nobody followed answers at %s with %d', async (shortUrlDays, at, status) => {
  await using desk = await openDesk({ shortUrlDays });
  await desk.call('POST', '/api/short-urls', { path: 'd/a', uid: 'link' });
  desk.clock.now = new Date(at);
  expect((await desk.call('GET', '/goto/link')).status).toBe(status);
});

test('forgetting links does not read timelines, however long they are', async () => {
  await using desk = await openDesk();
  for (const uid of ['kept', 'gone']) await desk.call('POST', '/api/short-urls', { path: 'd/a', uid });
  await call(desk, 'IncidentsService.CreateIncident', { title: 'x', attachURL: link('kept') });
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(desk.clock.database.as());
  await rename('activity', 'activity_away');
  desk.clock.now = new Date('2026-04-02T12:00:00Z');
  const answers = [await desk.call('GET', '/goto/kept'), await desk.call('GET', '/goto/gone')];
  await rename('activity_away', 'activity');
  expect(answers.map(each => each.status)).toEqual([302, 404]);
});

test('a text may name more links than one statement takes, and all of them stay', async () => {
  await using desk = await openDesk();
  const named = Array.from({ length: 1200 }, (_, index) => `named-${index}`);
  for (const uid of ['named-0', 'named-1199', 'gone']) await desk.call('POST', '/api/short-urls', { path: 'd/a', uid });
  const text = named.map(uid => `/goto/${uid}`).join(' ');
  const { database, now } = desk.clock;
  await database.withLock<Tables, void>('test', db => keepNamedLinks(db, [text], toMicros(now)));
  desk.clock.now = new Date('2026-04-02T12:00:00Z');
  const answers: number[] = [];
  for (const uid of ['named-0', 'named-1199', 'gone']) answers.push((await desk.call('GET', `/goto/${uid}`)).status);
  expect(answers).toEqual([302, 302, 404]);
});
