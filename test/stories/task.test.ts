import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { openFolder } from '../support/folder.ts';
import { lastMessage, openIncident } from '../support/incident-room.ts';

const home = 'inc-1-checkout-answers-500';

test('a task is added for somebody, who is told; its author is the person; the card counts it', async () => {
  const { place, alice, bob, carol, type, tasks, act } = await openIncident();

  expect(await type('/task add fail over to the replica @bob')).toBe(
    [
      ':heavy_plus_sign: You added task 1: “fail over to the replica”, for @bob.',
      '[Start] [Done] [@bob ▾] [Unassign] [Tasks]',
    ].join('\n'),
  );
  expect(await tasks()).toEqual([['fail over to the replica', 'todo', 'bob']]);
  const dm = place.slack.openDm(bob);
  expect(place.lastRead(bob, dm.id)).toBe(
    '@alice gave you a task: “fail over to the replica”\nTask 1 of incident 1 “Checkout answers 500” · #inc-1-checkout-answers-500\n[Start] [Done] [Not me]',
  );
  expect([...place.reads(bob, home), ...place.reads(carol, home)].join('\n')).not.toContain('gave you');
  await act(() => bob.press(lastMessage(place, bob, dm), 'Start'));
  expect(await tasks()).toEqual([['fail over to the replica', 'progress', 'bob']]);
  expect(place.lastRead(bob, dm.id)).toContain('Task 1');

  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.taskList.tasks[0]?.authorUser?.name).toBe('alice');
  expect(place.reads(alice, home)[0]).toContain('1 open, 0 done');

  await type('/task new @bob tell support');
  await type('/incident add task “write the status page”');
  await type('/todos create ask @carol about DNS');
  expect(await tasks()).toEqual([
    ['fail over to the replica', 'progress', 'bob'],
    ['tell support', 'todo', 'bob'],
    ['write the status page', 'todo', ''],
    ['ask @carol about DNS', 'todo', ''],
  ]);
});

test('an assignee gives a task back, and everybody in the room sees that nobody does it', async () => {
  const { place, alice, bob, carol, type, tasks, act } = await openIncident();
  await type('/task add fail over to the replica @bob');
  const dm = place.slack.openDm(bob);
  await act(() => bob.press(lastMessage(place, bob, dm), 'Not me'));
  expect(await tasks()).toEqual([['fail over to the replica', 'todo', '']]);
  expect(place.lastRead(bob, dm.id)).toContain('You gave back task 1: “fail over to the replica”.');
  for (const reader of [alice, carol]) {
    expect(place.reads(reader, home).join('\n')).toContain(
      '@bob gave back task 1: “fail over to the replica”. Nobody has it now',
    );
  }
});

test('what the API refuses is said in its words, with what was typed', async () => {
  const databaseFile = join(await openFolder(), 'muster.db');
  const { type, tasks, pressLast: press } = await openIncident({ databaseFile });
  await type('/task add assign COMMANDER role');
  const database = new DatabaseSync(databaseFile);
  database.exec('UPDATE task SET immutable = 1; UPDATE incident SET version = version + 1');
  database.close();
  expect(await press('Done')).toContain('The incident ticks task 1 off automatically: “assign COMMANDER role”.');
  expect(await type('/task delete 1')).toContain(
    'I could not delete task 1: “assign COMMANDER role”. Muster’s own service refused it',
  );
  expect(await type('/task assign 1 @bob')).toContain('You typed: /task assign 1 @bob');
  const list = await type('/task list');
  expect(list).toContain('1. assign COMMANDER role · to do\nThe incident ticks this task off automatically');
  expect(list).not.toContain('[Done]');
  expect(await tasks()).toEqual([['assign COMMANDER role', 'todo', '']]);
});

test('the list: buttons start, finish, reopen, assign and delete in place, and the card follows', async () => {
  const { place, alice, bob, type, pressLast: press, tasks, last, act } = await openIncident();
  await type('/task add restart the database');
  await type('/task add tell support');
  expect(await type('/task')).toContain('Tasks of incident 1 “Checkout answers 500”: 2 open, 0 done');
  expect(await type('/task show')).toBe(
    [
      'Tasks of incident 1 “Checkout answers 500”: 2 open, 0 done',
      '⬜ 1. restart the database · to do',
      '[Start] [Done] [Assign ▾] [Delete]',
      '⬜ 2. tell support · to do',
      '[Start] [Done] [Assign ▾] [Delete]',
      '[Add task] [Post to channel]',
    ].join('\n'),
  );
  const shown = place.messages(alice, home).length;

  expect(await press({ text: 'Start', near: 'restart' })).toContain('▶️ You started task 1: “restart the database”.');
  expect(place.lastRead(alice, home)).toContain('▶️ 1. restart the database · in progress\n[Done] [Assign ▾] [Delete]');
  const done = await press({ text: 'Done', near: 'restart' });
  expect(done).toContain('1 open, 1 done');
  expect(done).toContain('☑️ 1. restart the database · done\n[Reopen] [Delete]');
  expect(place.reads(alice, home)[0]).toContain('1 open, 1 done');
  await press({ text: 'Reopen', near: 'restart' });
  expect(await tasks()).toEqual([
    ['restart the database', 'todo', ''],
    ['tell support', 'todo', ''],
  ]);

  await act(() => alice.choose(last(), 'task.assign', bob));
  expect(place.lastRead(alice, home)).toContain('You gave @bob task 1');
  expect(place.lastRead(alice, home)).toContain('⬜ 1. restart the database · to do · @bob');
  expect(place.lastRead(bob, place.slack.openDm(bob).id)).toContain('@alice gave you a task: “restart the database”');

  expect(await press({ text: 'Delete', near: 'restart' })).toContain('You deleted task 1: “restart the database”.');
  expect(await tasks()).toEqual([['tell support', 'todo', '']]);
  expect(place.messages(alice, home)).toHaveLength(shown);
  // No question before it: one press brings it back.
  expect(JSON.stringify(last().blocks)).not.toContain('"confirm"');
  await press('Undo');
  expect((await tasks()).map(([text]) => text)).toEqual(['tell support', 'restart the database']);
});

test('the card opens the list and a form, which counts once when it is sent twice', async () => {
  const { place, alice, bob, tasks, act } = await openIncident();
  const card = place.messages(bob, home)[0];
  if (!card) throw new Error('no card');
  await act(() => bob.press(card, 'Tasks'));
  expect(place.lastRead(bob, home)).toContain('No tasks yet.');
  await act(() => bob.press(lastMessage(place, bob, place.slack.channel(home)), 'Add task'));
  expect(bob.view && renderView(place.slack, bob.view)).toContain('What needs doing?: [‹Fail over to the replica›]');
  expect((await bob.submit({ text: '  ' })).body).toMatchObject({ response_action: 'errors' });
  expect((await bob.submit({ text: 'z'.repeat(2001) })).body).toMatchObject({ response_action: 'errors' });
  await act(() => bob.submitTwice({ text: 'check the replica', assignee: alice }));
  expect(await tasks()).toEqual([['check the replica', 'todo', 'alice']]);
  const read = place.reads(bob, home).join('\n');
  expect(read).toContain(':heavy_plus_sign: You added task 1: “check the replica”, for @alice.');
  expect(place.lastRead(alice, place.slack.openDm(alice).id)).toContain('@bob gave you a task: “check the replica”');
});
