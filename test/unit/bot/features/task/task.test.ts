import { expect, test } from 'vitest';
import { findAdded } from '../../../../../src/bot/features/task/intents.ts';
import type { TaskNumbers } from '../../../../../src/bot/incident/state/task-numbers.ts';
import { lastMessage } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

const home = 'inc-1-checkout-answers-500';

test('a task that somebody else has meanwhile is not given back', async () => {
  const { place, bob, type, tasks, act } = await openVerbs();
  await type('/task add fail over to the replica @bob');
  const dm = place.slack.openDm(bob);
  const given = lastMessage(place, bob, dm);
  await type('/task assign 1 @carol');
  await act(() => bob.press(given, 'Not me'));
  expect(await tasks()).toEqual([['fail over to the replica', 'todo', 'carol']]);
  expect(place.reads(bob, dm.id)).toEqual([
    expect.stringContaining('Task 1 is not yours any more, it is for @carol'),
    expect.stringContaining('@alice gave your task to @carol: “fail over to the replica”'),
  ]);
});

test('@me is whoever types it; an assignee is told in a direct message', async () => {
  const { place, carol, type, tasks } = await openVerbs();
  expect(await type('/task add look at the graphs @me')).toContain('for @alice.');
  expect(await type('/task add call the vendor @carol')).toContain('for @carol.');
  expect(await tasks()).toEqual([
    ['look at the graphs', 'todo', 'alice'],
    ['call the vendor', 'todo', 'carol'],
  ]);
  expect(place.slack.openDm(carol) && place.reads(carol, place.slack.openDm(carol).id)).toEqual([
    expect.stringContaining('@alice gave you a task: “call the vendor”\nTask 2 of incident 1 '),
  ]);
  expect(place.reads(carol, home).join('\n')).not.toContain('gave you');
});

test('an assignee who is not in the room is invited there, and the answer says so', async () => {
  const { slack, carol, home: room, type } = await openVerbs();
  expect(await type('/task add call the vendor @carol')).toContain(
    ':heavy_plus_sign: You added task 1: “call the vendor”, for @carol.\nI invited @carol to #inc-1-checkout-answers-500.',
  );
  expect(slack.channel(room.id).members).toContain(carol.id);
  const again = await type('/task add call them again @carol');
  expect(again).not.toContain('invited');
});

test('an assignee whom Slack does not let in is named, and nobody is told of an invitation', async () => {
  const { slack, carol, home: room, type } = await openVerbs();
  slack.fail('conversations.invite', { error: 'restricted_action' });
  const answer = await type('/task add call the vendor @carol');
  expect(answer).toContain(
    'I could not invite @carol to #inc-1-checkout-answers-500: this workspace does not let apps',
  );
  expect(answer).not.toContain('I invited');
  expect(slack.channel(room.id).members).not.toContain(carol.id);
});

test('an assignee who cannot be told is named to whoever gave the task', async () => {
  const { place, type } = await openVerbs();
  place.slack.fail('chat.postMessage', { error: 'cannot_dm_bot' });
  const answer = await type('/task add call the vendor @carol');
  expect(answer).toContain(':heavy_plus_sign: You added task 1: “call the vendor”, for @carol.');
  expect(answer).toContain('@carol does not know yet: I could not tell them. Slack said cannot_dm_bot.');
});

test('a task is kept although whoever was named cannot be assigned, and nobody is guessed', async () => {
  const { slack, alice, type, tasks } = await openVerbs();
  slack.addPerson({ name: 'robot', isBot: true });
  slack.addPerson({ name: 'gone', deleted: true });
  slack.addPerson({ name: 'stranger', isStranger: true, teamId: 'T0OTHER' });
  slack.addUserGroup({ handle: 'oncall', members: [alice] });

  const answers = [
    await type('/task add one @bobby'),
    await type('/task add two @robot'),
    await type('/task add three @gone'),
    await type('/task add four @stranger'),
    await type('/task add five @bob @carol'),
    await type('/task add six @oncall'),
  ];
  expect(answers[0]).toContain('Nobody is assigned: I do not know @bobby: pick the name from Slack’s list');
  expect(answers[1]).toContain('Nobody is assigned: @robot is a bot:');
  expect(answers[2]).toContain('Nobody is assigned: @gone has left this workspace:');
  expect(answers[3]).toContain('Nobody is assigned: @stranger is from another workspace or organisation:');
  expect(answers[4]).toContain('Nobody is assigned: a task has one assignee.');
  expect(answers[5]).toContain('Nobody is assigned: @oncall is a group:');
  expect(await tasks()).toEqual([
    ['one @bobby', 'todo', ''],
    ['two @robot', 'todo', ''],
    ['three @gone', 'todo', ''],
    ['four @stranger', 'todo', ''],
    ['five @bob @carol', 'todo', ''],
    ['six @oncall', 'todo', ''],
  ]);
});

test('texts that are no task: empty, too long; and hostile ones are text', async () => {
  const { place, type, tasks, pressLast: press, alice } = await openVerbs();
  const empty = await type('/task add');
  expect(empty).toContain('Describe the task. For example /task add check the replica @bob.');
  expect(await type('/task add @bob')).toContain('You typed: /task add @bob');
  expect(await type('/task add ""')).toContain('Describe the task.');
  expect(await type(`/task add ${'x'.repeat(2001)}`)).toContain(
    'A task has at most 2000 characters, and this one has 2001.',
  );
  expect(await tasks()).toEqual([]);

  await press('Add task');
  expect(alice.view?.title).toBe('Add a task');

  await type('/task add page <!channel> and @here, &lt;b&gt; & *bold*\u0007\u202e now');
  await type(`/task add ${'y'.repeat(2000)}`);
  const [hostile, long] = await tasks();
  expect(hostile?.[0]).toBe('page <!channel> and @here, &lt;b&gt; & *bold* now');
  expect(long?.[0]).toHaveLength(2000);
  expect(await type('/task list')).toContain('1. page <!channel> and @here, &lt;b&gt; & *bold* now');
  const formatted = JSON.stringify(place.slack.calls).match(/"mrkdwn","text":"[^"]*<!(channel|here)/g);
  expect(formatted).toBeNull();
});

test('a task of the same words is another one when it was asked for later, or is somebody else’s doing', async () => {
  const { place, tasks, type, now } = await openVerbs();
  await type('/task add fail over');
  const claimed: unknown[] = [];
  const siblingResults = async () => claimed;
  const of: TaskNumbers['of'] = async (_incident, all) => new Map(all.map(({ taskID }, index) => [taskID, index + 1]));
  const deps = { taskNumbers: { of, inherit: async () => {} } };
  const find = (askedAt: Date) =>
    findAdded({ api: place.api, call: {}, deps, askedAt, siblingResults }, { incidentID: '1', text: 'fail over' });
  expect(await find(now())).toMatchObject({ number: 1, task: { text: 'fail over' } });
  expect(await find(new Date(now().getTime() + 600_000))).toBeUndefined();
  claimed.push(await find(now()));
  expect(await find(now())).toBeUndefined();
  expect(await tasks()).toHaveLength(1);
});

test('what is so already is said, and a task that was deleted in the meantime too', async () => {
  const { place, alice, bob, type, tasks, last, act } = await openVerbs();
  await type('/task add restart the database');
  const first = last();
  await type('/task list');
  const list = last();
  await act(() => alice.press(list, 'Done'));
  const timeline = async () =>
    (await place.api.ActivityService.QueryActivity({ query: { incidentID: '1' } })).activityItems.length;
  const before = await timeline();
  await act(() => alice.press(first, 'Done'));
  expect(place.reads(alice, home).join('\n')).toContain('Task 1 is done already: “restart the database”.');
  expect(await type('/task done 1')).toContain('Task 1 is done already');
  expect(await type('/task unassign 1')).toContain('Task 1 is unassigned already');
  expect(await type('/task edit 1 restart the database')).toContain('Task 1 already says that');
  expect(await timeline()).toBe(before);

  await type('/task delete 1', bob);
  await act(() => alice.press(list, 'Reopen'));
  expect(place.reads(alice, home).join('\n')).toContain(`That task was deleted in the meantime. ${phrases.unchanged}`);
  expect(await tasks()).toEqual([]);
});

test('commands name a task by number or words', async () => {
  const { type, tasks, pressLast: press, alice, act } = await openVerbs();
  await type('/task add restart db one');
  await type('/task add restart db two @bob');
  await type('/task add node 7 is full');

  expect(await type('/task done Restart DB one')).toContain('You finished task 1: “restart db one”.');
  expect(await type('/task start #2')).toContain('You started task 2');
  expect(await type('/task finished full')).toContain('You finished task 3');
  expect(await type('/task reopen 3')).toContain('You reopened task 3');
  const several = await type('/task done restart');
  expect(several).toContain('“restart” matches 2 tasks (1, 2). Type a number or press a button.');
  expect(several).toContain('2. “restart db two” (in progress)\n[Done] [Assign ▾] [Unassign]');
  expect(await type('/task done 7')).toContain('There is no task “7”. There are 3:');
  expect(await type('/task done')).toContain('Say which task, by its number or some of its words.');
  expect(await type('/task done nothing like it')).toContain('There is no task “nothing like it”;');

  expect(await type('/task assign me 3')).toContain('You took task 3');
  expect(await type('/task assign 1 @bob')).toContain('You gave @bob task 1');
  expect(await type('/task assign @carol full')).toContain('You gave @carol task 3');
  expect(await type('/task take 1')).toContain('You took task 1');
  expect(await type('/task unassign 2')).toContain('You unassigned task 2');
  expect(await type('/task assign 2')).toContain('Name who does task 2, as in /task assign 2 @bob or me.');
  expect(await type('/task assign 2 @bobby')).toContain('I do not know @bobby');
  expect(await type('/task assign 2 @bob @carol')).toContain('you named @bob and @carol. ');

  expect(await type('/task edit 2 restart db three, ask @bob')).toContain(
    'You changed task 2: “restart db three, ask @bob”.',
  );
  expect(await type('/task edit "node 7" node 8 is full')).toContain('You changed task 3: “node 8 is full”.');
  expect(await type(`/task edit 2 ${'x'.repeat(2001)}`)).toContain('has at most 2000 characters');
  await act(() => alice.command(home, '/task edit 3'));
  await act(() => alice.submit({ text: 'node 9 is full' }));
  expect(await type('/task delete 2')).toContain('You deleted task 2: “restart db three, ask @bob”.');
  expect(await tasks()).toEqual([
    ['restart db one', 'done', 'alice'],
    ['node 9 is full', 'todo', 'carol'],
  ]);
  expect(await type('/task list')).toContain('[Reopen]');
  expect(await press({ text: 'Reopen' })).toContain('2 open, 0 done');
});

test('a number stays with its task when another one is deleted', async () => {
  const { type, tasks, bob, incident } = await openVerbs();
  for (const text of ['rollback', 'raise the pool', 'tell support']) await type(`/task add ${text}`);
  expect(await type('/task list', bob)).toContain('2. raise the pool');
  await type('/task delete 1');
  expect(await type('/task done 2', bob)).toContain('You finished task 2: “raise the pool”.');
  expect(await type('/task done 1', bob)).toContain('There is no task “1”.');
  await type('/task delete 3');
  expect(await type('/task add page the vendor')).toContain('You added task 4: “page the vendor”');
  expect(await type('/incident status')).toContain('4. page the vendor');
  expect(await tasks()).toEqual([
    ['raise the pool', 'done', ''],
    ['page the vendor', 'todo', ''],
  ]);
  expect((await incident()).taskList.doneCount).toBe(1);
});

test('done, edited, assigned and deleted are undone, unless somebody has changed it since', async () => {
  const { type, pressLast: press, tasks, last, bob, alice, place, wait, act } = await openVerbs();
  await type('/task add restart db @bob');
  await type('/task done 1');
  expect(await press('Undo')).toContain('You reopened task 1: “restart db”.');
  await type('/task start 1');
  await type('/task done 1');
  expect(await press('Undo')).toContain('You started task 1: “restart db”.');
  await type('/task edit 1 restart both');
  expect(await press('Undo')).toContain('You changed task 1: “restart db”.');
  await type('/task assign 1 me');
  expect(await press('Undo')).toContain('You gave @bob task 1');
  await type('/task list');
  expect(await press('Unassign')).toContain('You unassigned task 1');
  expect(await press('Undo')).toContain('You gave @bob task 1');
  await type('/task add another');
  await type('/task delete 1');
  expect(await tasks()).toEqual([['another', 'todo', '']]);
  const deleted = last();
  await Promise.all([alice.press(deleted, 'Undo'), alice.press(deleted, 'Undo')]);
  await place.quiet();
  expect(await tasks()).toEqual([
    ['another', 'todo', ''],
    ['restart db', 'progress', 'bob'],
  ]);
  expect(await type('/task list')).toContain('1. restart db');

  await type('/task done 1');
  const done = last();
  await type('/task reopen 1', bob);
  expect(await undo(done)).toContain('I did not undo that: somebody has changed it since, to to do.');
  wait(11);
  expect(await undo(done)).toContain('Undo works for 10 minutes');

  async function undo(message: typeof done) {
    await act(() => alice.press(message, 'Undo'));
    return place.lastRead(alice, message.channel);
  }
});

test('a task that is done has no menu, and nobody says that it has one', async () => {
  const { type, pressLast: press } = await openVerbs();
  await type('/task add restart db');
  await type('/task done 1');
  const answer = await type('/task assign 1');
  expect(answer).toContain('Task 1 is done, so reopen it first.');
  expect(answer).not.toContain('pick one here');
  await press('Reopen');
  expect(await type('/task assign 1')).toContain('[Assign ▾]');
});

test('many tasks come in pages', async () => {
  const { place, type, pressLast: press } = await openVerbs();
  for (let number = 1; number <= 26; number += 1) {
    await place.api.TasksService.AddTask({ incidentID: '1', text: `step ${number}`, assignToUserID: '' });
  }
  const first = await type('/task list');
  expect(first).toContain('Page 1 of 3');
  const shown = [...first.matchAll(/ (\d+)\. step \1 /g)].length;
  expect(await press('Next ›')).toContain(`${shown + 1}. step ${shown + 1}`);
  const last = await press('Next ›');
  expect(last).toContain('26. step 26');
  expect(last).toContain('[‹ Previous] [Add task]');
  expect(await press({ text: 'Done', near: 'step 26' })).toContain('Page 3 of 3');
});

test('every page of the list stays below what Slack takes of a message, and no task is left out', async () => {
  const { place, type, pressLast: press, last } = await openVerbs();
  for (let number = 1; number <= 26; number += 1) {
    const text = `step ${number} ${(number % 3 ? '&"' : 'x').repeat(number * 20)}`;
    await place.api.TasksService.AddTask({ incidentID: '1', text, assignToUserID: '' });
  }
  let page = await type('/task list');
  const seen: number[] = [];
  for (;;) {
    expect(JSON.stringify(last().blocks).length).toBeLessThan(12_000);
    seen.push(...[...page.matchAll(/(\d+)\. step \1 /g)].map(match => Number(match[1])));
    if (!page.includes('Next ›')) break;
    page = await press('Next ›');
  }
  expect(seen).toEqual(Array.from({ length: 26 }, (_, index) => index + 1));
  await press({ text: 'Done', near: 'step 26' });
  expect(JSON.stringify(last().blocks).length).toBeLessThan(12_000);
});

test('guests and strangers change nothing; an incident that is not there is said; elsewhere one picks', async () => {
  const { place, slack, alice, general, type, tasks, act } = await openVerbs();
  const guest = slack.addPerson({ name: 'guest', isRestricted: true });
  const stranger = slack.addPerson({ name: 'stranger', isStranger: true, teamId: 'T0OTHER' });
  guest.join(home);
  alice.share(home);
  stranger.join(home);
  expect(await type('/task add break it', guest)).toContain('guests cannot change incidents');
  expect(await type('/task list', guest)).toContain('No tasks yet.');
  expect(await type('/task add break it', stranger)).toContain('another workspace or organisation');
  expect(await tasks()).toEqual([]);

  expect(await type('/task add x --incident 99')).toContain(phrases.noIncident(99));
  expect(await type('/task list --incident 99')).toContain(phrases.noIncident(99));
  expect(await type('/task add check the replica', alice, general)).toContain('Which one do you mean');
  const message = place.messages(alice, 'general').at(-1);
  if (!message) throw new Error('no picker');
  await act(() => alice.press(message, '#1 Checkout answers 500'));
  expect(await tasks()).toEqual([['check the replica', 'todo', '']]);
});

test('help lists every verb, and a mistyped one is suggested', async () => {
  const { type } = await openVerbs();
  expect(await type('/task help')).toContain('/task assign <number or words> @user');
  expect(await type('/task dlete 1')).toContain('Did you mean /task delete?');
});

test('a guest is given a task, and the giver is told that somebody else must tick it off', async () => {
  const { type, last, alice, gus, place, reads, act } = await openVerbs();
  const limit = '@gus is a guest and cannot mark the task as done here. Do it for them.';
  expect(await type('/task add Swap the disk @gus')).toContain(limit);
  await type('/task add Check the fans');
  expect(await type('/task assign 2 @gus')).toContain(limit);
  expect(await type('/task add Call the vendor @bob')).not.toContain('is a guest');
  await type('/task add Label the rack');
  await place.quiet();
  const message = last();
  await act(() => alice.choose(message, 'task.assign', gus));
  expect(reads()).toContain(limit);
});

test('a private room takes no assignee by itself', async () => {
  const { slack, carol, home: room, type } = await openVerbs({ isPrivate: true });
  expect(await type('/task add call the vendor @carol')).not.toContain('invited');
  expect(slack.channel(room.id).members).not.toContain(carol.id);
  expect(slack.callsOf('conversations.invite').every(call => !String(call.args.users).includes(carol.id))).toBe(true);
});
