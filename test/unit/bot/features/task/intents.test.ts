import { expect, test } from 'vitest';
import { addTask, assignTask } from '../../../../../src/bot/features/task/intents.ts';
import type { IntentContext } from '../../../../../src/bot/incident/acts/intent-kind.ts';
import { Incident } from '../../../../../src/contract/incidents.ts';

const askedAt = new Date('2026-03-02T14:00:00Z');

test('looking for a task again keeps to the budget of its intent', async () => {
  const call = { budget: 500 };
  const asked: unknown[] = [];
  const tasks = [
    { taskID: 'before', text: 'Fail over', createdTime: '2026-03-02T13:58:00Z' },
    { taskID: 'taken', text: 'Fail over', createdTime: '2026-03-02T14:00:00Z' },
    { taskID: 'ours', text: 'Fail over', createdTime: '2026-03-02T14:00:01Z' },
  ];
  const incident = Incident.parse({ incidentID: '7', taskList: { tasks, todoCount: 3, doneCount: 0 } });
  const GetIncident = async (_input: unknown, options: unknown) => {
    asked.push(options);
    return { incident };
  };
  const context = {
    api: { IncidentsService: { GetIncident } },
    siblingResults: async () => [{ task: incident.taskList.tasks[1], number: 2 }],
    deps: { taskNumbers: { of: async () => new Map(tasks.map(({ taskID }, index) => [taskID, index + 1])) } },
    call,
    askedAt,
  } as unknown as IntentContext;
  const wish = { incidentID: '7', text: 'Fail over', assignee: null, notice: '' };
  expect(await addTask.reconcile?.(context, wish)).toMatchObject({ task: { taskID: 'ours' }, number: 3 });
  expect(asked).toEqual([call]);
});

test('an assignee that an older version stored is read: of no known workspace', () => {
  const assignee = { userID: 'g:1', slackUserID: 'U1' };
  const stored = { incidentID: '7', text: 'Fail over', assignee, notice: '', taskID: 't' };
  for (const kind of [addTask, assignTask]) {
    expect(kind.payload.parse(stored).assignee).toEqual({ ...assignee, slackTeamID: '' });
  }
});
