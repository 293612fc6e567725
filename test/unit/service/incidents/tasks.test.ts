import { expect, test } from 'vitest';
import { maxTasks } from '../../../../src/contract/tasks.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';
import { call, openService, request } from '../../../support/service.ts';

const address = { incidentID: '1' };
const theTask = { ...address, taskID: 'task-1' };

test('tasks are added, changed and removed, and counted each time', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const people = { actor: { userID: 'slack:U1', name: 'Ann', photoURL: 'https://img.example/a.png' } };
  const added = await call(opened, 'TasksService.AddTask', { ...address, text: ' one ' }, { people });
  expect(added).toEqual({
    incidentID: '1',
    task: {
      taskID: 'task-1',
      text: 'one',
      status: 'todo',
      authorUser: { userID: 'slack:U1', name: 'Ann', photoURL: 'https://img.example/a.png' },
      assignedUser: null,
      createdTime: '2026-09-19T09:30:00.123Z',
      modifiedTime: '2026-09-19T09:30:00.123Z',
      immutable: false,
    },
    taskList: { tasks: [added.task], todoCount: 1, doneCount: 0 },
    error: '',
  });
  const second = await call(opened, 'TasksService.AddTask', { ...address, text: 'two', assignToUserID: 'slack:U1' });
  expect(second.task.assignedUser?.name).toBe('Ann');

  opened.now = new Date('2026-09-19T09:40:00Z');
  const started = await call(opened, 'TasksService.UpdateTaskStatus', { ...theTask, status: 'progress' });
  expect(started.taskList).toMatchObject({ todoCount: 2, doneCount: 0 });
  expect(started.task).toMatchObject({ status: 'progress', modifiedTime: '2026-09-19T09:40:00Z' });
  const done = await call(opened, 'TasksService.UpdateTaskStatus', { ...theTask, status: 'done' });
  expect(done.taskList).toMatchObject({ todoCount: 1, doneCount: 1 });
  await call(opened, 'TasksService.UpdateTaskStatus', { ...theTask, status: 'todo' });
  await call(opened, 'TasksService.UpdateTaskText', { ...theTask, text: 'One' });
  const given = await call(opened, 'TasksService.UpdateTaskUser', { ...theTask, userID: 'slack:U7' });
  expect(given.task).toMatchObject({
    text: 'One',
    assignedUser: { userID: 'slack:U7', name: 'slack:U7', photoURL: '' },
  });
  const cleared = await call(opened, 'TasksService.UpdateTaskUser', { ...theTask, userID: '' });
  expect(cleared.task.assignedUser).toBeNull();
  expect(cleared.taskList.tasks.map(each => each.taskID)).toEqual(['task-1', 'task-2']);

  const removed = await call(opened, 'TasksService.DeleteTask', theTask);
  expect(removed).toEqual({
    incidentID: '1',
    taskList: { tasks: [second.task], todoCount: 1, doneCount: 0 },
    error: '',
  });
  const { incident } = await call(opened, 'IncidentsService.GetIncident', address);
  expect(incident.taskList).toEqual(removed.taskList);
});

test('an incident takes a thousand tasks, and one more when one is gone', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  await call(opened, 'TasksService.AddTask', { ...address, text: 'first' });
  const db = opened.database.as<Tables>();
  const first = await db.selectFrom('task').selectAll().executeTakeFirstOrThrow();
  for (let at = 2; at <= maxTasks; at += 200) {
    const rows = Array.from({ length: Math.min(200, maxTasks + 1 - at) }, (_, index) => at + index);
    await db
      .insertInto('task')
      .values(rows.map(number => ({ ...first, id: `filler-${number}`, position: number + 1000 })))
      .execute();
  }
  const more = { ...address, text: 'one more' };
  const before = await call(opened, 'IncidentsService.GetIncident', address);
  expect(before.incident.taskList.todoCount).toBe(1000);
  expect(await request(opened, 'TasksService.AddTask', more)).toMatchObject({
    status: 400,
    body: {
      code: 'common.validation_failed',
      error: 'incident 1 has 1000 tasks, which is the most. Delete one first',
    },
  });
  expect(await call(opened, 'IncidentsService.GetIncident', address)).toEqual(before);
  await call(opened, 'TasksService.DeleteTask', theTask);
  expect((await call(opened, 'TasksService.AddTask', more)).taskList.todoCount).toBe(1000);
});
