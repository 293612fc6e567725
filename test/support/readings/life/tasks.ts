import type { Stage } from '../stage.ts';
import { type Chapter, declare, numberOf } from './chapter.ts';

/** Fills an incident up to what the words ask for, through the API. */
async function fillUp({ api, words }: Stage, incidentID: string): Promise<void> {
  const { tasks, roles, labels } = words.more;
  for (let each = 1; each <= tasks; each += 1)
    await api.TasksService.AddTask({ incidentID, text: words.many('Check region', each, 500), assignToUserID: '' });
  for (let each = 1; each <= labels; each += 1)
    await api.IncidentsService.AddLabel({
      incidentID,
      label: { label: words.many('label', each, 60), description: '', colorHex: '', key: '' },
    });
  for (let each = 1; each <= roles; each += 1) {
    const name = words.many('helper', each, 60);
    await api.RolesService.CreateRole({
      role: { name, description: words.roleText, important: false, mandatory: false },
    });
  }
}

/** Tasks: by command, by button, and from a message. */
export const tasks: Chapter = async stage => {
  const { alice, bob, dora, gus } = stage.people;
  const { words } = stage;
  stage.begin('Tasks');
  const room = await declare(stage, 'Tasks pile up');
  stage.go(room);
  await stage.type(
    alice,
    '/task list',
    `/task add ${words.task} @bob`,
    `/task add ${words.otherTask}`,
    '/task add',
    '/task add @bob',
  );
  await stage.press(alice, 'task.add');
  await stage.submit(alice, { text: words.otherTask });
  await stage.press(bob, 'Start', { channel: stage.slack.openDm(bob) });
  await stage.press(bob, 'Done', { channel: stage.slack.openDm(bob) });
  await stage.type(alice, `/task add ${words.otherTask} @bob`);
  await stage.press(bob, 'Not me', { channel: stage.slack.openDm(bob) });
  await stage.type(
    alice,
    '/task start 1',
    '/task done 1',
    '/task done 1',
    '/task reopen 1',
    '/task done 99',
    `/task done ${words.nonsense}`,
  );
  await stage.press(alice, 'Undo');
  await stage.type(
    alice,
    `/task assign 1 @dora`,
    '/task assign 1 @gus',
    '/task assign 1',
    '/task unassign 1',
    '/task unassign 1',
    '/task assign 1 me',
  );
  await stage.type(alice, `/task edit 2 ${words.task}`, '/task edit 2', '/task edit');
  await stage.submit(alice, { text: words.otherTask });
  await stage.type(alice, `/task ${words.nonsense} and more`, '/task list', '/task list me');
  await stage.type(dora, '/task list me', '/task done e');
  await stage.type(alice, '/task delete 2', `/task delete ${words.otherTask.split(' ')[0]}`, '/task delete 77');
  await stage.press(alice, 'Undo');
  await stage.press(alice, 'Delete');
  const said = bob.say(room, words.said);
  await stage.menu(alice, 'task_message', said);
  await stage.close(alice);
  await stage.menu(alice, 'task_message', dora.say(stage.general, words.said));
  await stage.submit(alice, {});
  gus.join(room);
  await stage.type(gus, '/task list');
  const { incidentID } = await numberOf(stage, 'Tasks pile up');
  await fillUp(stage, incidentID);
  await stage.type(alice, '/task list', '/task list me', '/incident status', '/incident resolve');
  await stage.submit(alice, { summary: words.summary, tasks: 'done' });
  await stage.type(alice, '/incident reopen', '/task list');
  await stage.press(alice, 'task.list.post');
  await stage.press(alice, 'Next ›');
  await stage.pick(alice, 'task.assign', bob);
  await stage.type(alice, `/task add ${words.task}\n${words.otherTask}`);
  await stage.press(alice, 'Undo');
  await stage.pressAll(alice, room);
};
