import { expect, test } from 'vitest';
import { declareNow } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('the tab shows the incidents that go on, and the person’s own tasks and roles in all of them', async () => {
  const { opens, type, wait, alice, bob, place, general } = await openVerbs();
  await type('/role assign @bob commander');
  await type('/task add Roll back release 1141 @bob');
  await type('/task add Call the bank @alice');
  const other = await declareNow(place, alice, general, 'Practice --drill --severity major');
  await type('/task add Restore the backup @bob', alice, other);
  await declareNow(place, alice, general, 'Old one');
  await type('/incident resolve over --now', alice, place.slack.channels.at(-1));
  wait(28);
  expect(await opens(bob)).toBe(
    [
      '[Declare an incident]',
      phrases.active(2),
      '⚪ pending · #1 Checkout answers 500 · active for 28 min · commander @bob · #inc-1-checkout-answers-500',
      '[Open]',
      '[Catch me up]',
      '🟠 major · #2 🧪 Drill · Practice · active for 28 min · no commander · #inc-2-practice',
      '[Open]',
      '[Catch me up]',
      '[All incidents]',
      'Your tasks (2)',
      '⬜ 1. Restore the backup · to do',
      '#2 🧪 Drill · Practice · #inc-2-practice',
      '[Start] [Done]',
      '⬜ 1. Roll back release 1141 · to do',
      '#1 Checkout answers 500 · #inc-1-checkout-answers-500',
      '[Start] [Done]',
      'Your roles (1)',
      'commander · #1 Checkout answers 500 · #inc-1-checkout-answers-500',
      '[Hand over]',
      '---',
      '• /incident declare checkout is down starts an incident',
      '• /incident update we roll back tells everybody the news',
      '• /incident call @bob asks people to come',
      '• /incident page wakes people by their pager',
      '• /task add check the replica @bob gives somebody a task',
      '• /role assign @bob commander gives somebody a role',
      '• /note add rolled back to v41 goes on the timeline',
      '• /dash link <address> links a dashboard',
      '• /incident status shows people, tasks and the latest',
      '• /incident catchup shows what you missed',
      '• /incident resolve ends it',
      'In Messages beside this tab you can write to me as you would type a command: declare checkout is down, list, help. In a channel it is /incident …, or /muster ….',
      '[All commands]',
    ].join('\n'),
  );
  expect(await opens(alice)).toContain('Your tasks (1)\n⬜ 2. Call the bank · to do');
});

test('nothing is written while nothing changed, and nothing for people who never opened it', async () => {
  const { opens, published, type, alice, bob } = await openVerbs();
  await type('/task add Roll back @bob');
  expect(published()).toBe(0);
  await opens(bob);
  await opens(bob);
  expect(published()).toBe(1);
  await type('/incident severity major');
  expect(published()).toBe(1);
  expect(await opens(bob)).toContain('🟠 major');
  expect(published()).toBe(2);
  expect(alice.home).toBeUndefined();
});

test('a task is started and done on the tab: it shows the new state and Undo, and the room reads a line', async () => {
  const { opens, pressHome, type, bob, readsDirect: direct, publicLines, incident } = await openVerbs();
  await type('/task add Roll back release 1141 @bob');
  await type('/task add Call the bank @bob');
  await opens(bob);
  const before = direct(bob).length;
  const started = await pressHome(bob, { text: 'Start', near: 'Roll back' });
  expect(started).toContain('▶️ You started task 1: “Roll back release 1141”.\n[Undo]\n---\n[Declare an incident]');
  expect(started).toContain('▶️ 1. Roll back release 1141 · in progress');
  const done = await pressHome(bob, { text: 'Done', near: 'Roll back' });
  expect(done).toContain('☑️ You finished task 1');
  expect(done).toContain('Your tasks (1)\n⬜ 2. Call the bank');
  expect((await publicLines()).join('\n')).toContain('☑️ @bob finished task 1: “Roll back release 1141”');
  expect(direct(bob)).toHaveLength(before);

  expect(await pressHome(bob, 'Undo')).toContain('▶️ 1. Roll back release 1141 · in progress');
  expect(direct(bob).at(-1)).toContain('You started task 1');
  expect((await incident()).taskList.tasks.map(task => task.status)).toEqual(['progress', 'todo']);
  expect(await opens(bob)).toMatch(/^\[Declare an incident\]/);
});

test('the gravest incident stands first, and a drill last', async () => {
  const { place, alice, general, opens } = await openVerbs();
  for (const line of [
    'Disk is full --severity major',
    'Cart is down --severity critical',
    'Game day --severity critical --drill',
  ])
    await declareNow(place, alice, general, line);
  await declareNow(place, alice, general, 'Search is slow --severity minor');
  const seen = await opens(alice);
  const titles = ['Cart is down', 'Disk is full', 'Search is slow', 'Checkout answers 500', 'Game day'];
  const places = titles.map(title => seen.indexOf(title));
  expect(places.every(at => at >= 0)).toBe(true);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(seen).toContain('#3 Cart is down');
});

test('an incident is declared from the tab, and stands there at once', async () => {
  const { opens, pressHome, published, shows, submit, alice, readsDirect: direct } = await openVerbs();
  await opens(alice);
  await pressHome(alice, 'Declare an incident');
  expect(published()).toBe(1);
  await submit({ title: 'Disk is full' }, alice);
  expect(direct(alice).at(-1)).toContain('Disk is full');
  expect(shows(alice)).toContain(`${phrases.active(2)}\n⚪ pending · #2 Disk is full`);
});

test('what only shows something is answered in a direct message, and leaves the tab alone', async () => {
  const { opens, pressHome, published, alice, readsDirect: direct } = await openVerbs();
  await opens(alice);
  await pressHome(alice, 'Open');
  expect(direct(alice).at(-1)).toContain('Checkout answers 500');
  await pressHome(alice, 'All incidents');
  expect(direct(alice).at(-1)).toContain(phrases.active(1));
  await pressHome(alice, 'All commands');
  expect(direct(alice).at(-1)).toContain('All commands');
  expect(published()).toBe(1);
});

test('command is handed over from the tab', async () => {
  const { opens, pressHome, shows, submit, type, alice, bob, readsDirect: direct } = await openVerbs();
  await type('/role assign me commander');
  await opens(alice);
  await pressHome(alice, 'Hand over');
  await submit({ person: bob }, alice);
  expect(direct(alice).at(-1)).toContain('You handed command to @bob');
  expect(shows(alice)).toContain('Your roles: none.');
  expect(await opens(bob)).toContain('commander · #1 Checkout answers 500');
});

test('guests see the incidents whose room they are in, and change nothing; strangers and people who left get no tab', async () => {
  const { opens, slack, place, alice, gus, general, type, act } = await openVerbs();
  await declareNow(place, alice, general, 'Not for guests');
  await type('/task add Watch @gus');
  const seen = await opens(gus);
  expect(seen).toContain(phrases.active(1));
  expect(seen).toContain('⬜ 1. Watch · to do');
  for (const hidden of ['Not for guests', 'Declare', 'Start', 'Done', 'Hand over']) expect(seen).not.toContain(hidden);

  const petra = slack.addPerson({ name: 'petra', teamId: 'T0PARTNER01', isStranger: true });
  expect(await opens(petra)).toBe('');
  await act(() => gus.change({ deleted: true }));
  expect(await opens(gus)).toBe(
    'Your Slack account is deactivated here. Ask an administrator of the workspace to restore it.',
  );
});

test('of many incidents and tasks the newest are shown, with how many more there are', async () => {
  const { opens, type, place, alice, bob } = await openVerbs();
  for (let at = 1; at <= 12; at += 1) {
    await place.api.IncidentsService.CreateIncident({
      title: `Other ${at}`,
      severity: 'minor',
      status: 'active',
    } as never);
    await type(`/task add Step ${at} @bob`);
  }
  const tab = await opens(bob);
  expect(tab).toContain(phrases.active(13));
  expect(tab).toContain('And 3 more.');
  expect(tab).toContain('Your tasks (12)');
  expect(tab).toContain('And 2 more: /task list me');
  expect(bob.home?.blocks.length).toBeLessThanOrEqual(100);
  for (let at = 13; at <= 60; at += 1)
    await place.api.IncidentsService.CreateIncident({
      title: `Other ${at}`,
      severity: 'minor',
      status: 'active',
    } as never);
  expect(await opens(alice)).toContain('Active incidents (50 or more)');
  expect(await opens(alice)).toContain('And more than 40 more.');
});

test('the tab of messages publishes nothing, and a refusal of Slack is a warning', async () => {
  const { opens: open, slack, alice, published, act } = await openVerbs();
  await act(() => alice.openHome('messages'));
  expect(published()).toBe(0);
  slack.fail('views.publish', { error: 'not_enabled' });
  expect(await open(alice)).toBe('');
  expect(await open(alice)).toContain(phrases.active(1));
});

test('when another process published meanwhile, the tab is made of newer facts', async () => {
  const { opens, type, slack, alice, published } = await openVerbs();
  await opens(alice);
  await type('/incident severity major');
  slack.fail('views.publish', { error: 'hash_conflict' });
  expect(await opens(alice)).toContain('🟠 major');
  expect(published()).toBe(3);
});
