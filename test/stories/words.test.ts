import { expect, test } from 'vitest';
import { splitNoteBody } from '../../src/bot/incident/notes.ts';
import { notesOf, openIncident } from '../support/incident-room.ts';

async function openTalk() {
  const room = await openIncident();
  const texts = async (incidentID = '1') =>
    (await notesOf(room.place, incidentID)).map(note => splitNoteBody(note.body).text);
  return { ...room, texts };
}

test.each([
  'logged in to db-3',
  'added two replicas',
  'posted on the status page',
  'listed the pods',
  'list of customers is growing',
  'shows 500s everywhere',
  'show must go on',
  'help arrived',
  'node 7 is down',
  'not fixed',
  'lost quorum',
  'last deploy was at noon',
  'and again',
  'timeline is wrong',
  'write errors on db-3',
  'log rotation failed',
  'ran kubectl drain --force -- it worked',
  'fixed',
])('the note “%s” is kept word for word', async words => {
  const { type, texts, slack, alice, home, place } = await openTalk();
  await type(`/note ${words}`);
  await type(`/muster note ${words}`);
  alice.mention(home, `note ${words}`);
  await place.quiet();
  expect(await texts()).toEqual([words, words, words]);
  expect(slack.calls.filter(call => call.response?.ok === false)).toEqual([]);
});

test.each(['lsit', 'ad', 'logged', 'log', 'shows'])('“/note %s” is asked about, and one press adds it', async word => {
  const { type, texts, last, press } = await openTalk();
  expect(await type(`/note ${word}`)).toContain(`You typed: /note ${word}`);
  expect(await texts()).toEqual([]);
  await press(last(), `Add it as a note: ${word}`);
  expect(await texts()).toEqual([word]);
});

test('one word alone lists, and the same word in a sentence is a note', async () => {
  const { type, texts } = await openTalk();
  for (const line of [
    '/note',
    '/note list',
    '/note ls',
    '/note show',
    '/note list 1',
    '/note list INC-1',
    '/note notes',
  ]) {
    expect(await type(line)).toContain('There are no notes on incident 1 yet.');
  }
  expect(await type('/note help')).toContain('/note list');
  expect(await texts()).toEqual([]);
});

test('a time that is not understood is said to be the time', async () => {
  const { type, texts } = await openTalk();
  const read = await type('/note add --at banana what is this');
  expect(read).toContain(
    'Nothing was added, since the time after --at is unclear: “banana what is this” is not a time.',
  );
  expect(read).toContain('You typed: /note add --at banana what is this');
  expect(await texts()).toEqual([]);
});

test('the clock time at the head of a note is its time, and the receipt says so', async () => {
  const { type, place, texts } = await openTalk();
  const read = await type('/note at 12:20 alerts fired');
  expect(await texts()).toEqual(['at 12:20 alerts fired']);
  const [note] = await notesOf(place, '1');
  expect(note?.eventTime).toBe('2026-11-20T11:20:00Z');
  expect(read).toContain('I took the time from its first words.');
});

test.each(['at 15:00 we fail over', 'at least two nodes', '10:99 is no time', '12 nodes are gone', 'at noon'])(
  '“%s” is a note of now',
  async words => {
    const { type, place, now } = await openTalk();
    expect(await type(`/note ${words}`)).not.toContain('first words');
    const [note] = await notesOf(place, '1');
    expect(Date.parse(note?.eventTime ?? '')).toBe(now().getTime());
  },
);

test('a time of the day before and one long before the incident have a word', async () => {
  const { type } = await openTalk();
  const read = await type('/note add backup ran --at 23:05');
  expect(read).toContain('Today that time is yet to come where you are, so I took the day before.');
  expect(read).toContain('That is 14 h 10 min before the incident began');
  expect(await type('/note add rolled back --at 12:50')).not.toContain('before');
  expect(await type('/note add first alert --at yesterday 23:50')).not.toContain('yet to come');
});
