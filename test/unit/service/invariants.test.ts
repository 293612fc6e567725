import fc from 'fast-check';
import { expect, test } from 'vitest';
import { taskStatuses } from '../../../src/contract/tasks.ts';
import { call, type OpenedService, openService, request, tokens } from '../../support/service.ts';

const address = { incidentID: '1' };

async function readAll(opened: OpenedService) {
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query: { ...address, limit: 1000 } });
  const { incident } = await call(opened, 'IncidentsService.GetIncident', address);
  const { version } = await call(opened, 'IncidentsService.GetIncidentVersion', address);
  return { activityItems, incident, version };
}

test('fifty changes at once are all kept, each with its item and its version', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const many = Array.from({ length: 50 }, (_, index) => {
    const manner = index % 2 === 0 ? {} : { token: tokens.Editor };
    switch (index % 5) {
      case 0:
        return call(opened, 'ActivityService.AddActivity', { ...address, body: `note ${index}` }, manner);
      case 1:
        return call(opened, 'TasksService.AddTask', { ...address, text: `task ${index}` }, manner);
      case 2:
        return call(opened, 'IncidentsService.AddLabel', { ...address, label: { label: `label ${index}` } }, manner);
      case 3:
        return call(
          opened,
          'IncidentsService.AssignRole',
          { ...address, userID: `u${index}`, role: 'observer' },
          manner,
        );
      default:
        return call(opened, 'IncidentsService.UpdateTitle', { ...address, title: `title ${index}` }, manner);
    }
  });
  await Promise.all(many);
  const { activityItems, incident, version } = await readAll(opened);
  expect(version).toBe(51);
  expect(activityItems).toHaveLength(51);
  expect(new Set(activityItems.map(each => each.activityItemID)).size).toBe(51);
  expect(incident.taskList.todoCount).toBe(10);
  expect(incident.labels).toHaveLength(10);
  expect(incident.incidentMembership.totalAssignments).toBe(10);
});

test('incidents declared at once get different numbers; a role is given once however often it is asked for', async () => {
  await using opened = await openService();
  const declared = await Promise.all(
    Array.from({ length: 20 }, () => call(opened, 'IncidentsService.CreateIncident', { title: 'same' })),
  );
  expect(declared.map(each => Number(each.incident.incidentID)).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  const input = { ...address, userID: 'u', role: 'commander' };
  const assigned = await Promise.all(
    Array.from({ length: 10 }, () => call(opened, 'IncidentsService.AssignRole', input)),
  );
  expect(assigned.filter(each => each.didChange)).toHaveLength(1);
});

const words = fc.constantFrom('a', 'b', 'c');
const taskID = fc.integer({ min: 1, max: 4 }).map(number => `task-${number}`);
const minutes = fc.integer({ min: -60, max: 60 });

/** Operations with small inputs, so that repetitions and refusals come up often. */
const operations = fc.oneof(
  fc.record({ name: fc.constant('IncidentsService.UpdateTitle'), title: words }),
  fc.record({ name: fc.constant('IncidentsService.UpdateStatus'), status: fc.constantFrom('active', 'resolved') }),
  fc.record({
    name: fc.constant('IncidentsService.UpdateSeverity'),
    severity: fc.constantFrom('minor', 'MAJOR', 'bad'),
  }),
  fc.record({ name: fc.constant('IncidentsService.UpdateIncidentIsDrill'), isDrill: fc.boolean() }),
  fc.record({ name: fc.constant('IncidentsService.AddLabel'), label: fc.record({ label: words }) }),
  fc.record({ name: fc.constant('IncidentsService.RemoveLabel'), label: words }),
  fc.record({
    name: fc.constantFrom('IncidentsService.AssignRole', 'IncidentsService.UnassignRole'),
    userID: words,
    role: fc.constantFrom('commander', 'observer', 'king'),
  }),
  fc.record({
    name: fc.constant('IncidentsService.UpdateIncidentEventTime'),
    activityItemKind: fc.constantFrom('incidentStart', 'incidentEnd'),
    eventTime: minutes.map(each => new Date(Date.UTC(2026, 8, 19, 9, 30 + each)).toISOString()),
  }),
  fc.record({ name: fc.constant('TasksService.AddTask'), text: words }),
  fc.record({ name: fc.constant('TasksService.DeleteTask'), taskID }),
  fc.record({ name: fc.constant('TasksService.UpdateTaskStatus'), taskID, status: fc.constantFrom(...taskStatuses) }),
  fc.record({ name: fc.constant('TasksService.UpdateTaskText'), taskID, text: words }),
  fc.record({ name: fc.constant('TasksService.UpdateTaskUser'), taskID, userID: fc.constantFrom('', 'a', 'b') }),
  fc.record({ name: fc.constant('ActivityService.AddActivity'), body: words }),
);

test('whatever is done in whatever order, counts, versions and times agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { maxLength: 25 }), async sequence => {
      await using opened = await openService();
      await call(opened, 'IncidentsService.CreateIncident', { title: 'a' });
      let before = await readAll(opened);
      for (const { name, ...input } of sequence) {
        opened.now = new Date(opened.now.getTime() + 30_000);
        const { status } = await request(opened, name, { ...address, ...input });
        const after = await readAll(opened);
        const { incident, activityItems, version } = after;
        const added = activityItems.length - before.activityItems.length;

        expect([200, 400, 404]).toContain(status);
        expect(added).toBe(version - before.version);
        expect(added === 0 || (added === 1 && status === 200)).toBe(true);
        expect(incident.modifiedTime).toBe(
          added === 0 ? before.incident.modifiedTime : opened.now.toISOString().replace(/\.?0*Z$/, 'Z'),
        );

        const { tasks, todoCount, doneCount } = incident.taskList;
        expect(doneCount).toBe(tasks.filter(each => each.status === 'done').length);
        expect(todoCount).toBe(tasks.length - doneCount);
        expect(incident.closedTime === '').toBe(incident.status === 'active');
        if (incident.status === 'resolved') expect(incident.incidentEnd).not.toBe('');
        const end = incident.incidentEnd === '' ? opened.now : new Date(incident.incidentEnd);
        const seconds = Math.floor((end.getTime() - Date.parse(incident.incidentStart)) / 1000);
        expect(incident.durationSeconds).toBe(Math.max(0, seconds));
        const { assignments, totalAssignments, totalParticipants } = incident.incidentMembership;
        const proper = new Set(assignments.filter(each => each.role.important).map(each => each.user.userID));
        const all = new Set(assignments.map(each => each.user.userID));
        expect([totalAssignments, totalParticipants]).toEqual([assignments.length, all.size - proper.size]);
        before = after;
      }
    }),
    { numRuns: 25 },
  );
});
