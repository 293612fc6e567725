import { expect, test } from 'vitest';
import type { Channel, Message, Person } from '../../src/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { lastMessage, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';
import { recover } from '../support/recover.ts';
import type { Workplace } from '../support/workplace.ts';

test.each([
  ['/incident severity major', /UpdateSeverity/, 'is pending already'],
  ['/incident title Cart is down', /UpdateTitle/, 'is called “Checkout answers 500” already'],
  ['/incident started 2m ago', /UpdateIncidentEventTime/, `already. ${phrases.unchanged}`],
  ['/incident resolve --now', /UpdateStatus/, 'is active again'],
])('an undo of “%s” whose answer was lost is not taken for somebody’s later change', async (line, when, words) => {
  const grafana = await openFakeGrafana();
  const { type, press, last, place, alice, home, incident } = await openIncident({ settings: grafana.settings });
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
  ['/task done 1', /UpdateTaskStatus/, 'Task 1 is open again'],
  ['/task edit 1 Page both vendors', /UpdateTaskText/, 'Task 1 now says: “Page the vendor”'],
  ['/task assign 1 me', /UpdateTaskUser/, 'Task 1 is unassigned'],
  ['/task delete 1', /AddTask/, 'Task 1 is back'],
  ['/incident label checkout', /RemoveLabel/, 'label'],
  ['/incident drill on', /UpdateIncidentIsDrill/, 'is real already'],
  ['/role assign me commander', /UnassignRole/, 'commander'],
  ['/note the pool is full', /RemoveActivity/, 'Removed from the timeline'],
  ['/incident update We roll back', /RemoveActivity/, 'Removed from the timeline'],
])('whatever “%s” did is as before once its undo is done whose answer was lost', async (line, when, words) => {
  const grafana = await openFakeGrafana();
  const { type, press, place, alice, home, incident, bodies, publicLines } = await openIncident({
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
  expect(publicLines().at(-1)).toContain('@alice took this back: ');
});

test('a declaration by mistake is taken back within two minutes, and every place that was told of it says so', async () => {
  const { place, type, press, alice, carol, general, incident, bodies, wait } = await openIncident();
  const receipt = () => lastMessage(place, alice, general);
  await type('/incident declare Wrong window --now', alice, general);
  const declared = receipt();
  wait(1);
  await press(declared, 'Undo');
  expect(place.reads(alice, 'general').join('\n')).toContain(
    ':leftwards_arrow_with_hook: Declared by mistake: Wrong window, says @alice.',
  );
  expect(place.reads(alice, 'general').join('\n')).toContain('Incident 2 is taken back: “Wrong window”.');
  expect((await incident('2')).status).toBe('resolved');
  expect((await bodies('2'))[0]).toMatch(/^Declared by mistake\n\n— alice in Slack/);
  expect(place.reads(carol, 'general').at(-1)).toContain('Declared by mistake');
  const room = place.slack.channels.find(each => each.name.includes('wrong-window'));
  expect(place.reads(alice, room?.id ?? '').join('\n')).toContain(
    ':leftwards_arrow_with_hook: Declared by mistake – @alice · /incident reopen opens it again',
  );
  await press(declared, 'Undo');
  expect(place.reads(alice, 'general').join('\n')).toContain('is taken back');
  expect(await bodies('2')).toHaveLength(1);
});

/** The last message of a room that offers a person to undo something. */
function undoable(place: Workplace, person: Person, room: Channel): Message {
  const message = place.messages(person, room.id).findLast(each => JSON.stringify(each.blocks).includes('"Undo"'));
  if (!message) throw new Error(`Nothing offers ${person.name} to undo it`);
  return message;
}
