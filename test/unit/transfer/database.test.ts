import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import { openExport } from '../../../src/transfer/export-folder.ts';
import { importToDatabase } from '../../../src/transfer/import-to-database.ts';
import { engine } from '../../support/databases/fresh.ts';
import { call, openService } from '../../support/service.ts';
import { exportTo, movingDay, openEmpty, openFolder, readFiles } from '../../support/transfer/moving.ts';
import { live, oneOfEach, world } from '../../support/transfer/world.ts';

test('whatever happened, exporting, importing into an empty database and exporting again gives the same files', async () => {
  const property = fc.asyncProperty(world, async happened => {
    await using opened = await openService();
    await live(opened, happened);
    await using first = await openFolder();
    await using second = await openFolder();
    await exportTo(first.path, opened.database);
    await using empty = await openEmpty();
    await importToDatabase(empty.database, await openExport(first.path), movingDay);
    await exportTo(second.path, empty.database);
    expect(await readFiles(second.path)).toEqual(await readFiles(first.path));
  });
  await fc.assert(property, { numRuns: engine === 'sqlite' ? 12 : 4 });
});

test('an import run twice, and one into where it came from, add nothing', async () => {
  await using opened = await openService();
  await live(opened, oneOfEach);
  await using first = await openFolder();
  await exportTo(first.path, opened.database);
  await using empty = await openEmpty();
  const folder = await openExport(first.path);
  const once = await importToDatabase(empty.database, folder, movingDay);
  expect(once.added).toMatchObject({ incidents: 2, roles: 4, folders: 1, dashboards: 2 });
  for (const database of [empty.database, opened.database]) {
    const again = await importToDatabase(database, folder, movingDay);
    expect(again.added).toEqual({ incidents: 0, roles: 0, people: 0, folders: 0, dashboards: 0 });
    expect(again.present.incidents).toBe(2);
    await using after = await openFolder();
    await exportTo(after.path, database);
    expect(await readFiles(after.path)).toEqual(await readFiles(first.path));
  }
});

test('an import that was cut off goes on where it stopped', async () => {
  await using opened = await openService();
  await live(opened, oneOfEach);
  await using first = await openFolder();
  await exportTo(first.path, opened.database);
  await using empty = await openEmpty();
  const folder = await openExport(first.path);
  const broken = {
    ...folder,
    async *incidents() {
      for await (const each of folder.incidents()) {
        yield each;
        throw new Error('cut off');
      }
    },
  };
  await expect(importToDatabase(empty.database, broken, movingDay)).rejects.toThrow('cut off');
  const rest = await importToDatabase(empty.database, folder, movingDay);
  expect([rest.added.incidents, rest.present.incidents]).toEqual([1, 1]);
  await using after = await openFolder();
  await exportTo(after.path, empty.database);
  expect(await readFiles(after.path)).toEqual(await readFiles(first.path));
});

test('a living installation keeps what it has, and takes what comes under free ids', async () => {
  await using source = await openService();
  await live(source, oneOfEach);
  await using first = await openFolder();
  await exportTo(first.path, source.database);

  await using target = await openService();
  target.now = new Date('2026-10-01T08:00:00Z');
  const own = await call(target, 'IncidentsService.CreateIncident', { title: 'Ours' });
  await call(target, 'ActivityService.AddActivity', { incidentID: own.incident.incidentID, body: 'our note' });
  const tally = await importToDatabase(target.database, await openExport(first.path), movingDay);
  expect(tally.added).toMatchObject({ incidents: 2, dashboards: 2 });

  const { incident } = await call(target, 'IncidentsService.GetIncident', { incidentID: own.incident.incidentID });
  expect(incident.title).toBe('Ours');
  const { incidents } = await call(target, 'IncidentsService.QueryIncidents', { query: { orderDirection: 'ASC' } });
  const moved = incidents.find(each => each.title.startsWith('Checkout'));
  const before = await call(source, 'IncidentsService.GetIncident', { incidentID: '1' });
  expect(moved).toMatchObject({
    incidentID: '3',
    severity: 'critical',
    status: 'resolved',
    createdTime: before.incident.createdTime,
    modifiedTime: before.incident.modifiedTime,
    closedTime: before.incident.closedTime,
    createdByUser: { userID: 'slack:U1', name: 'Name of slack:U1' },
    taskList: { doneCount: 1, tasks: [{ text: 'roll back', authorUser: { name: 'Name of slack:U1' } }] },
  });
  expect(moved?.incidentMembership.assignments.map(each => [each.user.userID, each.role.name])).toEqual([
    ['slack:U2', 'commander'],
    ['slack:U1', 'scribe'],
  ]);

  const query = { query: { incidentID: '3', orderDirection: 'ASC' as const } };
  const { activityItems } = await call(target, 'ActivityService.QueryActivity', query);
  const note = activityItems.find(each => each.body.startsWith('see https://'));
  const context = activityItems.filter(each => each.fieldValues.activityItemID !== undefined);
  expect(note?.user.name).toBe('Name of slack:U1');
  expect(context.map(each => each.fieldValues.activityItemID)).toEqual([note?.activityItemID, note?.activityItemID]);

  const added = await call(target, 'ActivityService.AddActivity', { incidentID: '3', body: 'still living' });
  expect(added.activityItem.body).toBe('still living');
  await call(target, 'TasksService.AddTask', { incidentID: '3', text: 'still to do' });
  const next = await call(target, 'IncidentsService.CreateIncident', { title: 'Next' });
  expect(next.incident.incidentID).toBe('4');
  const saved = await target.service.handle({
    method: 'POST',
    path: '/api/dashboards/db',
    headers: {},
    body: JSON.stringify({ dashboard: { id: null, title: 'New' } }),
  });
  expect(saved.status).toBe(200);
});

test('an imported database serves what it holds, its roles not made anew', async () => {
  await using source = await openService();
  await live(source, oneOfEach);
  await using first = await openFolder();
  await exportTo(first.path, source.database);
  await using empty = await openEmpty();
  await importToDatabase(empty.database, await openExport(first.path), movingDay);
  const log = pino({ enabled: false });
  await using service = await createService({ database: empty.database, log, clock: () => movingDay });
  const { roles } = await call({ service }, 'RolesService.GetRoles');
  expect(roles.map(each => each.name)).toEqual(['commander', 'investigator', 'observer']);
  const ask = { query: { queryString: 'label:checkout role:commander severity:critical' } };
  const { incidentPreviews } = await call({ service }, 'IncidentsService.QueryIncidentPreviews', ask);
  expect(incidentPreviews.map(each => each.incidentID)).toEqual(['1']);
});

describe('an export that is not as it was written is refused, with nothing imported', () => {
  const damage: Readonly<Record<string, [(path: string) => Promise<void>, RegExp]>> = {
    'a changed file': [
      async path => {
        const file = join(path, 'incidents/1.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace('Checkout', 'Checkoff'));
      },
      /incidents\/1\.json is not as it was exported: its checksum differs/,
    ],
    'a missing file': [path => rm(join(path, 'incidents/2.json')), /incidents\/2\.json is missing/],
    'a file too many': [
      path => writeFile(join(path, 'incidents/3.json'), '{}'),
      /incidents\/3\.json is not part of the export/,
    ],
    'no manifest': [path => rm(join(path, 'manifest.json')), /no manifest\.json, which is written last/],
    'a newer format': [
      async path => {
        const file = join(path, 'manifest.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace('"version": 1', '"version": 9'));
      },
      /format 9, and this Muster reads up to 1: update it/,
    ],
    'a path that leads out': [
      async path => {
        const file = join(path, 'manifest.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace('incidents/1.json', '../1.json'));
      },
      /manifest\.json does not follow the format/,
    ],
  };
  test.each(Object.entries(damage))('%s', async (_, [harm, words]) => {
    await using opened = await openService();
    await live(opened, oneOfEach);
    await using first = await openFolder();
    await exportTo(first.path, opened.database);
    await harm(first.path);
    await expect(openExport(first.path)).rejects.toThrow(words);
  });
});

test('an export is never written over something', async () => {
  await using opened = await openService();
  await using first = await openFolder();
  await exportTo(first.path, opened.database);
  await expect(exportTo(first.path, opened.database)).rejects.toThrow(/not empty: name a new folder/);
});
