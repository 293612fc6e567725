import pLimit from 'p-limit';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import type { ServiceOptions } from '../../../src/service/call/options.ts';
import { createService } from '../../../src/service/service.ts';
import type { Tables } from '../../../src/service/store/tables.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { call } from '../../support/service.ts';
import { openWatchedLog } from '../../support/watched-log.ts';

/** Several processes' worth of services on one database, all started at the same moment on nothing. */
async function startReplicas(
  count: number,
  clock = (_replica: number) => new Date('2026-09-19T09:30:00Z'),
  options: Partial<ServiceOptions> = {},
) {
  const fresh = await makeDatabase('no tables');
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const start = async (replica: number) => {
    const stack = new AsyncDisposableStack();
    const { log } = openWatchedLog({ level: 'error', close: () => stack.disposeAsync() });
    const database = stack.use(await openDatabase(fresh.url));
    const service = stack.use(await createService({ database, log, clock: () => clock(replica), options }));
    return { service, database };
  };
  return await Promise.all(Array.from({ length: count }, (_, replica) => start(replica)));
}

test('replicas that start at once on an empty database make its tables once', async () => {
  const replicas = await startReplicas(4);
  for (const replica of replicas) {
    const { roles } = await call(replica, 'RolesService.GetRoles');
    expect(roles.map(each => each.name)).toEqual(['commander', 'investigator', 'observer']);
  }
});

test('of two hundred changes that replicas make to one incident at once, none is lost', async () => {
  const replicas = await startReplicas(3);
  const [first] = replicas;
  if (!first) throw new Error('no replica started');
  const { incident } = await call(first, 'IncidentsService.CreateIncident', { title: 'x' });
  const before = await call(first, 'IncidentsService.GetHomescreenVersion');
  const address = { incidentID: incident.incidentID };
  type Replica = (typeof replicas)[number];
  const kinds: ((replica: Replica, n: number) => Promise<unknown>)[] = [
    (replica, n) => call(replica, 'ActivityService.AddActivity', { ...address, body: `note ${n}` }),
    (replica, n) => call(replica, 'TasksService.AddTask', { ...address, text: `task ${n}` }),
    (replica, n) => call(replica, 'IncidentsService.AddLabel', { ...address, label: { label: `label ${n}` } }),
    (replica, n) => call(replica, 'IncidentsService.AssignRole', { ...address, userID: `U${n}`, role: 'observer' }),
  ];
  // More at a time would wait for a connection, which a slow machine gives up.
  const atOnce = pLimit(30);
  const changes = Array.from({ length: 200 }, (_, n) =>
    atOnce(async () => {
      const replica = replicas[n % replicas.length];
      if (replica) await kinds[n % kinds.length]?.(replica, n);
    }),
  );
  await Promise.all(changes);

  const after = await call(first, 'IncidentsService.GetIncident', address);
  expect(after.incident.taskList.tasks).toHaveLength(50);
  expect(new Set(after.incident.taskList.tasks.map(each => each.taskID)).size).toBe(50);
  expect(after.incident.labels).toHaveLength(50);
  expect(after.incident.incidentMembership.totalAssignments).toBe(50);
  expect((await call(first, 'IncidentsService.GetIncidentVersion', address)).version).toBe(201);
  expect((await call(first, 'IncidentsService.GetHomescreenVersion')).version).toBe(before.version + 200);
  const items = await first.database.as<Tables>().selectFrom('activity').selectAll().orderBy('seq').execute();
  expect(items.map(each => each.seq)).toEqual(Array.from({ length: 201 }, (_, index) => index + 1));
  const counts = Map.groupBy(items, each => each.kind);
  for (const kind of ['userNote', 'taskAdded', 'labelAdded', 'roleAssigned'] as const) {
    expect(counts.get(kind)).toHaveLength(50);
  }
});

test('of the same change made by all replicas at once, one takes effect', async () => {
  const replicas = await startReplicas(3);
  const [first] = replicas;
  if (!first) throw new Error('no replica started');
  const { incidentID } = (await call(first, 'IncidentsService.CreateIncident', { title: 'x' })).incident;
  const input = { incidentID, userID: 'slack:U1', role: 'commander' };
  const answers = await Promise.all(
    replicas.flatMap(each => [1, 2, 3].map(() => call(each, 'IncidentsService.AssignRole', input))),
  );
  expect(answers.filter(each => each.didChange)).toHaveLength(1);
  await Promise.all(
    replicas.map(each => call(each, 'IncidentsService.UpdateStatus', { incidentID, status: 'resolved' })),
  );
  expect((await call(first, 'IncidentsService.GetIncidentVersion', { incidentID })).version).toBe(3);
});

test('what was modified last never seems modified earlier, though the clocks of replicas differ', async () => {
  const [fast, slow] = await startReplicas(2, replica => new Date(`2026-09-19T09:30:0${replica === 0 ? 5 : 1}Z`));
  if (!fast || !slow) throw new Error('no replica started');
  const { incidentID } = (await call(fast, 'IncidentsService.CreateIncident', { title: 'x' })).incident;
  const { task } = await call(fast, 'TasksService.AddTask', { incidentID, text: 'look' });
  const late = '2026-09-19T09:30:05Z';
  expect(task.modifiedTime).toBe(late);

  const address = { incidentID, taskID: task.taskID };
  const started = await call(slow, 'TasksService.UpdateTaskStatus', { ...address, status: 'progress' });
  expect(started.task).toMatchObject({ status: 'progress', modifiedTime: late });
  const renamed = await call(slow, 'IncidentsService.UpdateTitle', { incidentID, title: 'y' });
  expect(renamed.incident).toMatchObject({ title: 'y', modifiedTime: late });
});

test('nor does a task that the system completes', async () => {
  const options = { systemTasks: true };
  const [fast, slow] = await startReplicas(
    2,
    replica => new Date(`2026-09-19T09:30:0${replica === 0 ? 5 : 1}Z`),
    options,
  );
  if (!fast || !slow) throw new Error('no replica started');
  const { incidentID } = (await call(fast, 'IncidentsService.CreateIncident', { title: 'x' })).incident;
  const { incident } = await call(slow, 'IncidentsService.UpdateSeverity', { incidentID, severity: 'major' });
  const chosen = incident.taskList.tasks.find(each => each.taskID === 'must-choose-severity');
  expect(chosen).toMatchObject({ status: 'done', modifiedTime: '2026-09-19T09:30:05Z' });
});
