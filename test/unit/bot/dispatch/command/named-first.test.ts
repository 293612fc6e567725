import { expect, test } from 'vitest';
import { declareNow, notesOf } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

async function openTwo() {
  const room = await openVerbs();
  const other = await declareNow(room.place, room.alice, room.general, 'Login is slow');
  const statuses = async () => [(await room.incident('1')).status, (await room.incident('2')).status];
  return { ...room, other, statuses };
}

test.each(['2', '#2', 'INC-2', '2:'])(
  '/incident %s resolve is about that incident, and not the one at hand',
  async name => {
    const { type, statuses } = await openTwo();
    await type(`/incident ${name} resolve --now`);
    expect(await statuses()).toEqual(['active', 'resolved']);
    await type(`/muster ${name} reopen`);
    expect(await statuses()).toEqual(['active', 'active']);
  },
);

test('a channel before the verb names its incident, and one without an incident is said to have none', async () => {
  const { type, other, statuses, incident } = await openTwo();
  await type(`/incident #${other.name} severity critical`);
  expect([(await incident('1')).severity, (await incident('2')).severity]).toEqual(['pending', 'critical']);
  expect(await type('/incident #general resolve --now')).toContain('has no incident. Nothing was done.');
  expect(await statuses()).toEqual(['active', 'active']);
});

test('a number before a verb and more words may begin a text, so the person is asked', async () => {
  const { type, press, last, statuses, notes } = await openTwo();
  expect(await type('/incident 2 resolve it was the deploy --now')).toContain(
    'Do you mean incident 2, or is that part',
  );
  const asked = last();
  expect(await statuses()).toEqual(['active', 'active']);
  await press(asked, '#2: /incident resolve it was the deploy --now');
  expect(await statuses()).toEqual(['active', 'resolved']);
  await type('/incident 3 close calls today');
  await press(last(), 'Add it as a note: 3 close calls today');
  expect(await notes()).toEqual(['3 close calls today']);
  expect(await type('/incident 99 resolve it was the deploy --now')).toContain(phrases.noIncidentToChange(99));
});

test('the number of a task before its verb is asked about, and one press does it', async () => {
  const { type, press, last, incident, place } = await openTwo();
  await type('/task add scale up');
  await type('/task 1 done');
  expect((await incident('1')).taskList.tasks.map(task => task.status)).toEqual(['todo']);
  await press(last(), '/task done 1');
  expect((await incident('1')).taskList.tasks.map(task => task.status)).toEqual(['done']);
  await type('/task 2 add tell support');
  await press(last(), '#2: Add it as a task: tell support');
  expect((await incident('2')).taskList.tasks.map(task => task.text)).toEqual(['tell support']);
  await type('/incident INC-2 note add scaled up');
  expect(await notesOf(place, '2')).toHaveLength(1);
});

test('the plural lists the incidents, also in the room of one', async () => {
  const { type } = await openTwo();
  for (const line of ['/muster incidents', '/incident incidents', '/muster show incidents', '/incident list']) {
    const read = await type(line);
    expect(read).toContain('Checkout answers 500');
    expect(read).toContain('Login is slow');
  }
});

test('a list with “me” or “mine” has what is one’s own', async () => {
  const { type, alice, bob, place, general } = await openTwo();
  await declareNow(place, bob, general, 'Search is slow');
  await type('/task add fail over');
  await type('/task add scale up @bob');
  await type('/role assign @bob commander --incident 2');
  for (const own of ['list me', 'list mine', 'mine']) {
    const tasks = await type(`/task ${own}`, bob);
    expect(tasks).toContain('Your tasks of incident 1');
    expect(tasks).toContain('scale up');
    expect(tasks).not.toContain('fail over');
    const incidents = await type(`/incident ${own}`, bob);
    expect(incidents).toContain('Login is slow');
    expect(incidents).toContain('Search is slow');
    expect(incidents).not.toContain('Checkout answers 500');
  }
  expect(await type('/role list me --incident 2', bob)).toMatch(/Your roles in incident 2.*: commander/);
  expect(await type('/role mine', alice)).toMatch(/Your roles in incident 1.*: none/);
  expect(await type('/task list me', alice)).toMatch(/Your tasks of incident 1.*: none/);
});
