import { type Check, checksOf, expectRefusal, expectSame, expectThere } from './check.ts';
import type { Fixtures } from './fixtures.ts';
import { noIncident } from './incident-checks.ts';

const documents = 'docs/incident-api.md, TasksService';
const add = checksOf('TasksService.AddTask', documents);
const remove = checksOf('TasksService.DeleteTask', documents);
const status = checksOf('TasksService.UpdateTaskStatus', documents);
const text = checksOf('TasksService.UpdateTaskText', documents);
const user = checksOf('TasksService.UpdateTaskUser', documents);

async function task(fixtures: Fixtures, name: string, words: string, assignToUserID = '') {
  const { incidentID } = await fixtures.incident(name);
  const answer = await fixtures.api.TasksService.AddTask({ incidentID, text: words, assignToUserID });
  const { taskID } = answer.task;
  fixtures.onCleanUp(() => fixtures.api.TasksService.DeleteTask({ incidentID, taskID }));
  return { ...answer, incidentID, taskID };
}

/** Tasks. */
export const taskChecks: readonly Check[] = [
  add.required('adds a task that is to do', async fixtures => {
    const made = await task(fixtures, 'tasked', 'look at the log');
    expectSame('text and status', [made.task.text, made.task.status], ['look at the log', 'todo']);
    expectThere(
      made.taskList.tasks.find(each => each.taskID === made.taskID),
      'the task in the list',
      made.taskList,
    );
  }),
  add.required('assigns it at once', async fixtures => {
    const person = await fixtures.person();
    const made = await task(fixtures, 'tasked', 'call the vendor', person);
    expectSame('assignee', made.task.assignedUser?.userID, person);
  }),
  add.required(
    'has nobody where nobody is named',
    async fixtures => {
      const made = await task(fixtures, 'tasked', 'anybody');
      expectSame('assignedUser', made.task.assignedUser, null);
    },
    'docs/api-rules.md A9 (R)',
  ),
  add.ours(
    'refuses a task without words, and answers 404 for an incident that does not exist',
    'A9',
    async fixtures => {
      const { incidentID } = await fixtures.incident('tasked');
      await expectRefusal(fixtures.api.TasksService.AddTask({ incidentID, text: '  ' }), 'invalid_argument');
      await expectRefusal(
        fixtures.api.TasksService.AddTask({ incidentID, text: 'x'.repeat(2001) }),
        'invalid_argument',
      );
      await expectRefusal(fixtures.api.TasksService.AddTask({ incidentID: noIncident, text: 'x' }), 'not_found');
    },
  ),
  add.ours('records the task', 'A4', async fixtures => {
    const made = await task(fixtures, 'task recorded', 'write it down');
    const [item] = await fixtures.timeline(made.incidentID, 'taskAdded');
    expectSame('body', item?.body, 'Task added: write it down');
  }),
  remove.required('removes a task', async fixtures => {
    const { incidentID, taskID } = await task(fixtures, 'tasked', 'not needed');
    const { taskList } = await fixtures.api.TasksService.DeleteTask({ incidentID, taskID });
    expectSame('of that id', taskList.tasks.filter(each => each.taskID === taskID).length, 0);
  }),
  remove.ours('answers 404 the second time', 'A9', async fixtures => {
    const { incidentID, taskID } = await task(fixtures, 'tasked', 'removed twice');
    await fixtures.api.TasksService.DeleteTask({ incidentID, taskID });
    await expectRefusal(fixtures.api.TasksService.DeleteTask({ incidentID, taskID }), 'not_found');
  }),
  status.required('sets any status from any, and counts', async fixtures => {
    const { incidentID, taskID } = await task(fixtures, 'counted tasks', 'in three states');
    for (const [next, todo, done] of [
      ['progress', 1, 0],
      ['done', 0, 1],
      ['todo', 1, 0],
    ] as const) {
      const answer = await fixtures.api.TasksService.UpdateTaskStatus({ incidentID, taskID, status: next });
      expectSame('status', answer.task.status, next);
      expectSame('todoCount and doneCount', [answer.taskList.todoCount, answer.taskList.doneCount], [todo, done]);
    }
  }),
  status.required('refuses a status that does not exist', async fixtures => {
    const { incidentID, taskID } = await task(fixtures, 'tasked', 'odd status');
    const reply = await fixtures.raw.post('TasksService.UpdateTaskStatus', { incidentID, taskID, status: 'no-such' });
    expectSame('refused', reply.status !== 200 || reply.body.error !== '', true);
  }),
  text.required('replaces the text', async fixtures => {
    const { incidentID, taskID } = await task(fixtures, 'tasked', 'first words');
    const answer = await fixtures.api.TasksService.UpdateTaskText({ incidentID, taskID, text: 'better words' });
    expectSame('text', answer.task.text, 'better words');
  }),
  text.ours('answers 404 for a task that does not exist', 'A9', async fixtures => {
    const { incidentID } = await fixtures.incident('tasked');
    const call = fixtures.api.TasksService.UpdateTaskText({ incidentID, taskID: 'task-none', text: 'x' });
    await expectRefusal(call, 'not_found');
  }),
  user.required('assigns, and clears with an empty userID', async fixtures => {
    const userID = await fixtures.person();
    const { incidentID, taskID } = await task(fixtures, 'tasked', 'handed on');
    const given = await fixtures.api.TasksService.UpdateTaskUser({ incidentID, taskID, userID });
    expectSame('assignee', given.task.assignedUser?.userID, userID);
    const taken = await fixtures.api.TasksService.UpdateTaskUser({ incidentID, taskID, userID: '' });
    expectSame('assignedUser', taken.task.assignedUser, null);
  }),
];
