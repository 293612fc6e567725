import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { mistakeLabel } from '../../../../src/contract/mistakes.ts';
import { toOpenApi } from '../../../../src/contract/openapi.ts';
import { ana, ben, declare, get, openPages, saveDashboard, say, tellMany, tellShort } from '../../../support/pages.ts';
import { call, openService, tokens } from '../../../support/service.ts';

/** What a reader sees: no tags, runs of white space as one, the signs that HTML needs as they were typed. */
function read(page: string): string {
  return page
    .replace(/<(head|style)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

const pagePolicy =
  "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src 'self'; img-src 'self'; script-src 'none'; form-action 'self'";

test('pages are off unless switched on, and then nothing of them is there', async () => {
  await using opened = await openService();
  const incidentID = await declare(opened, '09:00', { title: 'Nobody may see this' });
  await saveDashboard(opened);
  const paths = [
    '/',
    '/incidents',
    '/incidents/figures',
    '/incidents.csv',
    `/a/grafana-irm-app/incidents/${incidentID}`,
    `/a/grafana-irm-app/incidents/${incidentID}/nobody-may-see-this`,
    '/d/requests',
    '/dashboards/f/shop',
    '/dashboards/f/shop/shop',
    '/d/requests/request-handling-performance',
    '/d/requests/request-handling-performance/model.json',
  ];
  for (const path of paths) {
    const { status, headers, text } = await get(opened, path);
    expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'application/json']);
    expect(JSON.parse(text)).toEqual({ message: 'Not found', error: 'Not found' });
  }
});

test('the reference and the OpenAPI document are always there, and lead to no pages that are off', async () => {
  await using opened = await openService();
  const document = await get(opened, '/openapi.json');
  expect(document.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(JSON.parse(document.text)).toEqual(JSON.parse(JSON.stringify(toOpenApi())));
  const { status, text } = await get(opened, '/reference');
  expect(status).toBe(200);
  expect(text).not.toContain('/incidents"');
  const words = read(text);
  for (const operation of Object.values(toOpenApi().paths as Record<string, Record<string, { operationId: string }>>)) {
    for (const { operationId } of Object.values(operation)) expect(text).toContain(`id="${operationId}"`);
  }
  expect(words).toContain(
    'POST /api/plugins/grafana-irm-app/resources/api/v1/incoming-webhooks/grafana.incident.create',
  );
  expect(words).toContain('title string required High-level description of the incident.');
  for (const chapter of ['Authentication', 'Paging', 'Errors', 'Query language']) expect(words).toContain(chapter);
  expect(words).toContain('Member Type Presence Meaning');
  expect(words).toMatch(/createdTime time or "" When it was declared\./);
  expect(words).toContain('such as active, resolved');
  expect(words).toContain('Post a note to the timeline. URLs in it are attached as context.');
  expect(words).toContain('POST /api/plugins/grafana-irm-app/resources/api/v1/IncidentsService.CreateIncident');
  const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(match => match[1] ?? '');
  expect(targets.filter(target => target !== 'content' && !text.includes(`id="${target}"`))).toEqual([]);
});

test('the overview of an incident tells all of it, in the order in which it happened', async () => {
  await using opened = await openPages();
  const incidentID = await tellShort(opened);
  const { incident } = await call(opened, 'IncidentsService.GetIncident', { incidentID });
  const { status, headers, text } = await get(opened, incident.overviewURL);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  const words = read(text);
  const inOrder = [
    'Checkout answers 500 for card payments',
    'resolved critical started 19 Sep 2026, 08:55 UTC',
    'payments checkout service : card-gateway',
    'Lead AT Ana Torres',
    'Open tasks 1 of 3: Write to the ten largest merchants',
    'Took 1 h 10 min (17 min before it was declared)',
    '08:55 The incident started by Ana Torres written down 09:13',
    '09:03 CM Chloé Martin added by Ben Okafor · the message written down 09:14 Error rate on /pay went from 0.1 % to 7 %. ',
    '09:12 The incident was declared by Ana Torres',
    'Link attached: Alert: checkout error rate above 5 %',
    '09:28 Severity: major → critical by Ana Torres',
    'New chain is rolled out to half of the pods.',
    '10:22 Resolved by Ana Torres',
    'commander AT Ana Torres',
    'Tasks 2 of 3 done',
    'First noted 09:03 UTC +8 min',
    'Resolved 10:05 UTC +53 min',
  ];
  const places = inOrder.map(each => words.indexOf(each.trim()));
  expect(places.map((place, index) => (place < 0 ? inOrder[index] : ''))).toEqual(inOrder.map(() => ''));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(text).toContain('<time datetime="2026-09-19T09:03:00Z"');
  expect(text).toContain(
    'href="https://wiki.example.com/runbooks/card-gateway#chain" rel="noopener noreferrer nofollow"',
  );
  expect(text).toMatch(
    /aria-label="The course of the incident: started 19 Sep 2026, 08:55 UTC; first noted .*until resolved: 53 min/,
  );
  for (const other of ['grafana-incident-app', 'grafana-irm-app']) {
    expect((await get(opened, `/a/${other}/incidents/${incidentID}`)).status).toBe(200);
  }
});

test('notes and changes can be read apart, and a long timeline page by page, from either end', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Long' });
  const address = `/a/grafana-irm-app/incidents/${incidentID}/long`;
  for (let index = 0; index < 520; index += 1) {
    opened.now = new Date(Date.parse('2026-09-19T09:01:00Z') + index * 1000);
    await call(opened, 'ActivityService.AddActivity', { incidentID, activityKind: 'userNote', body: `note ${index}.` });
  }
  const newest = read((await get(opened, address)).text);
  expect(newest.indexOf('note 519.')).toBeLessThan(newest.indexOf('note 500.'));
  expect(newest).not.toContain('note 19.');
  await say(opened, '10:30', ben, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' });
  const key = read((await get(opened, address)).text);
  expect(key).toContain('Key moments 2 Everything 522 Notes 520 Changes 2');
  expect(key).toContain('Resolved by Ben Okafor');
  expect(key).not.toContain('note 1.');
  const first = await get(opened, `${address}?show=all`);
  const notesOf = (text: string) => [...read(text).matchAll(/ note (\d+)\. /g)].map(match => Number(match[1]));
  const linkOf = (text: string, words: string) =>
    new RegExp(`href="([^"]+)#timeline" >${words}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(notesOf(first.text)).toEqual(Array.from({ length: 99 }, (_, index) => index));
  expect(linkOf(first.text, 'Older')).toBe('');
  const second = await get(opened, linkOf(first.text, 'Newer'));
  expect(notesOf(second.text)).toEqual(Array.from({ length: 100 }, (_, index) => 99 + index));
  expect(notesOf((await get(opened, linkOf(second.text, 'Older'))).text)).toEqual(notesOf(first.text));
  const whole = await get(opened, linkOf(first.text, 'More on one page'));
  expect(notesOf(whole.text)).toEqual(Array.from({ length: 520 }, (_, index) => index));
  const newestPage = await get(opened, linkOf(second.text, 'Newest'));
  expect(notesOf(newestPage.text)[0]).toBe(519);
  expect(notesOf((await get(opened, linkOf(newestPage.text, 'Older'))).text)[0]).toBe(420);
  expect(notesOf((await get(opened, linkOf(newestPage.text, 'Beginning'))).text)[0]).toBe(0);
  const last = await get(opened, `${address}?show=all&page=6`);
  expect(read(last.text)).toContain('Resolved by Ben Okafor');
  expect((await get(opened, `${address}?show=all&page=999`)).text).toBe(last.text.replaceAll('page=6', 'page=999'));
  const item = /id="([^"]+)">(?:(?!<li).)*note 310\./s.exec(whole.text)?.[1] ?? '';
  expect(whole.text).toContain(`href="${address}?at=${item}#${item}"`);
  for (const order of ['', '&order=newest'])
    expect((await get(opened, `${address}?at=${item}${order}`)).text).toContain(`id="${item}"`);
  expect(notesOf((await get(opened, `${address}?at=${item}`)).text)[0]).toBe(299);
  expect((await get(opened, `${address}?at=nothing`)).status).toBe(200);
  const changes = read((await get(opened, `${address}?show=changes`)).text);
  expect(changes).toContain('The incident was declared');
  expect(changes).not.toContain('note 1.');
  const notes = read((await get(opened, `${address}?show=notes`)).text);
  expect(notes).toContain('note 1.');
  expect(notes).not.toContain('The incident was declared by');
});

test('a note of many characters is folded, whole', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Chatty' });
  const body = `beginning ${'word '.repeat(1000)}end.`;
  await call(opened, 'ActivityService.AddActivity', { incidentID, activityKind: 'userNote', body });
  const { text } = await get(opened, `/a/grafana-irm-app/incidents/${incidentID}`);
  expect(text).toMatch(/<details class="long"><summary>[\s\S]*all 5014 characters[\s\S]*end\.<\/p><\/details>/);
});

test('incidents are listed, filtered in the query language, and paged', async () => {
  await using opened = await openPages();
  await tellMany(opened);
  const listed = (text: string) => [...text.matchAll(/class="name"[^>]*>([^<]+)</g)].map(match => match[1] ?? '');
  const first = await get(opened, '/incidents?drills=with');
  expect(listed(first.text)).toHaveLength(50);
  const older = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(listed((await get(opened, older)).text)).toHaveLength(10);
  const search = await get(
    opened,
    '/incidents?q=label%3Amail+%22is+slow%22&status=resolved&severity=minor&drills=none',
  );
  expect(search.text).toContain('value="label:mail &quot;is slow&quot;"');
  expect(listed(search.text).length).toBeGreaterThan(0);
  expect(listed(search.text).every(title => title.startsWith('mail'))).toBe(true);
  expect(search.text).not.toContain('class="mark drill"');
  const drills = await get(opened, '/incidents?drills=only');
  expect(listed(drills.text)).toHaveLength((drills.text.match(/class="mark drill"/g) ?? []).length);
  expect(read((await get(opened, '/incidents?q=nosuchthing')).text)).toContain('No incident matches.');
});

test.each([
  ['/incidents?q=or(label%3Ax', 'The parenthesis of or( is never closed', 'value="or(label:x"'],
  ['/incidents?q=%22&status=active', 'The quote " is never closed', 'value="&quot;"'],
  ['/incidents?after=nonsense', 'Begin with the first page', 'value=""'],
  ['/incidents/figures?q=foo%3Abar', 'There is no property or role "foo"', 'value="foo:bar"'],
])('%s is answered on the page, in words', async (path, sentence, kept) => {
  await using opened = await openPages();
  const { status, text } = await get(opened, path);
  expect(status).toBe(400);
  expect(read(text)).toContain(sentence);
  expect(text).toContain(kept);
});

test('figures count what was declared, without drills, by period, severity and label', async () => {
  await using opened = await openPages();
  const story = [
    { minutes: 10, severity: 'major', label: 'db' },
    { minutes: 20, severity: 'major', label: 'db' },
    { minutes: 60, severity: 'minor', label: 'web' },
    { minutes: 0, severity: 'critical', label: 'web' },
  ];
  for (const [index, { minutes, severity, label }] of story.entries()) {
    const declared = `2026-08-${10 + index}T10:00:00Z`;
    const incidentID = await declare(opened, declared, { title: `No ${index}`, severity, labels: [{ label }] });
    if (minutes === 0) continue;
    const ended = new Date(Date.parse(declared) + minutes * 60_000).toISOString();
    await say(opened, ended, ana, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' });
  }
  await declare(opened, '2026-08-12T10:00:00Z', { title: 'Exercise', severity: 'critical', isDrill: true });
  opened.now = new Date('2026-09-19T09:30:00Z');
  const words = read((await get(opened, '/incidents/figures')).text);
  expect(words).toContain('incidents 4 open 1 median time to resolve 20 min 9 of 10 within –');
  expect(words).toContain('10 Aug 2026 4 1 2 1 1 20 min –');
  expect(words).toContain('17 Aug 2026 0 0 0 0 0 – –');
  expect(words).toContain('db 2 0 15 min –');
  expect(words).toContain('critical 1 1 – –');
  const month = read((await get(opened, '/incidents/figures?by=month&q=label%3Adb')).text);
  expect(month).toContain('Aug 2026 2 2 0 15 min –');
  await declare(opened, '09:31', { title: 'One more' });
  expect(read((await get(opened, '/incidents/figures')).text)).toContain('incidents 5 open 2');
  const none = read((await get(opened, '/incidents/figures?q=nosuch')).text);
  expect(none).toContain('so there is nothing to count.');
});

test('pages say that an incident was declared by mistake, that it did not last, and count it in no figures', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'The probe was wrong', labels: [{ label: 'web' }] });
  const label = { label: mistakeLabel };
  await say(opened, '09:10', ana, 'IncidentsService.AddLabel', { incidentID, label });
  await say(opened, '09:10', ana, 'IncidentsService.UpdateIncidentIsDrill', { incidentID, isDrill: true });
  await say(opened, '09:10', ana, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' });
  const path = `/a/grafana-irm-app/incidents/${incidentID}/the-probe-was-wrong`;
  const [list, page] = [read((await get(opened, '/incidents?drills=with')).text), read((await get(opened, path)).text)];
  for (const words of [list.split('Only drills')[1] ?? '', page.split('Timeline')[0] ?? '']) {
    expect(words).toContain('declared by mistake');
    expect(words).toContain('web');
    for (const said of ['Resolved', 'lasted', mistakeLabel, ' drill ']) expect(words).not.toContain(said);
  }
  expect(page).toContain('It was declared by mistake. It counts in no figures.');
  const why = { incidentID, activityKind: 'userNote', fieldValues: { source: 'resolution' } };
  await say(opened, '09:10', ana, 'ActivityService.AddActivity', { ...why, body: 'The probe asked a dead host.' });
  const led = read((await get(opened, path)).text).split('Timeline')[0] ?? '';
  expect(led).toContain('The probe asked a dead host.');
  for (const said of ['Took', 'Lead']) expect(led).not.toContain(said);

  expect(read((await get(opened, '/incidents/figures')).text)).toContain('so there is nothing to count.');
  const resolved = read((await get(opened, '/incidents?status=resolved')).text);
  expect(resolved).not.toContain('The probe was wrong');
  const found = read((await get(opened, '/incidents?status=resolved&q=probe')).text);
  expect(found).toContain('The probe was wrong');
  expect(found).toContain('declared by mistake');
});

test('a short link leads to its dashboard, with the window and the values that it was made with', async () => {
  await using opened = await openPages();
  const path = await saveDashboard(opened);
  const short = await opened.service.handle({
    method: 'POST',
    path: '/api/short-urls',
    headers: {},
    body: JSON.stringify({ path: `${path.slice(1)}?from=1789808400000&to=1789812000000&var-pod=a&var-pod=b` }),
  });
  const { headers, status } = await get(opened, `/goto/${JSON.parse(short.body).uid}`);
  expect(status).toBe(302);
  const location = new URL(headers.get('location') ?? '');
  const { text } = await get(opened, location.pathname + location.search);
  const words = read(text);
  expect(words).toContain('Dashboards / shop Request Handling Performance nginx slo');
  expect(words).toContain('19 Sep 2026, 09:00 UTC to 19 Sep 2026, 10:00 UTC 1 h');
  expect(words).toContain('pod a, b');
  expect(words).toContain('Data source prometheus');
  expect(words).toContain('Request Latency Percentiles timeseries');
  expect(words).toContain('histogram_quantile(');
  expect(words).toMatch(/Look at six hours by default .* Version 2 .* As it came from the catalogue .* Version 1 /);
  expect(text).toContain('class="card panel x12 w12"');
  const own = read((await get(opened, '/d/requests')).text);
  expect(own).toContain('last 6 hours');
  const model = await get(opened, `${path}/model.json`);
  expect(model.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(model.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(JSON.parse(model.text)).toMatchObject({ uid: 'requests', version: 2, time: { from: 'now-6h' } });
  expect(JSON.parse((await get(opened, `${path}/model.json?version=1`)).text)).toMatchObject({ version: 1 });
  for (const wrong of ['3', '0', 'x', '1e9']) {
    expect((await get(opened, `${path}/model.json?version=${wrong}`)).status).toBe(404);
  }
});

test('the address of a folder leads to its dashboards by name, and each dashboard leads to its folder', async () => {
  await using opened = await openPages();
  const path = await saveDashboard(opened);
  const save = (body: object) =>
    opened.service.handle({ method: 'POST', path: '/api/dashboards/db', headers: {}, body: JSON.stringify(body) });
  await save({ dashboard: { title: 'billing <b>', uid: 'billing', tags: ['money', 'a'] }, folderUid: 'shop' });
  await save({ dashboard: { title: 'Gone', uid: 'gone' }, folderUid: 'shop' });
  await save({ dashboard: { title: 'Elsewhere', uid: 'elsewhere' } });
  await opened.service.handle({ method: 'DELETE', path: '/api/dashboards/uid/gone', headers: {}, body: undefined });
  const { body } = await opened.service.handle({
    method: 'GET',
    path: '/api/dashboards/uid/requests',
    headers: {},
    body: undefined,
  });
  const { folderUrl } = JSON.parse(body).meta;
  expect(folderUrl).toBe('/dashboards/f/shop/shop');

  const { status, headers, text } = await get(opened, folderUrl);
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toBe(pagePolicy);
  expect(read(text)).toMatch(
    /Dashboards shop billing <b> version 1 .* a money Request Handling Performance version 2 .* nginx slo /,
  );
  expect(read(text)).not.toMatch(/Gone|Elsewhere/);
  expect([...text.matchAll(/class="name" href="([^"]+)"/g)].map(match => match[1])).toEqual([
    '/d/billing/billing-3cb3e',
    path,
  ]);
  expect((await get(opened, path)).text).toContain('Dashboards</a> / <a href="/dashboards/f/shop/shop">');
  expect((await get(opened, '/d/elsewhere')).text).toContain('Dashboards</a> / <bdi>General</bdi>');
  expect(read((await get(opened, '/dashboards/f/shop')).text)).toContain('Dashboards shop');
});

test('a folder without dashboards says so', async () => {
  await using opened = await openPages();
  const made = await opened.service.handle({
    method: 'POST',
    path: '/api/folders',
    headers: {},
    body: '{"title":"Team A"}',
  });
  const { text } = await get(opened, JSON.parse(made.body).url);
  expect(read(text)).toContain('Dashboards Team A There is no dashboard in this folder.');
});

test.each([
  '/a/grafana-irm-app/incidents/999',
  '/a/grafana-irm-app/incidents/x/y',
  '/d/nosuch',
  '/d/nosuch/slug/model.json',
  '/dashboards/f/nosuch/slug',
])('%s says that there is nothing, on a page', async path => {
  await using opened = await openPages();
  const { status, headers, text } = await get(opened, path);
  expect(status).toBe(404);
  expect(headers.get('content-security-policy')).toBe(pagePolicy);
  expect(read(text)).toMatch(/There is no (incident|dashboard|folder|such version)/);
});

test('every page is kept from acting, framing and telling where its reader came from', async () => {
  await using opened = await openPages();
  const incidentID = await tellShort(opened);
  const path = await saveDashboard(opened);
  const pages = [
    '/incidents',
    '/incidents?q=(',
    '/incidents/figures',
    `/a/x/incidents/${incidentID}`,
    path,
    '/reference',
    '/d/none',
  ];
  for (const page of pages) {
    const { headers, text } = await get(opened, page);
    expect(headers.get('content-security-policy')).toBe(pagePolicy);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(text).not.toMatch(/<script|<style|\sstyle="|\son\w+="/i);
  }
});

test('the stylesheet is named for its content, kept for long, and zipped for who can read that', async () => {
  await using opened = await openPages();
  const page = await get(opened, '/incidents');
  const sheet = /rel="stylesheet" href="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const { status, headers } = await get(opened, sheet);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/css; charset=utf-8');
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await get(opened, '/pages/0000000000000000.css')).status).toBe(404);
  const zipped = await opened.service.fetch(
    new Request(`http://test${sheet}`, { headers: { 'accept-encoding': 'gzip' } }),
  );
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(gunzipSync(Buffer.from(await zipped.arrayBuffer())).toString()).toContain('light-dark(');
});

test('links within begin with the path of the root URL', async () => {
  await using opened = await openPages({ rootUrl: 'https://example.com/muster' });
  const incidentID = await tellShort(opened);
  for (const page of ['/incidents', '/incidents/figures', `/a/grafana-irm-app/incidents/${incidentID}`, '/reference']) {
    const { text } = await get(opened, page);
    const links = [...text.matchAll(/(?:href|src|action|srcset)="(\/[^"]*)"/g)].map(match => match[1] ?? '');
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter(link => !link.startsWith('/muster/'))).toEqual([]);
  }
});

test('no token is ever on a page, and nothing but reading is answered', async () => {
  await using opened = await openPages();
  const incidentID = await tellShort(opened);
  for (const path of ['/incidents', '/incidents/figures', `/a/grafana-irm-app/incidents/${incidentID}`, '/d/none']) {
    const request = new Request(`http://test${path}?token=${tokens.Admin}&auth_token=${tokens.Admin}`, {
      headers: { authorization: `Bearer ${tokens.Admin}`, cookie: `grafana_session=${tokens.Admin}` },
    });
    expect(await (await opened.service.fetch(request)).text()).not.toContain('glsa_');
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await opened.service.fetch(new Request(`http://test${path}`, { method }))).status).toBe(404);
    }
    const head = await opened.service.fetch(new Request(`http://test${path}`, { method: 'HEAD' }));
    expect(await head.text()).toBe('');
  }
});
