import { expect, test } from 'vitest';
import type { Channel, Message, Person } from '../../../../playground/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../../../support/fake-grafana.ts';
import { lastMessage } from '../../../support/incident-room.ts';
import { recover } from '../../../support/recover.ts';
import { openVerbs } from '../../../support/verbs.ts';
import type { Workplace } from '../../../support/workplace.ts';

test('what was changed is taken back with one press, once, by whoever did it', async () => {
  const { type, press, last, incident, alice, bob, home, items, place } = await openVerbs();
  await type('/incident severity major');
  const receipt = last();
  expect(await press(receipt, 'Undo')).toContain('You set the severity of incident 1 to pending (was major)');
  expect((await incident()).severity).toBe('pending');
  expect(await press(receipt, 'Undo')).toContain('already');
  expect((await items('incidentSeverityChanged')).map(item => item.body)).toEqual([
    'Severity changed to major',
    'Severity changed to pending',
  ]);

  await type('/incident title Cart is down');
  await press(last(), 'Undo');
  expect((await incident()).title).toBe('Checkout answers 500');

  await type('/incident drill on');
  await press(last(), 'Undo');
  expect((await incident()).isDrill).toBe(false);

  await type(`/role assign <@${bob.id}> commander`);
  const at = place.reads(alice, home.id).findLastIndex(each => each.includes('[Undo]'));
  const assigned = place.messages(alice, home.id)[at];
  if (assigned) await press(assigned, 'Undo');
  expect((await incident()).incidentMembership.assignments).toEqual([]);
});

test('nobody’s later change is taken back with it', async () => {
  const { type, press, last, incident, bob } = await openVerbs();
  await type('/incident severity major');
  const receipt = last();
  await type('/incident severity critical', bob);
  expect(await press(receipt, 'Undo')).toBe(
    'I did not undo that: somebody has changed it since, to critical. It stays as it is now.',
  );
  expect((await incident()).severity).toBe('critical');
});

test.each([
  ['/incident severity major', '/incident severity critical'],
  ['/incident unlabel api', '/incident label api'],
  ['/role assign @carol commander', '/role unassign @carol commander'],
  ['/task done 1', '/task reopen 1'],
])(
  '“%s” is taken back by its value alone, though somebody said “%s” and the same again in between',
  async (line, back) => {
    const { place, type, press, incident, alice, bob, home, wait } = await openVerbs();
    for (const prepared of ['/task add Page the vendor', '/incident label api']) await type(prepared);
    const state = async () => {
      const { severity, labels, incidentMembership, taskList } = await incident();
      return {
        severity,
        labels,
        roles: incidentMembership.assignments,
        tasks: taskList.tasks.map(each => each.status),
      };
    };
    const before = await state();
    await type(line);
    const receipt = undoable(place, alice, home);
    for (const again of [back, line]) {
      wait(1);
      await type(again, bob);
    }
    await press(receipt, 'Undo');
    expect(await state()).toEqual(before);
  },
);

test('an undo is not refused because of changes of other things', async () => {
  const { place, type, press, incident, alice, bob, home } = await openVerbs();
  await type('/incident label checkout');
  const receipt = undoable(place, alice, home);
  for (const other of [
    '/incident label api',
    '/incident unlabel api',
    '/incident label api',
    '/incident severity major',
  ])
    await type(other, bob);
  await press(receipt, 'Undo');
  expect((await incident()).labels.map(each => each.label)).toEqual(['api']);
});

test('after ten minutes the button says so', async () => {
  const { type, press, last, wait, incident } = await openVerbs();
  await type('/incident severity major');
  const receipt = last();
  wait(11);
  expect(await press(receipt, 'Undo')).toContain('Undo works for 10 minutes, and that time is over.');
  expect((await incident()).severity).toBe('major');
});

test('a resolution is taken back with its end, and the room and the announcement say so', async () => {
  const { type, press, last, incident, wait, publicLines } = await openVerbs();
  wait(30);
  await type('/incident resolve The pool was full --at 10m ago --now');
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd: '2026-11-20T12:35:00Z' });
  expect(await press(last(), 'Undo')).toBe(
    ':leftwards_arrow_with_hook: You took the resolution of incident 1 back. It is active again: “Checkout answers 500”.',
  );
  expect(await incident()).toMatchObject({ status: 'active', incidentEnd: '', closedTime: '' });
  expect((await publicLines()).at(-1)).toMatch(/^:leftwards_arrow_with_hook: @alice took this back: ✅ Resolved after/);
});

test('an end that stood before the resolution stands again after its undo', async () => {
  const { type, press, last, incident, wait } = await openVerbs();
  wait(30);
  await type('/incident ended 20m ago');
  const ended = await incident();
  await type('/incident resolve --now');
  await press(last(), 'Undo');
  expect(await incident()).toMatchObject({ status: 'active', incidentEnd: ended.incidentEnd });
});

test('a reopening is taken back, with the end that it had cleared', async () => {
  const { type, press, last, incident, wait, items } = await openVerbs();
  wait(30);
  await type('/incident resolve --at 10m ago --now');
  const { incidentEnd } = await incident();
  wait(5);
  await type('/incident reopen');
  const receipt = last();
  expect(await press(receipt, 'Undo')).toContain(
    'You took the reopening of incident 1 back. It is resolved again: “Checkout answers 500”.',
  );
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd });
  expect(await press(receipt, 'Undo')).toContain('You already took the reopening of incident 1 back.');
  // The trace of both.
  expect(await items('incidentStatusChanged')).toHaveLength(3);
});

test('a resolution that somebody else made since is not taken back', async () => {
  const { type, press, last, incident, wait, bob } = await openVerbs();
  await type('/incident resolve --now');
  const receipt = last();
  wait(1);
  await type('/incident reopen', bob);
  wait(1);
  await type('/incident resolve --now', bob);
  expect(await press(receipt, 'Undo')).toContain('I did not undo that: somebody has changed it since');
  expect((await incident()).status).toBe('resolved');
});

test('a time is set back to the one before, unless somebody has set another one since', async () => {
  const { type, press, last, incident, wait, bob } = await openVerbs();
  wait(30);
  const { incidentStart } = await incident();
  await type('/incident started 20m ago');
  const receipt = last();
  await press(receipt, 'Undo');
  expect(await incident()).toMatchObject({ incidentStart });
  await type('/incident started 20m ago');
  const second = last();
  await type('/incident started 10m ago', bob);
  expect(await press(second, 'Undo')).toContain('I did not undo that: somebody has changed it since, to ');
  // The API cannot take away an end that was never set.
  await type('/incident ended 5m ago');
  expect(JSON.stringify(last().blocks)).not.toContain('Undo');
});

test.each([
  ['/task add restart the pool', 'it has tasks'],
  ['/note the pool is full', 'it has notes on its timeline'],
  ['/incident severity major', 'its severity was changed'],
  ['/incident title Cart is down', 'it was renamed'],
  ['/role assign me investigator', 'somebody else has a role'],
  ['/incident resolve --now', 'it is resolved'],
])('a declaration on which somebody built with “%s” is not taken back', async (line, why) => {
  const { place, type, press, alice, bob, general, incident } = await openVerbs();
  await type('/incident declare Wrong window --now', alice, general);
  const declared = lastMessage(place, alice, general);
  const room = place.slack.channels.find(each => each.name.includes('wrong-window'));
  if (!room) throw new Error('There is no room');
  bob.join(room.id);
  await type(line, bob, room);
  const before = await incident('2');
  await press(declared, 'Undo');
  expect(place.reads(alice, 'general').join('\n')).toContain(
    `I did not undo that: ${why}, so somebody is working on it. It stays as it is now.`,
  );
  expect((await incident('2')).status).toBe(before.status);
});

test('after two minutes a declaration is not taken back', async () => {
  const { place, type, press, alice, general, incident, wait } = await openVerbs();
  await type('/incident declare Wrong window --now', alice, general);
  const declared = lastMessage(place, alice, general);
  wait(3);
  await press(declared, 'Undo');
  expect(place.reads(alice, 'general').join('\n')).toContain(
    'Undo works for 2 minutes, and that time is over. /incident resolve ends it.',
  );
  expect((await incident('2')).status).toBe('active');
});

/** The last message of a room that offers a person to undo something. */
function undoable(place: Pick<Workplace, 'messages'>, person: Person, room: Channel): Message {
  const message = place.messages(person, room.id).findLast(each => JSON.stringify(each.blocks).includes('"Undo"'));
  if (!message) throw new Error(`Nothing offers ${person.name} to undo it`);
  return message;
}

test.each([
  ['/incident severity major', /UpdateSeverity/, 'is pending already'],
  ['/incident title Cart is down', /UpdateTitle/, 'is called “Checkout answers 500” already'],
  ['/incident started 2m ago', /UpdateIncidentEventTime/, 'already.'],
  ['/incident resolve --now', /UpdateStatus/, 'is active again'],
])('an undo of “%s” whose answer was lost is not taken for somebody’s later change', async (line, when, words) => {
  const grafana = await openFakeGrafana();
  const { type, press, last, place, alice, home, incident } = await openVerbs({ settings: grafana.settings });
  const before = await incident();
  await type(line);
  const receipt = last();
  grafana.fail({ when, afterEffect: true, answer: { status: 500, body: 'oops' } });
  await press(receipt, 'Undo');
  await recover(place, grafana);
  await place.quiet();
  const told = place.reads(alice, home.id).join('\n');
  expect(told).not.toContain('I did not undo that');
  expect(told).toContain(words);
  const { severity, title, incidentStart, status } = before;
  expect(await incident()).toMatchObject({ severity, title, incidentStart, status });
});

test.each([
  ['/task done 1', /UpdateTaskStatus/, 'You reopened task 1'],
  ['/task edit 1 Page both vendors', /UpdateTaskText/, 'You changed task 1: “Page the vendor”'],
  ['/task assign 1 me', /UpdateTaskUser/, 'You unassigned task 1'],
  ['/task delete 1', /AddTask/, 'You restored task 1'],
  ['/incident label checkout', /RemoveLabel/, 'label'],
  ['/incident drill on', /UpdateIncidentIsDrill/, 'is real already'],
  ['/role assign me commander', /UnassignRole/, 'commander'],
  ['/note the pool is full', /RemoveActivity/, 'You removed a note'],
  ['/incident update We roll back', /RemoveActivity/, 'You removed a note'],
])('whatever “%s” did is as before once its undo is done whose answer was lost', async (line, when, words) => {
  const grafana = await openFakeGrafana();
  const { type, press, place, alice, home, incident, bodies, publicLines } = await openVerbs({
    settings: grafana.settings,
  });
  await type('/task add Page the vendor');
  const state = async () => {
    const { taskList, labels, isDrill, incidentMembership } = await incident();
    const tasks = taskList.tasks.map(({ text, status, assignedUser }) => [text, status, assignedUser?.userID ?? '']);
    const holders = incidentMembership.assignments.map(each => each.user.userID).filter(each => each !== '');
    return { tasks, labels: labels.map(each => each.label), isDrill, holders, notes: await bodies() };
  };
  const before = await state();
  await type(line);
  expect(await state()).not.toEqual(before);
  const receipt = undoable(place, alice, home);
  grafana.fail({ when, afterEffect: true, answer: { status: 500, body: 'oops' } });
  await press(receipt, 'Undo');
  await recover(place, grafana);
  await place.quiet();
  const told = place.reads(alice, home.id).join('\n');
  expect(told).not.toMatch(/I did not undo that|could not/);
  expect(told).toContain(words);
  expect(await state()).toEqual(before);
  expect((await publicLines()).at(-1)).toContain('@alice took this back: ');
});
