import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createGoneIncidents } from '../../../src/bot/bot.ts';
import { createRooms } from '../../../src/bot/incident/state/room-store.ts';
import { createClient } from '../../../src/client/client.ts';
import { startIncidentRetention } from '../../../src/service/service.ts';
import type { Tables } from '../../../src/service/store/tables.ts';
import { patient } from '../../support/deadlines.ts';
import { openBotDatabase } from '../../support/fresh-database.ts';
import { roomSeven } from '../../support/room-seven.ts';
import { call, openService, request } from '../../support/service.ts';
import { TestTimers } from '../../support/timers.ts';

const day = 86_400_000;
const silent = pino({ level: 'silent' });

/** A service with three incidents: one resolved, one resolved with a note of today, one active; and a year later. */
async function openYear() {
  const service = await openService();
  onTestFinished(() => service[Symbol.asyncDispose]());
  for (const title of ['old', 'noted', 'active']) await call(service, 'IncidentsService.CreateIncident', { title });
  for (const incidentID of ['1', '2']) {
    await call(service, 'IncidentsService.AddLabel', { incidentID, label: { label: 'eu' } });
    await call(service, 'TasksService.AddTask', { incidentID, text: 'look' });
    await call(service, 'IncidentsService.AssignRole', { incidentID, userID: 'slack:U1', role: 'commander' });
    await call(service, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' });
  }
  service.now = new Date(service.now.getTime() + 365 * day);
  await call(service, 'ActivityService.AddActivity', { incidentID: '2', activityKind: 'userNote', body: 'late' });
  return service;
}

test('resolved incidents that nobody changed for so many days are deleted with all that is theirs, and no others', async () => {
  const service = await openYear();
  const { database } = service;
  const timers = new TestTimers(ms => {
    service.now = new Date(service.now.getTime() + ms);
  });
  const clock = () => service.now;
  const shrunk: string[] = [];
  const watched = { ...database, shrink: async (how: 'some' | 'all') => void shrunk.push(how) };
  await using _ = startIncidentRetention({ database: watched, log: silent, clock, timers, days: 90 });
  const titles = async () => {
    const { incidentPreviews } = await call(service, 'IncidentsService.QueryIncidentPreviews', { query: {} });
    return incidentPreviews.map(each => each.title).toSorted();
  };
  await expect.poll(titles).toEqual(['active', 'noted']);
  expect((await request(service, 'IncidentsService.GetIncident', { incidentID: '1' })).status).toBe(404);
  const left = async (table: string) =>
    (
      await database.as<Record<string, { incident_id: number }>>().selectFrom(table).select('incident_id').execute()
    ).map(each => each.incident_id);
  for (const table of ['incident_label', 'task', 'assignment', 'activity']) expect(await left(table)).not.toContain(1);
  for (const table of ['incident_label', 'task', 'assignment', 'activity']) expect(await left(table)).toContain(2);

  await expect.poll(() => shrunk).toEqual(['some']);
  timers.pass(91 * day);
  await timers.fire(3_600_000);
  await expect.poll(titles).toEqual(['active']);
});

test('an imported incident that does not say when it was closed is deleted too', async () => {
  const service = await openYear();
  const { database } = service;
  await database.as<Tables>().updateTable('incident').set({ closed_at: null }).where('id', '=', 1).execute();
  const timers = new TestTimers(() => undefined);
  await using _ = startIncidentRetention({ database, log: silent, clock: () => service.now, timers, days: 90 });
  const status = async () => (await request(service, 'IncidentsService.GetIncident', { incidentID: '1' })).status;
  await expect.poll(status).toBe(404);
});

test('without a number of days nothing is deleted', async () => {
  const service = await openYear();
  const timers = new TestTimers(() => undefined);
  const { database } = service;
  await using _ = startIncidentRetention({ database, log: silent, clock: () => service.now, timers, days: 0 });
  expect(timers.set).toEqual([]);
  expect((await request(service, 'IncidentsService.GetIncident', { incidentID: '1' })).status).toBe(200);
});

test('the bot forgets rooms of incidents that the API deleted, once they are old, and no others', async () => {
  const service = await openYear();
  const declared = new Date(service.now.getTime() - 365 * day);
  const database = await openBotDatabase(declared);
  let now = declared;
  const rooms = createRooms(database, () => now);
  for (const incidentID of ['3', '7', 'd-1'])
    await rooms.keep({ ...roomSeven, incidentID, channelId: `C${incidentID}` });
  now = service.now;
  await rooms.keep({ ...roomSeven, incidentID: '8', channelId: 'C8' });
  const api = createClient({ ...patient().api, transport: service.service.handle, log: silent });
  const kept = async () => {
    const found = ['3', '7', 'd-1', '8'].map(async each => ((await rooms.ofIncident(each)) ? [each] : []));
    return (await Promise.all(found)).flat();
  };
  expect(await createGoneIncidents({ database, api, days: 0 }).purge(now)).toBe(0);
  expect(await createGoneIncidents({ database, api, days: 90 }).purge(now)).toBe(1);
  expect(await kept()).toEqual(['3', 'd-1', '8']);
});
