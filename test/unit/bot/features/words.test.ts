import { expect, test } from 'vitest';
import { splitNoteBody } from '../../../../src/contract/note-forms.ts';
import { declareNow, notesOf } from '../../../support/incident-room.ts';
import { phrases } from '../../../support/phrases.ts';
import { readList } from '../../../support/table.ts';
import { openVerbs, shareVerbs } from '../../../support/verbs.ts';

async function openTalk() {
  return withTexts(await openVerbs());
}

function withTexts(room: Awaited<ReturnType<typeof openVerbs>>) {
  const texts = async (incidentID = '1') =>
    (await notesOf(room.place, incidentID)).map(note => splitNoteBody(note.body).text);
  return { ...room, texts };
}

/** The incident of the tables: each row looks at the notes that it adds. */
const room = shareVerbs();

test.each(
  readList(`
  logged in to db-3 | added two replicas | posted on the status page | listed the pods | shows 500s everywhere
  help arrived | node 7 is down | not fixed | lost quorum | last deploy was at noon | and again | timeline is wrong
  write errors on db-3 | log rotation failed | ran kubectl drain --force -- it worked | fixed
`),
)('the note “%s” is kept word for word', async words => {
  const { type, texts, slack, alice, home, act } = withTexts(room());
  const known = (await texts()).length;
  await type(`/note ${words}`);
  await type(`/muster note ${words}`);
  await act(() => alice.mention(home, `note ${words}`));
  expect((await texts()).slice(known)).toEqual([words, words, words]);
  expect(slack.calls.filter(call => call.response?.ok === false)).toEqual([]);
});

test.each(['list of customers is growing', 'show must go on', 'view of the graphs is odd', 'list me'])(
  '“/note %s” begins as a command that only shows, so it is asked about, and one press adds it whole',
  async words => {
    const { type, texts, last, press } = withTexts(room());
    const known = await texts();
    await type(`/note ${words}`);
    expect(await texts()).toEqual(known);
    await press(last(), `Add it as a note: ${words}`);
    expect(await texts()).toEqual([...known, words]);
  },
);

test.each(['lsit', 'ad', 'logged', 'log', 'shows'])('“/note %s” is asked about, and one press adds it', async word => {
  const { type, texts, last, press } = withTexts(room());
  const known = await texts();
  expect(await type(`/note ${word}`)).toContain(`You typed: /note ${word}`);
  expect(await texts()).toEqual(known);
  await press(last(), `Add it as a note: ${word}`);
  expect(await texts()).toEqual([...known, word]);
});

test('one word alone lists, and the same word in a sentence is a note', async () => {
  const { type, texts } = await openTalk();
  for (const line of readList(`
    /note | /note list | /note ls | /note show | /note list 1 | /note list INC-1 | /note notes
  `)) {
    expect(await type(line)).toContain('Nothing was found.');
  }
  expect(await type('/note help')).toContain('/note list');
  expect(await texts()).toEqual([]);
});

test('a time that is not understood is said to be the time', async () => {
  const { type, texts } = await openTalk();
  const read = await type('/note add --at banana what is this');
  expect(read).toContain('Nothing was added: “banana what is this” is not a time: try');
  expect(read).toContain('You typed: /note add --at banana what is this');
  expect(await texts()).toEqual([]);
});

test('the clock time at the head of a note is its time, and the receipt says so', async () => {
  const { type, place, texts } = await openTalk();
  const read = await type('/note at 12:20 alerts fired');
  expect(await texts()).toEqual(['at 12:20 alerts fired']);
  const [note] = await notesOf(place, '1');
  expect(note?.eventTime).toBe('2026-11-20T11:20:00Z');
  expect(read).toContain('I took the time from “at 12:20”.');
});

test.each(['at 15:00 we fail over', 'at least two nodes', '10:99 is no time', '12 nodes are gone', 'at noon'])(
  '“%s” is a note of now',
  async words => {
    const { type, place, now } = room();
    expect(await type(`/note ${words}`)).not.toContain('I took the time');
    const note = (await notesOf(place, '1')).find(each => splitNoteBody(each.body).text === words);
    expect(Date.parse(note?.eventTime ?? '')).toBe(now().getTime());
  },
);

test('a time of the day before and one long before the incident have a word', async () => {
  const { type } = await openTalk();
  const read = await type('/note add backup ran --at 23:05');
  expect(read).toContain('Where you are, that time is still ahead today, so I took yesterday.');
  expect(read).toContain('That is 14 h 10 min before the incident began');
  expect(await type('/note add rolled back --at 12:50')).not.toContain('before');
  expect(await type('/note add first alert --at yesterday 23:50')).not.toContain('still ahead today');
});

const taskTexts = async ({ incident }: Awaited<ReturnType<typeof openTalk>>, id = '1') =>
  (await incident(id)).taskList.tasks.map(task => task.text);

test('a verb of another command is offered, and one press runs it with the words as typed', async () => {
  const talk = await openTalk();
  const { type, last, press } = talk;
  for (const text of ['fail over', 'scale up']) await type(`/task add ${text}`);
  const read = await type('/incident delete 1');
  expect(read).toContain('Incidents cannot be deleted.');
  expect(read).toContain('You typed: /incident delete 1');
  expect(await taskTexts(talk)).toEqual(['fail over', 'scale up']);
  const asked = last();
  await press(asked, '/task delete 1');
  expect(await taskTexts(talk)).toEqual(['scale up']);

  await type('/incident log rolled @bob back & more');
  const offered = last();
  await press(offered, 'Add it as a note: rolled @bob back & more');
  await press(offered, 'Add it as a note: rolled @bob back & more');
  expect(await talk.texts()).toEqual(['rolled @bob back & more']);
});

test('words after /task that are no verb become a task by one press, its person too', async () => {
  const talk = await openTalk();
  const { type, last, press, bob } = talk;
  expect(await type('/task restart node 7 @bob')).toContain('There is no command “restart” for /task.');
  expect(await taskTexts(talk)).toEqual([]);
  await press(last(), 'Add it as a task: restart node 7 @bob');
  const [task] = (await talk.incident()).taskList.tasks;
  expect(task?.text).toBe('restart node 7');
  expect(task?.assignedUser?.name).toBe('bob');
  expect(bob.view).toBeUndefined();
});

test('a task is deleted at once by its number only; words are asked about', async () => {
  const talk = await openTalk();
  const { type, last, press } = talk;
  for (const text of ['remove the canary', 'tell support', 'fail over']) await type(`/task add ${text}`);
  expect(await type('/task delete canary')).toContain('Delete task 1 “remove the canary”? Nothing was deleted yet.');
  expect(await taskTexts(talk)).toHaveLength(3);
  await press(last(), 'Delete');
  expect(await taskTexts(talk)).toEqual(['tell support', 'fail over']);
  await type('/task remove the canary');
  expect(await taskTexts(talk)).toHaveLength(2);
  await press(last(), 'Add it as a task: remove the canary');
  expect(await taskTexts(talk)).toHaveLength(3);
});

test('a number that may be an incident or a text is asked about, and never resolves the incident at hand', async () => {
  const talk = await openTalk();
  const { type, last, press, place, alice, general, incident, texts } = talk;
  await declareNow(place, alice, general, 'Login is slow');
  expect(await type('/incident resolve 9999 --now')).toContain(phrases.noIncidentToChange(9999));
  expect(await type('/incident close #2 it was the deploy --now')).toContain('Do you mean incident 2, or is that part');
  expect([(await incident('1')).status, (await incident('2')).status]).toEqual(['active', 'active']);
  await press(last(), '#2: /incident resolve it was the deploy --now');
  expect([(await incident('1')).status, (await incident('2')).status]).toEqual(['active', 'resolved']);

  await type('/note 2 pods restarted');
  expect(await texts(), 'a number before a text counts').toEqual(['2 pods restarted']);
  await type('/note #2 pods restarted again');
  expect(await texts()).toEqual(['2 pods restarted']);
  await press(last(), '#2: Add it as a note: pods restarted again');
  expect(await texts('2')).toContain('pods restarted again');
  await type('/note 40 pods restarted');
  expect(await texts()).toEqual(['2 pods restarted', '40 pods restarted']);
});

test('an incident is named by number, by its code, and by its channel', async () => {
  const { type, place, alice, general, home } = await openTalk();
  const other = await declareNow(place, alice, general, 'Login is slow');
  for (const name of ['2', '#2', 'INC-2', 'inc-2', `#${other.name}`]) {
    expect(await type(`/incident status ${name}`)).toContain('Login is slow');
    expect(await type(`/task list ${name}`)).toContain('Tasks of incident 2');
  }
  expect(await type('/incident status #general')).toContain('has no incident. Nothing was done.');
  expect(await type('/incident INC-2', alice, home)).toContain('Login is slow');
});

test('a noun alone lists; /incident alone shows the status here, and the ways to one elsewhere', async () => {
  const { type, alice, general, last, press } = await openTalk();
  for (const line of ['/task', '/muster tasks', '/incident tasks'])
    expect(await type(line)).toContain('Tasks of incident 1');
  expect(await type('/note')).toContain('Nothing was found.');
  expect(await type('/incident timeline')).toContain('The incident was created by alice');
  for (const line of ['/role', '/muster roles']) expect(await type(line)).toContain('Roles');
  expect(await type('/incident')).toContain('Latest on the timeline');
  expect(await type('/incident', alice, general)).toContain('This channel has no incident.');
  await press(last(alice, general), 'Recent incidents');
  expect(last(alice, general).text).toContain(phrases.active(1));
});

test('a title typed after /incident, where no incident is live, is offered as a declaration', async () => {
  const { type, last, press, alice, general } = await openTalk();
  const read = await type('/incident Checkout down', alice, general);
  expect(read).toContain('There is no command “Checkout” for /incident.');
  await press(last(alice, general), 'Declare “Checkout down”');
  expect(JSON.stringify(alice.view)).toContain('Checkout down');
});

test.each(['open nginx', 'rename nginx', 'search nginx', 'remove nginx'])('/dash %s looks up no uid', async words => {
  const read = await room().type(`/dash ${words}`);
  expect(read).toContain('/dash help');
  expect(read).not.toContain('There is no dashboard');
});

test('a title that no dashboard has is said as it was typed', async () => {
  const { type } = await openTalk();
  expect(await type('/dash link NGINX Ingress controller')).toContain(
    'I know no dashboard “NGINX Ingress controller”.',
  );
});
