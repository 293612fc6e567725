import { addDays } from 'date-fns/addDays';
import { addMinutes } from 'date-fns/addMinutes';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { recordSnapshots } from '../../../../../src/bot/incident/api/calls.ts';
import { DatabaseSnapshots } from '../../../../../src/bot/incident/state/snapshots.ts';
import type { BotTables } from '../../../../../src/bot/schema/tables.ts';
import type { Api } from '../../../../../src/contract/contract.ts';
import { RpcError } from '../../../../../src/contract/errors.ts';
import { Incident, IncidentPreview } from '../../../../../src/contract/incidents.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';

const start = new Date('2026-03-02T14:00:00Z');

async function openSnapshots() {
  let now = start;
  const database = await openBotDatabase(now);
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: line => warnings.push(line) });
  const open = () => new DatabaseSnapshots({ database, clock: () => now, log });
  const rows = () => database.as<BotTables>().selectFrom('bot_incident').selectAll().execute();
  return {
    database,
    memory: open(),
    /** Another memory of the same database, as after a restart. */
    open,
    rows,
    warnings,
    setNow: (moment: Date) => {
      now = moment;
    },
  };
}

const incident = (incidentID: string, news: object = {}): Incident =>
  Incident.parse({
    incidentID,
    title: 'Checkout “answers” 500 \u0000💥',
    severity: 'major',
    status: 'active',
    createdTime: '2026-03-02T13:00:00.123456Z',
    incidentStart: '2026-03-02T13:00:00Z',
    taskList: { tasks: [{ taskID: 't1', text: 'fail over', status: 'todo' }], todoCount: 1, doneCount: 0 },
    ...news,
  });

const preview = (incidentID: string, news: object = {}): IncidentPreview =>
  IncidentPreview.parse({
    incidentID,
    title: 'Checkout',
    severityLabel: 'minor',
    status: 'resolved',
    createdTime: '2026-03-02T13:00:00.123456Z',
    ...news,
  });

test('a whole incident is kept as it was last seen, also for the next process', async () => {
  const { memory, open, rows, setNow } = await openSnapshots();
  expect(await memory.get('7')).toBeUndefined();
  memory.record(incident('7'));
  setNow(addMinutes(start, 3));
  const latest = incident('7', { title: 'Checkout is down', severity: 'critical' });
  memory.record(latest);
  await memory.idle();
  expect(await rows()).toHaveLength(1);
  const found = await open().get('7');
  expect(found?.seenAt).toEqual(addMinutes(start, 3));
  expect(found?.whole).toEqual({ incident: latest, seenAt: addMinutes(start, 3) });
  expect(found?.summary).toMatchObject({ title: 'Checkout is down', severityLabel: 'critical' });
});

test('a list brings what it tells up to date, and leaves people and tasks as they were, with their age', async () => {
  const { memory, setNow } = await openSnapshots();
  memory.record(incident('7'));
  await memory.idle();
  setNow(addMinutes(start, 10));
  memory.recordSummaries([preview('7'), preview('8')]);
  await memory.idle();

  const seven = await memory.get('7');
  expect(seven?.seenAt).toEqual(addMinutes(start, 10));
  expect(seven?.whole?.seenAt).toEqual(start);
  expect(seven?.whole?.incident).toMatchObject({ title: 'Checkout', severity: 'minor', status: 'resolved' });
  expect(seven?.whole?.incident.taskList.tasks).toHaveLength(1);
  const eight = await memory.get('8');
  expect(eight?.whole).toBeUndefined();
  expect(eight?.summary.title).toBe('Checkout');
});

test('a list that comes while the whole incident waits to be stored takes nothing from it', async () => {
  const { memory } = await openSnapshots();
  memory.record(incident('6'));
  memory.record(incident('7'));
  memory.recordSummaries([preview('7')]);
  await memory.idle();
  const seven = await memory.get('7');
  expect(seven?.whole?.incident.taskList.tasks).toHaveLength(1);
  expect(seven?.summary.status).toBe('resolved');
});

test('what looks the same is stored again only after a minute', async () => {
  const { memory, rows, setNow } = await openSnapshots();
  const seenAt = async () => {
    await memory.idle();
    return (await rows())[0]?.seen_at;
  };
  memory.record(incident('7'));
  expect(await seenAt()).toBe(start.getTime());
  setNow(new Date(start.getTime() + 59_000));
  memory.record(incident('7'));
  memory.recordSummaries([preview('7', { title: incident('7').title, severityLabel: 'major', status: 'active' })]);
  const glimpsed = await seenAt();
  expect(glimpsed).toBe(start.getTime() + 59_000);
  setNow(addMinutes(start, 1));
  memory.record(incident('7'));
  expect(await seenAt()).toBe(addMinutes(start, 1).getTime());
  // A clock that steps back does not keep what is seen from being stored.
  setNow(addMinutes(start, -60));
  memory.record(incident('7'));
  expect(await seenAt()).toBe(addMinutes(start, -60).getTime());
});

test('the newest come first, and as many as are asked for', async () => {
  const { memory } = await openSnapshots();
  const previews = Array.from({ length: 12 }, (_, index) =>
    preview(String(index + 1), { createdTime: addMinutes(start, index).toISOString() }),
  );
  memory.recordSummaries(previews);
  await memory.idle();
  expect((await memory.latest(3)).map(each => each.summary.incidentID)).toEqual(['12', '11', '10']);
});

test('what was not seen for 90 days is removed, and only that', async () => {
  const { memory, rows, setNow } = await openSnapshots();
  memory.record(incident('7'));
  await memory.idle();
  setNow(addDays(start, 60));
  memory.record(incident('8'));
  await memory.idle();
  expect(await memory.purge(addDays(start, 90))).toBe(0);
  expect(await memory.purge(addDays(start, 91))).toBe(1);
  expect((await rows()).map(each => each.incident_id)).toEqual(['8']);
});

test('what another version stored is not known, and is replaced when it is seen', async () => {
  const { memory, database } = await openSnapshots();
  await database
    .as<BotTables>()
    .insertInto('bot_incident')
    .values({ incident_id: '7', snapshot: '{"else":1}', created_at: 0, seen_at: start.getTime() })
    .execute();
  expect(await memory.get('7')).toBeUndefined();
  expect(await memory.latest(5)).toEqual([]);
  memory.record(incident('7'));
  await memory.idle();
  expect((await memory.get('7'))?.summary.incidentID).toBe('7');
});

/** An API that answers as told and refuses everything else. */
function answering(answers: { [name: string]: () => Promise<unknown> }): Api {
  const service = new Proxy({}, { get: (_, name) => answers[String(name)] ?? (() => Promise.reject(new Error('no'))) });
  return { IncidentsService: { ...answers, ...service } } as unknown as Api;
}

test('answers are given as they came, also when nothing can be stored; that is said once in the log', async () => {
  const { memory, database, warnings, open, rows } = await openSnapshots();
  const shown = { incident: incident('7'), error: '' };
  const api = recordSnapshots(answering({ GetIncident: async () => shown }), memory);
  await database.as<BotTables>().schema.alterTable('bot_incident').renameTo('elsewhere').execute();
  expect(await api.IncidentsService.GetIncident({ incidentID: '7' })).toBe(shown);
  await memory.idle();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('snapshots: could not store');
  expect(warnings[0]).not.toContain('Checkout');

  await database
    .as<BotTables & { elsewhere: BotTables['bot_incident'] }>()
    .schema.alterTable('elsewhere')
    .renameTo('bot_incident')
    .execute();
  await api.IncidentsService.GetIncident({ incidentID: '7' });
  await memory.idle();
  expect(await rows()).toHaveLength(1);
  expect((await open().get('7'))?.whole?.incident).toEqual({
    ...shown.incident,
    title: 'Checkout “answers” 500 \u0000💥',
  });
});

test('an incident that the API knows no more is forgotten; one that it does not show now is not', async () => {
  const { memory } = await openSnapshots();
  memory.record(incident('7'));
  await memory.idle();
  let code: 'unavailable' | 'not_found' = 'unavailable';
  const api = recordSnapshots(answering({ GetIncident: async () => Promise.reject(new RpcError(code, 'x')) }), memory);
  await expect(api.IncidentsService.GetIncident({ incidentID: '7' })).rejects.toThrow('x');
  await memory.idle();
  expect(await memory.get('7')).toBeDefined();
  code = 'not_found';
  await expect(api.IncidentsService.GetIncident({ incidentID: '7' })).rejects.toThrow('x');
  await memory.idle();
  expect(await memory.get('7')).toBeUndefined();
});
