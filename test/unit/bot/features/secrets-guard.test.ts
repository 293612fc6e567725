import { expect, test } from 'vitest';
import { renderMessage } from '../../../../playground/fake-slack/fake-slack.ts';
import { openDashboardVerbs } from '../../../support/dashboard-room.ts';
import { forgePress } from '../../../support/forged-press.ts';
import { lastMessage, notesOf } from '../../../support/incident-room.ts';
import { phrases } from '../../../support/phrases.ts';
import { tablesWith } from '../../../support/stored-words.ts';
import { openVerbs, type VerbOptions } from '../../../support/verbs.ts';

// Put together here, so that no file holds what looks like a real key.
const key = ['AKIA', 'Q3EGRIZ5', 'TLMNOP7X'].join('');

const redacted = '[redacted: AWS key]';

async function openGuarded(options: VerbOptions = {}) {
  const room = await openVerbs(options);
  const { place, slack, home, bob } = room;
  return {
    ...room,
    /** The tables in which the key stands. */
    tables: (words = key) => tablesWith(room.place.url.slice('sqlite:'.length), words),
    tasks: async () => (await room.incident()).taskList.tasks.map(task => task.text),
    /** Whether the key stands in the log, in what bob reads, or in what the bot told Slack. */
    isTold: (words = key) =>
      [...place.logged, ...place.reads(bob, home.id), ...slack.calls.map(call => JSON.stringify(call))]
        .join('\n')
        .includes(words),
  };
}

test('nobody but its author chooses, whatever they send, and the author only once', async () => {
  const { type, press, last, notes, slack, alice, bob, place, home } = await openGuarded();
  await type(`/note add ${key}`);
  const asked = last();
  const sent = (choice: string) => {
    const found = [
      ...JSON.stringify(asked.blocks).matchAll(/"action_id":"(muster\.secret\.\w+)".*?"value":("(?:[^"\\]|\\.)*")/g),
    ]
      .map(([, id = '', value = '']) => ({ id, value: JSON.parse(value) }))
      .find(each => each.id.endsWith(choice));
    if (!found) throw new Error(`There is no button ${choice}`);
    return found;
  };
  // Slack shows the message to its author alone.
  const forge = async (choice: string, person: typeof bob, button = sent(choice)) => {
    await forgePress(slack, person, home.id, button);
    await place.quiet();
    return place.lastRead(person, home.id);
  };
  const buttons = { keep: sent('keep'), redact: sent('redact'), drop: sent('drop') };
  for (const choice of ['keep', 'redact', 'drop']) {
    expect(await forge(choice, bob)).toContain('only its author can');
  }
  expect(await notes()).toEqual([]);
  await press(asked, 'Redact');
  for (const button of Object.values(buttons)) {
    expect(await forge('', alice, button)).toContain('There is nothing left to choose');
  }
  expect(await notes()).toEqual([redacted]);
});

test('two presses at once have one effect', async () => {
  const { type, last, notes, alice, place } = await openGuarded();
  await type(`/note add ${key}`);
  const asked = last();
  await Promise.all([alice.press(asked, 'Redact'), alice.press(asked, 'Keep')]);
  await place.quiet();
  expect(await notes()).toHaveLength(1);
});

test('a note that is changed in the form keeps its words until the choice, and its new time at once', async () => {
  const { place, type, press, last, notes, alice, wait, now, act } = await openGuarded();
  await type('/note add rolled back');
  await type('/note list');
  await act(() => alice.press(last(), { text: 'Edit', near: 'rolled back' }));
  const moved = new Date(now().getTime() - 600_000);
  wait(1);
  await act(() => alice.submit({ text: `rolled back with ${key}`, at: moved }));
  expect(await notes()).toEqual(['rolled back']);
  expect(Date.parse((await notesOf(place, '1'))[0]?.eventTime ?? '')).toBe(moved.getTime());
  await press(last(), 'Redact');
  expect(await notes()).toEqual([`rolled back with ${redacted}`]);
});

test('what was kept is not asked about again when the note is marked, or an act is undone', async () => {
  const { type, press, last, notes, tasks } = await openGuarded();
  await type(`/note add ${key}`);
  await press(last(), 'Keep');
  await type('/note list');
  await press(last(), { text: 'Important', near: key });
  expect(await notes()).toEqual([`❗ ${key}`]);

  await type(`/task add use ${key}`);
  await press(last(), 'Keep');
  await type('/task edit 1 use another');
  await press(last(), 'Undo');
  expect(await tasks()).toEqual([`use ${key}`]);
});

test('the receipt of a task that was held back has the buttons of any other task', async () => {
  const { type, press, last } = await openGuarded();
  const actionIds = () => [...JSON.stringify(last().blocks).matchAll(/"action_id":"([^"]+)"/g)].map(([, id]) => id);
  await type('/task add look @bob');
  const ordinary = actionIds();
  expect(ordinary).toContain('task.done');
  await type(`/task add revoke ${key} @bob`);
  await press(last(), 'Redact');
  expect(actionIds()).toEqual(ordinary);
  await press(last(), 'Done');
  expect(last().text).toContain('You finished task 2');
});

test('titles and declarations are examined before anybody reads them', async () => {
  const { place, slack, alice, general, type, press, last, incident, publicLines, act } = await openGuarded();
  await type(`/incident title ${key} is out`);
  expect((await incident()).title).toBe('Checkout answers 500');
  await press(last(), 'Redact');
  expect((await incident()).title).toBe(`${redacted} is out`);

  const channels = slack.channels.length;
  await act(() => alice.command(general, `/incident declare ${key} was leaked --now`));
  expect(slack.channels).toHaveLength(channels);
  await press(lastMessage(place, alice, general), 'Redact');
  expect((await incident('2')).title).toBe(`${redacted} was leaked`);
  expect((await publicLines()).join('\n')).not.toContain(key);
});

test('an incident is resolved while its summary waits for the choice, and the room reads nothing of it', async () => {
  const { type, press, last, notes, incident, publicLines } = await openGuarded();
  await type(`/incident resolve it was ${key} --now`);
  expect((await incident()).status).toBe('resolved');
  expect((await publicLines()).join('\n')).toContain('Resolved after');
  expect(await notes()).toEqual([]);
  await press(last(), 'Redact');
  expect(await notes()).toEqual([`it was ${redacted}`]);
  expect((await publicLines()).join('\n')).not.toContain(key);
});

test('after a week there is nothing to choose', async () => {
  const { type, press, last, notes, wait } = await openGuarded();
  await type(`/note add ${key}`);
  const asked = last();
  wait(6 * 24 * 60);
  await type('/note add still here');
  wait(24 * 60 + 1);
  expect(await press(asked, 'Keep')).toContain('There is nothing left to choose');
  expect(await notes()).toEqual(['still here']);
});

test('with SECRETS_GUARD=off everything is stored as it is typed', async () => {
  const { type, notes } = await openGuarded({ settings: { SECRETS_GUARD: 'off' } });
  expect(await type(`/note add ${key}`)).toContain(phrases.added);
  expect(await notes()).toEqual([key]);
});

test('the description of a role is examined', async () => {
  const { slack, general, place, act } = await openGuarded();
  const ada = slack.addPerson({ name: 'ada', isAdmin: true });
  ada.join(general.id);
  await act(() => ada.command(general, '/role create'));
  await act(() => ada.submit({ name: 'Scribe', description: `logs in with ${key}` }));
  expect(place.lastRead(ada, general.id)).toContain('I did not create the role Scribe');
  await act(() => ada.press(lastMessage(place, ada, general), 'Redact'));
  const { roles } = await place.api.RolesService.GetRoles({});
  expect(roles.find(each => each.name === 'Scribe')?.description).toBe(`logs in with ${redacted}`);
});

async function notesOfRoom(api: Awaited<ReturnType<typeof openDashboardVerbs>>['api']) {
  const query = { incidentID: '1', activityKind: ['userNote' as const], orderDirection: 'DESC' as const };
  return (await api.ActivityService.QueryActivity({ query })).activityItems;
}

test('a token in the address of a dashboard is asked about, and Redact leaves that part of it out', async () => {
  const { says, press, last, api, slack } = await openDashboardVerbs();
  const token = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'].join('.');
  expect(await says(`/dash link /d/nginx/x?var-a=1&auth_token=${token}&from=1&to=2`)).toContain(
    'I did not link the dashboard',
  );
  const before = slack.calls.length;
  await press(last(), 'Redact');
  const [note] = await notesOfRoom(api);
  const short = /goto\/([\w-]+)/.exec(note?.body ?? '')?.[1] ?? '';
  const { location } = await api.ShortUrls.goto({ uid: short });
  expect(location).toContain('var-a=1');
  expect(location).not.toContain('auth_token');
  expect(JSON.stringify(slack.calls.slice(before))).not.toContain(token);
});

test('a secret in a dashboard that is saved is asked about, and Redact leaves a dashboard', async () => {
  const { type, submit, press, last, api } = await openDashboardVerbs();
  const panels = [{ type: 'text', options: { content: `use ${key}`, ratio: 1.5 } }];
  const dashboard = { uid: 'kept', title: 'Board', panels, password: 'hunter2-Prod!' };
  await type(`/dash save ${JSON.stringify(dashboard)}`);
  await submit();
  expect(last().text).toContain('I did not save the dashboard “Board”');
  await press(last(), 'Redact');
  const saved = (await api.Dashboards.get({ uid: 'kept' })).dashboard;
  expect(saved.panels).toEqual([{ type: 'text', options: { content: `use ${redacted}`, ratio: 1.5 } }]);
  expect(JSON.stringify(saved)).not.toContain('hunter2');
  await type(`/dash save ${JSON.stringify({ ...dashboard, uid: 'second', title: 'Second' })}`);
  await submit();
  await press(last(), 'Keep');
  expect((await api.Dashboards.get({ uid: 'second' })).dashboard.panels).toEqual(panels);
});
const other = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

test('whoever adds somebody else’s message chooses for it, and it is marked and linked as usual', async () => {
  const { place, press, last, notes, alice, bob, home, tables, reads, act } = await openGuarded();
  const message = bob.say(home, `try ${key}`);
  await act(() => alice.shortcut('add_timeline', message));
  expect(reads()).toContain(`add “try ${redacted}”`);
  expect([await notes(), message.reactions, tables()]).toEqual([[], [], ['bot_draft']]);
  await press(last(), 'Redact');
  const [note] = await notesOf(place, '1');
  expect(note?.body).toBe(`try ${redacted}\n\n${phrases.saidByBob}: ${message.permalink}`);
  expect(message.reactions.map(each => each.name)).toEqual(['memo']);
  expect(tables()).toEqual([]);

  await act(() => bob.shortcut('add_timeline', message));
  expect(place.lastRead(bob, home.id)).toContain('already');
  expect(await notes()).toHaveLength(1);
});

test('a message that is added elsewhere, through the form, is examined too', async () => {
  const { place, notes, alice, bob, general, tables, press, act } = await openGuarded();
  const message = bob.say(general, `try ${key}`);
  await act(() => alice.shortcut('add_timeline', message));
  await act(() => alice.submit({ incident: '1' }));
  expect(await notes()).toEqual([]);
  await press(lastMessage(place, alice, general), 'Redact');
  expect(await notes()).toEqual([`try ${redacted}`]);
  // The form’s own draft of the message is gone too.
  expect(tables()).toEqual([]);
});

test('a thread adds what is harmless, and asks about each of the others', async () => {
  const { place, slack, notes, alice, bob, home, press, tables, act } = await openGuarded();
  const parent = bob.say(home, 'it fails');
  bob.say(home, `with ${key}`, { threadTs: parent.ts });
  bob.say(home, 'for everybody', { threadTs: parent.ts });
  alice.say(home, `and with ${other}`, { threadTs: parent.ts });
  await act(() => alice.shortcut('add_timeline', parent));
  const receipt = lastMessage(place, alice, home);
  await act(() => alice.press(receipt, 'Add the whole thread'));
  expect(renderMessage(slack, receipt)).toContain(
    ':memo: On the timeline of incident 1: 1 added, 2 held back until you choose, below, 1 was there already.',
  );
  expect(await notes()).toEqual(['it fails', 'for everybody']);
  const [first, second] = place.messages(alice, home.id).slice(-2);
  if (!first || !second) throw new Error('There are no questions');
  await press(first, 'Redact');
  await press(second, 'Drop');
  expect(await notes()).toEqual(['it fails', `with ${redacted}`, 'for everybody']);
  expect([tables(), tables(other)]).toEqual([[], []]);
});

test('tasks are examined when they are added, by command and form, and when they change', async () => {
  const { place, type, press, last, tasks, submit, showCard, tables } = await openGuarded();
  expect(await type(`/task add revoke ${key} @bob`)).toContain(`I did not add the task “revoke ${redacted}”`);
  expect([await tasks(), tables()]).toEqual([[], ['bot_draft']]);
  expect(await press(last(), 'Redact')).toContain(`:heavy_plus_sign: You added task 1: “revoke ${redacted}”`);
  const [task] = (await place.api.IncidentsService.GetIncident({ incidentID: '1' })).incident.taskList.tasks;
  expect(task?.assignedUser?.name).toBe('bob');

  await press(await showCard(), 'Tasks');
  await press(last(), 'Add task');
  await submit({ text: `check ${other}` });
  expect(await tasks()).toHaveLength(1);
  await press(last(), 'Keep');
  expect(await tasks()).toEqual([`revoke ${redacted}`, `check ${other}`]);

  await type(`/task edit 1 really revoke ${key}`);
  await press(last(), 'Drop');
  expect(await tasks()).toEqual([`revoke ${redacted}`, `check ${other}`]);
  expect(tables()).toEqual([]);
});

test('what a message becomes by its menu is examined: a task, a reworded note, and a declaration with its quote', async () => {
  const { place, slack, alice, bob, home, general, press, last, notes, tasks, submit, incident, tables, act } =
    await openGuarded();
  const message = bob.say(home, `revoke ${key}`);
  await act(() => alice.shortcut('task_message', message));
  expect([await tasks(), tables()]).toEqual([[], ['bot_draft']]);
  await press(last(), 'Redact');
  expect(await tasks()).toEqual([`revoke ${redacted} ${message.permalink}`]);

  await act(() => alice.shortcut('add_worded', message));
  await submit({ text: `please revoke ${key}` });
  expect([await notes(), tables()]).toEqual([[], ['bot_draft']]);
  await press(last(), 'Redact');
  expect(await notes()).toEqual([`please revoke ${redacted}`]);

  const channels = slack.channels.length;
  const quoted = bob.say(general, `customers cannot log in\nI tried ${key}`);
  await act(() => alice.shortcut('declare_message', quoted));
  await submit();
  expect(slack.channels).toHaveLength(channels);
  await press(lastMessage(place, alice, general), 'Redact');
  expect((await incident('2')).title).toBe('customers cannot log in');
  expect((await notesOf(place, '2'))[0]?.body).toContain(`I tried ${redacted}`);
  expect(tables()).toEqual([]);
});
