import { expect, test } from 'vitest';
import { get, openPages, saveDashboard, tellShort } from '../../../support/pages.ts';
import { call, tokens } from '../../../support/service.ts';

const chrome = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Asks as a browser does, or as a program that wants JSON. */
async function ask(opened: Awaited<ReturnType<typeof openPages>>, path: string, accept = chrome, method = 'GET') {
  const response = await opened.service.fetch(new Request(`http://test${path}`, { method, headers: { accept } }));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const titleOf = (text: string) => /<h1[^>]*>([^<]*)</.exec(text)?.[1];

/** No word of what the service says to programs. */
const machine = /nextValue|cursor|was not found|Not found|invalid (query|argument)|RpcError|undefined/;

test.each<[path: string, status: number, title: string]>([
  ['/nope', 404, 'There is no such page'],
  ['/a%00b/%zz', 404, 'There is no such page'],
  ['/d', 404, 'There is no such page'],
  ['/pages/0.css', 404, 'There is no such page'],
  ['/incidents/figures/other.svg', 404, 'There is no incident figures here'],
  ['/incidents/x', 404, 'There is no incident x here'],
  ['/a/grafana-irm-app/incidents/9999', 404, 'There is no incident 9999 here, or you may not see it'],
  ['/a/grafana-irm-app/incidents/9999/', 404, 'There is no incident 9999 here, or you may not see it'],
  ['/a/grafana-irm-app/incidents/9999/any-slug', 404, 'There is no incident 9999 here, or you may not see it'],
  ['/a/grafana-irm-app/incidents/1?after=nonsense&page=x', 200, 'Checkout answers 500 for card payments'],
  ['/incidents.csv?q=(', 400, 'This address cannot be read'],
  ['/d/nginx/', 404, 'There is no dashboard nginx here'],
  ['/d/nginx/nginx', 404, 'There is no dashboard nginx here'],
  ['/d/requests/slug/model.json?version=99', 404, 'There is no such version of a dashboard'],
  ['/dashboards/f/nosuch', 404, 'There is no folder nosuch here'],
  ['/dashboards?page=x', 200, 'Dashboards'],
  ['/goto/nosuch', 404, 'This short link leads nowhere'],
  ['/goto/%zz', 404, 'This short link leads nowhere'],
  [`/goto/${'x'.repeat(300)}`, 404, 'This short link leads nowhere'],
  ['/explore', 404, 'This link leads into Grafana’s Explore'],
  ['/explore/metrics?left=x', 404, 'This link leads into Grafana’s Explore'],
  ['/incidents/', 200, 'Incidents'],
  ['/reference/', 200, 'API'],
  ['/dashboards/', 200, 'Dashboards'],
  ['/d/requests/', 200, 'Request Handling Performance'],
])('a browser at %s reads a page: %i, %s', async (path, status, title) => {
  await using opened = await openPages();
  await tellShort(opened);
  await saveDashboard(opened);
  const answer = await ask(opened, path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(titleOf(answer.text)).toContain(title);
  expect(answer.text).toContain('href="/incidents"');
  if (status === 200) return;
  expect(answer.text).not.toMatch(machine);
  expect(answer.text).toContain('action="/incidents"');
  expect(answer.text).toContain('You asked for');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
});

test.each<[path: string, location: string]>([
  ['/', '/incidents'],
  ['/a', '/incidents'],
  ['/a/grafana-irm-app', '/incidents'],
  ['/a/grafana-irm-app/incidents', '/incidents'],
  ['/a/grafana-irm-app/incidents/', '/incidents'],
  ['/incidents/55', '/a/grafana-irm-app/incidents/55'],
  ['/incidents/55/', '/a/grafana-irm-app/incidents/55'],
  ['/incidents/55/checkout-answers-500', '/a/grafana-irm-app/incidents/55'],
  ['/incidents/55/a/b', '/a/grafana-irm-app/incidents/55'],
])('%s leads on to %s, and no store keeps that', async (path, location) => {
  await using opened = await openPages({ rootUrl: 'https://example.com/muster' });
  const { status, headers } = await ask(opened, path);
  expect([status, headers.get('location')]).toEqual([302, `/muster${location}`]);
  expect([headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual(['nosniff', 'no-store']);
});

test('what is not there and what one may not see read the same', async () => {
  await using opened = await openPages();
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'x', incidentType: 'private' });
  const at = async (id: string) => {
    const { status, text } = await ask(opened, `/a/grafana-irm-app/incidents/${id}`);
    return { status, words: text.slice(text.indexOf('<h1')).replaceAll(` ${id} `, ' N ').replace(`/${id}<`, '/N<') };
  };
  expect(await at(incident.incidentID)).toEqual(await at('9'));
});

test('a short link into Explore leads to a page that says what Explore is', async () => {
  await using opened = await openPages({ rootUrl: 'http://test' });
  const body = JSON.stringify({ path: 'explore?left=%7B%7D' });
  const made = await opened.service.handle({ method: 'POST', path: '/api/short-urls', headers: {}, body });
  const hop = await ask(opened, new URL(JSON.parse(made.body).url).pathname);
  expect([hop.status, hop.headers.get('x-content-type-options')]).toEqual([302, 'nosniff']);
  const { pathname, search } = new URL(hop.headers.get('location') ?? '');
  expect((await ask(opened, pathname + search)).text).toContain('Grafana’s Explore');
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'a browser that sends %s to a page reads that pages can only be read',
  async method => {
    await using opened = await openPages();
    const { status, text } = await ask(opened, '/incidents', chrome, method);
    expect([status, titleOf(text)]).toEqual([404, 'Pages can only be read']);
  },
);

test.each([
  ['/nope', 'application/json', 404],
  ['/nope', '*/*', 404],
  ['/goto/nosuch', 'application/json', 404],
  ['/api/nope', chrome, 404],
  ['/api/dashboards/uid/nosuch', chrome, 401],
  ['/api/plugins/grafana-irm-app/resources/api/v1/No.Such', chrome, 401],
])('a program at %s with Accept %s keeps its JSON: %i', async (path, accept, status) => {
  await using opened = await openPages();
  const answer = await ask(opened, path, accept);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(JSON.parse(answer.text).message).not.toBe('');
  if (path.startsWith('/api/plugins')) return;
  expect([answer.headers.get('x-content-type-options'), answer.headers.get('cache-control')]).toEqual([
    'nosniff',
    'no-store',
  ]);
});

test('the page of an error repeats a hostile address as text, cut, and no token', async () => {
  await using opened = await openPages();
  const { text } = await ask(
    opened,
    `/${encodeURIComponent('<img src=x onerror=1>')}${'y'.repeat(4000)}?token=${tokens.Admin}`,
  );
  expect(text).not.toMatch(/<img src=x|glsa_/);
  expect(text).not.toContain('y'.repeat(250));
});

test('with pages off, an error leads to no page that is off', async () => {
  await using opened = await openPages({ pages: 'off' });
  const { text } = await ask(opened, '/d/nginx/nginx');
  expect(text).toContain('The pages of this service are off');
  expect(text).not.toContain('href="/incidents"');
});

test('links with user info are shown as text', async () => {
  await using opened = await openPages();
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', {
    title: 'x',
    attachURL: 'https://grafana.example.com@evil.example/d/1',
    attachCaption: 'https://grafana.example.com@evil.example/d/1',
  });
  const { text } = await get(opened, incident.overviewURL);
  expect(text).toContain('grafana.example.com@evil.example');
  expect(text).not.toMatch(/href="[^"]*evil\.example/);
});
