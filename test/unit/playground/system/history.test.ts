import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { seedHistory } from '../../../../playground/system/history.ts';
import { pastIncidents } from '../../../../playground/system/past-incidents.ts';
import { createClient } from '../../../../src/client/client.ts';
import { openDatabase } from '../../../../src/db/database.ts';
import { createService } from '../../../../src/service/service.ts';
import { patient } from '../../../support/deadlines.ts';

const now = new Date('2026-03-14T02:07:00Z');
const toPerson = (name: string) => ({ userID: `slack:${name}`, name });
const veterans = { alice: toPerson('alice'), bob: toPerson('bob'), carol: toPerson('carol') };

async function openSeeded() {
  const database = await openDatabase('sqlite::memory:');
  onTestFinished(() => database[Symbol.asyncDispose]());
  const log = pino({ level: 'silent' });
  const seed = () => seedHistory({ database, deadlines: patient(), log, options: {} }, veterans, now);
  await seed();
  const service = await createService({ database, log, clock: () => now });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const api = createClient({ ...patient().api, transport: service.handle });
  const list = async () =>
    (await api.IncidentsService.QueryIncidentPreviews({ query: { limit: 100 } })).incidentPreviews;
  return { api, seed, list };
}

test('twenty incidents of the last eight weeks are over, each with its people, tasks, notes and times', async () => {
  const { api, list } = await openSeeded();
  expect((await list()).map(each => each.title)).toEqual(pastIncidents.map(each => each.title).toReversed());
  expect(pastIncidents).toHaveLength(20);
  for (const [index, past] of pastIncidents.entries()) {
    const { incident } = await api.IncidentsService.GetIncident({ incidentID: String(index + 1) });
    const { title, status, severity, isDrill, labels, incidentStart, incidentEnd, taskList } = incident;
    expect(title).toBe(past.title);
    expect([status, severity, isDrill]).toEqual(['resolved', past.severity, past.isDrill ?? false]);
    expect(labels.map(each => each.label).toSorted()).toEqual(past.labels.toSorted());
    expect(incidentStart.slice(11, 16)).toBe(past.at);
    expect(Date.parse(incidentEnd) - Date.parse(incidentStart)).toBe(past.minutes * 60_000);
    expect(Date.parse(incidentEnd)).toBeLessThan(now.getTime());
    const open = taskList.tasks.filter(each => each.status !== 'done').map(each => each.text);
    expect(open).toEqual((past.tasks ?? []).flatMap(([text, , state]) => (state === 'open' ? [text] : [])));
    const { assignments } = incident.incidentMembership;
    expect(assignments.map(each => `${each.role.name} ${each.user.name}`)).toContain(`commander ${past.commander}`);
    const { activityItems } = await api.ActivityService.QueryActivity({
      query: { incidentID: incident.incidentID, limit: 100, activityKind: ['userNote'], orderDirection: 'ASC' },
    });
    const said = activityItems.filter(each => each.fieldValues.source !== 'dashboard');
    expect(said.map(each => [each.user.name, each.body])).toEqual([
      ...past.notes.map(([, who, text]) => [who, text]),
      [past.commander, past.summary],
    ]);
  }
});

test('a service that has incidents gets no history', async () => {
  const { seed, list } = await openSeeded();
  await seed();
  expect(await list()).toHaveLength(20);
});
