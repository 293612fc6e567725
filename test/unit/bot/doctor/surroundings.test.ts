import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkApi } from '../../../../src/bot/doctor/api.ts';
import { checkPages, checkRequestUrl, checkSync } from '../../../../src/bot/doctor/checks.ts';
import type { Installation } from '../../../../src/bot/doctor/installation.ts';
import { checkJournal } from '../../../../src/bot/doctor/journal.ts';
import { createClient } from '../../../../src/client/client.ts';
import { openHttpTransport } from '../../../../src/client/transport.ts';
import { patient } from '../../../support/deadlines.ts';
import { openPatient } from '../../../support/doctor.ts';
import { serve } from '../../../support/served.ts';
import { tokens } from '../../../support/service.ts';

/** A clock that stands still: a busy machine is no slow API. */
const monotonicNow = () => 0;
const deadlines = patient({ doctor: { read: 2000 } });
const grafana = { apiKind: 'grafana', deadlines } as const;

/** A client of an API over HTTP, without pauses. */
function client(baseUrl: string, token: string, pluginID = 'grafana-irm-app') {
  const transport = openHttpTransport({ baseUrl });
  onTestFinished(() => transport[Symbol.asyncDispose]());
  return createClient({ transport, token, pluginID, ...deadlines.apiDoctor, random: () => 0 });
}

test('an API that answers an Editor is well, with its delay', async () => {
  await using server = await serve();
  const report = await checkApi(grafana, client(server.address, tokens.Editor), monotonicNow);
  expect(report).toMatchObject([
    { subject: 'incident API', state: 'ok', found: 'Grafana answers in 0 ms.' },
    { subject: 'API token', state: 'ok', found: 'It may read and change incidents.' },
  ]);
});

test('the probe of the token changes nothing', async () => {
  await using server = await serve();
  const api = client(server.address, tokens.Editor);
  const { incident } = await api.IncidentsService.CreateIncident({
    title: 'Drill',
    severity: 'minor',
    isDrill: true,
    status: 'active',
  });
  await checkApi(grafana, api, monotonicNow);
  const after = await api.IncidentsService.GetIncident({ incidentID: incident.incidentID });
  expect(after.incident).toEqual(incident);
});

test.each([
  ['a wrong token', 'glsa_wrong', 'API token', 'The API refuses it', 'GRAFANA_TOKEN'],
  ['the role Viewer', tokens.Viewer, 'API token', 'may not change', 'role Editor'],
])('an API with %s: the doctor says what stops and what to do', async (_, token, subject, found, fix) => {
  await using server = await serve();
  const [line] = (await checkApi(grafana, client(server.address, token), monotonicNow)).filter(
    each => each.state === 'failing',
  );
  expect(line).toMatchObject({ subject, state: 'failing', found: expect.stringContaining(found) });
  expect(line?.stops).toMatch(/incident/);
  expect(line?.fix).toContain(fix);
  expect(JSON.stringify(line)).not.toContain(token);
});

test.each([
  ['a refused token', 401, '{"message":"Invalid API key"}', /is refused/],
  ['a token that may not read', 403, '{"error":"forbidden"}', /is refused/],
  ['a refusal of the API itself', 500, '{"error":"no such organisation"}', /is refused/],
  ['a plugin that is turned off', 404, '{"message":"Plugin not found"}', /is kept/],
  ['a proxy that knows no such path', 404, '404 page not found', /is kept/],
  ['a gateway', 502, '<html>', /is kept/],
])('with %s, the doctor says truly whether changes are kept', async (_, status, body, stops) => {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [line] = await checkApi(grafana, client(address, tokens.Editor), monotonicNow);
  expect(line?.stops).toMatch(stops);
});

test('a wrong plugin id is told from an API that is away', async () => {
  const [line] = await checkApi(
    grafana,
    client(await answering(404), tokens.Editor, 'grafana-other-app'),
    monotonicNow,
  );
  expect(line).toMatchObject({ subject: 'API plugin', state: 'failing', found: expect.stringContaining('status 404') });
  expect(line?.fix).toContain('GRAFANA_PLUGIN_ID');
});

test('an address that leads to a login page is told from an API that is away', async () => {
  const login = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
  await new Promise<void>(resolve => void login.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void login.close());
  const address = `http://127.0.0.1:${(login.address() as AddressInfo).port}`;
  const [page] = await checkApi(grafana, client(address, tokens.Editor), monotonicNow);
  expect(page).toMatchObject({ subject: 'API plugin', state: 'failing', fix: expect.stringContaining('GRAFANA_URL') });
  const [away] = await checkApi(grafana, client('http://127.0.0.1:9', tokens.Editor), monotonicNow);
  expect(away).toMatchObject({
    subject: 'incident API',
    state: 'failing',
    found: 'The API at 127.0.0.1:9 refused the connection.',
  });
  expect(away?.stops).toContain('what people change is kept');
  expect(away?.fix).toContain('GRAFANA_URL');
});

test('a slow API keeps people waiting', async () => {
  await using server = await serve();
  let now = 0;
  const slowly = () => {
    now += 2500;
    return now;
  };
  const [line] = await checkApi({ apiKind: 'embedded', deadlines }, client(server.address, tokens.Editor), slowly);
  expect(line).toMatchObject({ state: 'failing', found: 'The embedded service answers in 2500 ms.' });
});

test.each([
  [[], 'ok', 'Nothing waits.'],
  [[{ state: 'pending', count: 2, minutes: 3 }], 'ok', '2 wait, the oldest for 3 min.'],
  [[{ state: 'pending', count: 25, minutes: 8 }], 'failing', '25 wait, the oldest for 8 min.'],
  [[{ state: 'pending', count: 1, minutes: 11 }], 'failing', '1 waits, the oldest for 11 min.'],
  [[{ state: 'failed', count: 3, minutes: 60 }], 'ok', 'Nothing waits. 3 failed'],
] as const)('a journal with %j is %s', async (counts, state, found) => {
  const now = new Date('2026-11-22T12:00:00Z');
  const since = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();
  const line = await checkJournal(
    async () => counts.map(({ minutes, ...each }) => ({ ...each, since: since(minutes) })),
    now,
  );
  expect(line).toMatchObject({ state, found: expect.stringContaining(found) });
  if (state === 'failing') expect(line.fix).toContain('muster journal list');
});

/** A server that answers with a status; its address. */
async function answering(status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end('{"challenge":"doctor"}'));
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('open pages must be reachable at the public address', async () => {
  const { installation } = await openPatient();
  const open = { ...installation, pages: 'open' } as const;
  expect(await checkPages(installation)).toMatchObject({ state: 'ok', found: expect.stringContaining('They are off') });
  expect(await checkPages({ ...installation, apiKind: 'grafana' })).toMatchObject({ state: 'ok' });
  expect(await checkPages(open)).toMatchObject({ state: 'failing', fix: expect.stringContaining('PUBLIC_URL') });
  expect(await checkPages({ ...open, publicUrl: await answering(200) })).toMatchObject({ state: 'ok' });
  expect(await checkPages({ ...open, publicUrl: await answering(502) })).toMatchObject({
    state: 'failing',
    found: expect.stringContaining('answers with status 502'),
    fix: expect.stringContaining('proxy'),
  });
  expect(await checkPages({ ...open, publicUrl: 'http://127.0.0.1:9' })).toMatchObject({
    found: 'Nothing answers at http://127.0.0.1:9.',
  });
});

test('in HTTP mode the public address must take what Slack would send', async () => {
  const { installation, sightings } = await openPatient({}, ({ signingSecret }) => ({
    mode: { kind: 'http', signingSecret },
  }));
  const at = (publicUrl: string) => checkRequestUrl({ ...installation, publicUrl }, sightings, new Date());
  expect(await at('')).toMatchObject({ state: 'unknown', fix: expect.stringContaining('/slack/events') });
  expect(await at(await answering(200))).toMatchObject({ state: 'ok' });
  expect(await at(await answering(401))).toMatchObject({
    state: 'failing',
    fix: expect.stringContaining('SLACK_SIGNING_SECRET'),
  });
  expect(await at(await answering(404))).toMatchObject({ state: 'failing', fix: expect.stringContaining('proxy') });
  expect(await at('http://127.0.0.1:9')).toMatchObject({
    found: 'Nothing answers at http://127.0.0.1:9/slack/events.',
  });
});

test('the doctor says how soon Slack shows what is changed elsewhere, and what makes it sooner', async () => {
  const { installation, sightings, examine } = await openPatient();
  const found = (settings: Partial<Installation>) => checkSync({ ...installation, ...settings }, sightings);
  const far = { apiKind: 'grafana', publicUrl: 'https://muster.example.com' } as const;
  const polling = await found(far);
  expect(polling).toMatchObject({ subject: 'changes made elsewhere', state: 'ok' });
  expect(polling.found).toContain('INCIDENT_WEBHOOK_SECRET is not set');
  expect(polling.found).toContain('within 15 s');
  expect(polling.found).toContain('add one to https://muster.example.com/hooks/incident for all events');
  expect((await found({ apiKind: 'grafana' })).found).toContain('https://<muster>/hooks/incident');
  const own = (await examine()).get('changes made elsewhere');
  expect(own).toEqual(await found({}));
  expect(own?.found).not.toContain('INCIDENT_WEBHOOK_SECRET');
});

test('the doctor says whether webhooks arrive, and how to set them up when none ever did', async () => {
  const { installation, sightings } = await openPatient();
  const publicUrl = 'https://muster.example.com';
  const look = () => checkSync({ ...installation, apiKind: 'grafana', publicUrl, takesWebhooks: true }, sightings);
  const before = await look();
  expect(before).toMatchObject({
    state: 'unknown',
    found: 'INCIDENT_WEBHOOK_SECRET is set, and no webhook has arrived yet.',
    fix: expect.stringContaining('add one to https://muster.example.com/hooks/incident for all events'),
  });
  sightings.noteWebhook();
  const after = await look();
  expect(after).toMatchObject({ state: 'ok', found: expect.stringMatching(/^Webhooks arrive, the last at 20\S+Z\./) });
  expect(after.found).toContain('within 5 s');
});
