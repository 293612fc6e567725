import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RpcError } from '../../../src/contract/errors.ts';
import { incidentTypeHeader } from '../../../src/contract/incident-type.ts';
import { openApiSource } from '../../../src/transfer/api-source.ts';
import { openExport } from '../../../src/transfer/export-folder.ts';
import { IncidentFile } from '../../../src/transfer/format.ts';
import { formatSummary } from '../../../src/transfer/import-summary.ts';
import { importToApi } from '../../../src/transfer/import-to-api.ts';
import { importToDatabase } from '../../../src/transfer/import-to-database.ts';
import { call, type OpenedService, openService } from '../../support/service.ts';
import { createOf } from '../../support/transfer/api-of.ts';
import { apiOf, exportTo, movingDay, openEmpty, openFolder, readFiles } from '../../support/transfer/moving.ts';
import { live, oneOfEach } from '../../support/transfer/world.ts';

const address = 'https://old.example.com';
const sourceOf = (opened: OpenedService) => openApiSource({ api: apiOf(opened), address, dashboards: [] });

test('through the API comes what the database has, but for what the API does not tell', async () => {
  await using opened = await openService();
  await live(opened, oneOfEach);
  await using own = await openFolder();
  await using remote = await openFolder();
  await exportTo(own.path, opened.database);
  await exportTo(remote.path, sourceOf(opened));
  const [one, other] = [await readFiles(own.path), await readFiles(remote.path)];
  for (const name of ['incidents/1.json', 'incidents/2.json']) {
    const expected = IncidentFile.parse(one[name]);
    expect(other[name]).toEqual({ ...expected, severityLevel: null, roomPrefix: '' });
  }
  expect(other['users.json']).toEqual(one['users.json']);
  expect(other['roles.json']).toEqual(one['roles.json']);
  expect(Object.keys(other)).toContain('dashboards/Dash-0.json');
  expect(other['dashboards/Dash-0.json']).toMatchObject({ folderUid: 'ops', version: 2, versions: [{ version: 2 }] });
});

test('a team moves in from a server of the API: times, people and severities as they were', async () => {
  await using opened = await openService();
  await live(opened, oneOfEach);
  await using remote = await openFolder();
  await exportTo(remote.path, sourceOf(opened));
  await using empty = await openEmpty();
  const tally = await importToDatabase(empty.database, await openExport(remote.path), movingDay);
  expect(tally.added.incidents).toBe(2);
  await using after = await openFolder();
  await exportTo(after.path, empty.database);
  const [before, now] = [await readFiles(remote.path), await readFiles(after.path)];
  expect(now['incidents/1.json']).toEqual({ ...IncidentFile.parse(before['incidents/1.json']), severityLevel: 1 });
});

test('a team moves out to a server of the API: what it cannot carry stands in notes; a second time adds nothing', async () => {
  await using opened = await openService();
  await live(opened, oneOfEach);
  await using own = await openFolder();
  await exportTo(own.path, opened.database);
  await using target = await openService();
  const folder = await openExport(own.path);
  const first = await importToApi(apiOf(target), folder);
  expect(first.added).toMatchObject({ incidents: 2, roles: 0, dashboards: 1 });
  expect(formatSummary(first)).toMatch(/new ids, and are declared and closed now/);
  expect(formatSummary(first)).toMatch(/its text names its author and time/);

  const { incidents } = await call(target, 'IncidentsService.QueryIncidents', { query: { orderDirection: 'ASC' } });
  const [moved] = incidents;
  const before = (await call(opened, 'IncidentsService.GetIncident', { incidentID: '1' })).incident;
  expect(moved).toMatchObject({
    title: before.title,
    severity: 'critical',
    status: 'resolved',
    incidentStart: before.incidentStart,
    incidentEnd: before.incidentEnd,
    durationSeconds: before.durationSeconds,
    taskList: { tasks: [{ text: 'roll back', status: 'done', assignedUser: { userID: 'slack:U2' } }] },
  });
  expect(moved?.labels.map(each => each.label)).toEqual(['imported', 'checkout']);
  const query = { query: { incidentID: moved?.incidentID, orderDirection: 'ASC', activityKind: ['userNote'] } };
  const { activityItems } = await call(target, 'ActivityService.QueryActivity', query);
  const bodies = activityItems.map(each => each.body);
  expect(bodies).toContainEqual(
    expect.stringMatching(/^Imported\. This was incident 1, declared .* by Name of slack:U1\.\n[\s\S]*\(origin 1@/),
  );
  expect(bodies).toContainEqual(expect.stringMatching(/^first alert\n\n— Name of slack:U1, noted 2026-/));
  expect(moved?.createdByUser.name).toBe('Name of slack:U1');
  expect(moved?.taskList.tasks[0]?.authorUser?.name).toBe('Name of slack:U1');
  const alert = activityItems.find(each => each.body.startsWith('first alert'));
  expect(Date.parse(alert?.eventTime ?? '')).toBeLessThan(Date.parse(before.createdTime));

  const count = async () => (await call(target, 'ActivityService.QueryActivity', query)).activityItems.length;
  const items = await count();
  const second = await importToApi(apiOf(target), folder);
  expect(second.added).toEqual({ incidents: 0, roles: 0, people: 0, folders: 0, dashboards: 0 });
  expect(second.present.incidents).toBe(2);
  expect(await count()).toBe(items);
});

test('a folder that has another name where it moves to is told, once', async () => {
  await using opened = await openService();
  const post = (path: string, body: object) =>
    opened.service.handle({ method: 'POST', path, headers: {}, body: JSON.stringify(body) });
  await post('/api/folders', { uid: 'team-1', title: 'Team one' });
  await post('/api/folders', { uid: 'Same', title: 'Same' });
  for (const title of ['A', 'B']) await post('/api/dashboards/db', { dashboard: { title }, folderUid: 'team-1' });
  await post('/api/dashboards/db', { dashboard: { title: 'C' }, folderUid: 'Same' });
  await using own = await openFolder();
  await exportTo(own.path, opened.database);
  await using target = await openService();
  const tally = await importToApi(apiOf(target), await openExport(own.path));
  expect(tally.added.dashboards).toBe(3);
  expect(tally.notes.filter(each => each.startsWith('Folder'))).toEqual([
    'Folder team-1, which was "Team one", is "team-1" there.',
  ]);
});

test('moving out goes on where it was cut off, whatever call that was', async () => {
  await using opened = await openService();
  await live(opened, oneOfEach);
  await using own = await openFolder();
  await exportTo(own.path, opened.database);
  const folder = await openExport(own.path);
  await using target = await openService();
  let left = 0;
  const failing = createOf(async request => {
    left -= 1;
    if (left < 0) throw new RpcError('canceled', 'cut off');
    return await target.service.handle(request);
  });
  let cuts = 0;
  for (let calls = 3; calls < 300; calls += 3) {
    left = calls;
    const outcome = await importToApi(failing, folder).catch((error: unknown) => error);
    if (!(outcome instanceof RpcError)) break;
    cuts += 1;
  }
  expect(cuts).toBeGreaterThan(3);
  await using whole = await openService();
  await importToApi(apiOf(whole), folder);
  const read = async (of: OpenedService) => {
    const { incidents } = await call(of, 'IncidentsService.QueryIncidents', { query: { orderDirection: 'ASC' } });
    return await Promise.all(
      incidents.map(async ({ incidentID, title, status, severity, taskList }) => {
        const query = { query: { incidentID, orderDirection: 'ASC', activityKind: ['userNote'] } };
        const { activityItems } = await call(of, 'ActivityService.QueryActivity', query);
        const notes = activityItems.map(each => each.body).toSorted();
        return { title, status, severity, tasks: taskList.tasks.map(each => [each.text, each.status]), notes };
      }),
    );
  };
  expect(await read(target)).toEqual(await read(whole));
});

test('a private incident stays private in a database, and goes to an API only on demand', async () => {
  await using opened = await openService();
  await call(
    opened,
    'IncidentsService.CreateIncident',
    { title: 'Leaked' },
    { headers: { [incidentTypeHeader]: 'private' } },
  );
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Open' });
  await using own = await openFolder();
  await exportTo(own.path, opened.database);
  const folder = await openExport(own.path);
  const read = async (of: Pick<OpenedService, 'service'>) =>
    (await call(of, 'IncidentsService.QueryIncidentPreviews', { query: {} })).incidentPreviews
      .map(each => `${each.title}: ${each.incidentType}`)
      .toSorted();
  await using empty = await openEmpty();
  expect((await importToDatabase(empty.database, folder, movingDay)).added.incidents).toBe(2);
  await using after = await openFolder();
  await exportTo(after.path, empty.database);
  const files = await readFiles(after.path);
  expect(files['incidents/1.json']).toMatchObject({ title: 'Leaked', isPrivate: true });
  expect(files['incidents/2.json']).toMatchObject({ title: 'Open', isPrivate: false });

  await using target = await openService();
  const api = createOf(request => target.service.handle(request));
  const tally = await importToApi(api, folder);
  expect(formatSummary(tally)).toContain('Incident 1 was left out: it is private. --with-private imports it too.');
  expect(await read(target)).toEqual(['Open: internal']);
  await importToApi(api, folder, { withPrivate: true });
  expect(await read(target)).toEqual(['Leaked: private', 'Open: internal']);
});

test('what a newer server says is kept in a form that every client can read', async () => {
  await using opened = await openService();
  await live(opened, oneOfEach);
  const strange = createOf(async request => {
    const answer = await opened.service.handle(request);
    const body = answer.body
      .replaceAll('"status":"resolved"', '"status":"mitigated"')
      .replaceAll('"activityKind":"labelAdded"', '"activityKind":"teleported"')
      .replaceAll('"summary":""', '"summary":"All is well."');
    return { ...answer, body };
  });
  await using remote = await openFolder();
  await exportTo(remote.path, openApiSource({ api: strange, address, dashboards: [] }));
  await using empty = await openEmpty();
  await importToDatabase(empty.database, await openExport(remote.path), movingDay);
  await using after = await openFolder();
  await exportTo(after.path, empty.database);
  const file = IncidentFile.parse((await readFiles(after.path))['incidents/1.json']);
  expect(file.status).toBe('resolved');
  const kinds = file.timeline.map(each => [each.kind, each.fieldValues.activityKind, each.body]);
  expect(kinds).toContainEqual(['incidentUpdated', 'teleported', 'Label checkout added']);
  expect(kinds).toContainEqual(['incidentSummary', undefined, 'All is well.']);
});

test('no file of an export holds more of a token than nothing', async () => {
  await using opened = await openService();
  await live(opened, oneOfEach);
  await using own = await openFolder();
  await exportTo(own.path, opened.database);
  for (const name of await readdir(own.path, { recursive: true })) {
    const text = await readFile(join(own.path, name), 'utf8').catch(() => '');
    expect(text).not.toMatch(/glsa_|secret/i);
  }
});
