import { expect, test } from 'vitest';
import { toEventTime } from '../../src/bot/incident/notes/of-message.ts';
import { toSourceMessage } from '../../src/bot/slack/source-message.ts';
import { renderView } from '../../src/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { declareNow, lastMessage, notesOf, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';
import { recover } from '../support/recover.ts';
import { openWorkplace } from '../support/workplace.ts';

test('when the note of a message is removed, the mark goes from the message', async () => {
  const { place, alice, bob, home: room } = await openIncident();
  const message = bob.say(room, 'it was me');
  await alice.shortcut('add_timeline', message);
  await place.quiet();
  expect(message.reactions).toHaveLength(1);
  await alice.command(room, '/note list');
  await place.quiet();
  await alice.press(lastMessage(place, alice, room), 'Remove');
  await place.quiet();
  expect(message.reactions).toEqual([]);
  expect(await notesOf(place, '1')).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('a message that was added by mistake is taken off by Undo, with its mark, and may be added again', async () => {
  const { place, alice, bob, home: room } = await openIncident();
  const message = bob.say(room, 'it was me');
  await alice.shortcut('add_timeline', message);
  await place.quiet();
  await alice.press(lastMessage(place, alice, room), 'Undo');
  await place.quiet();
  expect(place.reads(alice, room.name)).toContain('Removed from the timeline of incident 1: “it was me”.');
  expect(await notesOf(place, '1')).toEqual([]);
  expect(message.reactions).toEqual([]);
  await expect
    .poll(() => place.reads(bob, room.name).at(-1))
    .toBe(':wastebasket: @alice removed a note from the timeline: “it was me”');

  await alice.shortcut('add_timeline', message);
  await place.quiet();
  expect(place.lastRead(alice, room.name)).toContain(`${phrases.added} of incident 1: “it was me”, said by bob.`);
  expect((await notesOf(place, '1')).length).toBe(1);
  expect(message.reactions).toHaveLength(1);
  expect(place.troubles).toEqual([]);
});

test('a form whose note is refused opens again with its incidents and the choice', async () => {
  const grafana = await openFakeGrafana();
  const { place, slack, alice, bob, general } = await openIncident({ settings: grafana.settings });
  await declareNow(place, alice, general, 'Search is slow');
  const message = bob.say(general, 'customers call about checkout');
  await alice.shortcut('add_timeline', message);
  await place.quiet();
  grafana.fail({ when: /AddActivity/, times: 1, answer: { status: 403, body: '{"message":"no"}' } });
  await alice.submit({ incident: '2' });
  await place.quiet();
  expect(await notesOf(place, '2')).toEqual([]);
  await alice.press(lastMessage(place, alice, general), 'Change it');
  await place.quiet();
  expect(alice.view && renderView(slack, alice.view)).toContain('#2 Search is slow');
  expect(JSON.stringify(alice.view)).toContain('#1 Checkout answers 500');
  await alice.submit({});
  await place.quiet();
  expect(await notesOf(place, '2')).toHaveLength(1);
});

test('nothing to add, nobody to add it, and no incident to add it to are said', async () => {
  const place = await openWorkplace();
  const { slack } = place;
  const alice = slack.addPerson({ name: 'alice' });
  const guest = slack.addPerson({ name: 'gina', isRestricted: true });
  const stranger = slack.addPerson({ name: 'stan', isStranger: true, teamId: 'T0OTHER' });
  const general = slack.addChannel({ name: 'general', members: [alice, guest, stranger], isExtShared: true });
  const message = guest.say(general, 'I see errors');
  await alice.shortcut('add_timeline', message);
  await place.quiet();
  expect(place.lastRead(alice, 'general')).toContain(phrases.noIncidentYet);

  const room = await declareNow(place, alice, general, 'Errors');
  alice.share(room);
  for (const person of [guest, stranger]) alice.invite(room, person);
  const said = guest.say(room, 'I see errors');
  for (const person of [guest, stranger]) {
    await person.shortcut('add_timeline', said);
    await place.quiet();
    expect(lastMessage(place, person, room).ephemeralTo).toBe(person.id);
  }
  expect(await notesOf(place, '1')).toEqual([]);
  await alice.shortcut('add_timeline', said);
  await alice.shortcut('add_timeline', stranger.say(room, 'me too'));
  await alice.shortcut('add_timeline', alice.say(room, ' ', { blocks: [] }));
  await place.quiet();
  expect((await notesOf(place, '1')).map(note => note.fieldValues.saidBy)).toEqual([
    'gina (guest)',
    'stan (of another organisation)',
  ]);
  expect(place.reads(alice, room.name).some(text => text.includes('There is nothing to add'))).toBe(true);
});

test('a refusal is said, and what only lost its answer is kept, found and told once', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, bob, home: room } = await openIncident({ settings: grafana.settings });
  const message = bob.say(room, 'words');
  const when = /AddActivity/;
  grafana.fail({ when, times: 1, answer: { status: 403, body: '{"message":"no"}' } });
  await alice.shortcut('add_timeline', message);
  await place.quiet();
  expect(place.lastRead(alice, room.name)).toContain('I could not add “words” to the timeline of incident 1');
  expect(message.reactions).toEqual([]);

  grafana.fail({ when, times: 1, afterEffect: true, answer: { status: 500, body: '{"error":"gateway"}' } });
  // Until it can be looked for, the next attempt does not find it. A 500 is an answer: the card reads too, and silence would open the breaker.
  grafana.fail({ when: /QueryActivity/, answer: { status: 500, body: '{"error":"away"}' } });
  await bob.shortcut('add_timeline', message);
  await place.quiet();
  expect(place.lastRead(bob, room.name)).toContain(
    '⏳ Saved. I’ll add “words” to the timeline of incident 1 as soon as Grafana works again.',
  );
  await recover(place, grafana);
  await place.quiet();
  expect(place.lastRead(bob, room.name)).toContain('☑️ What you asked for earlier is done:\n:memo: Added');
  const notes = await notesOf(place, '1');
  expect(notes.map(note => note.body)).toEqual([`words\n\n— bob in Slack: ${message.permalink}`]);
  expect(notes[0]?.user.name).not.toBe('bob');
  expect(message.reactions).toHaveLength(1);
  await alice.shortcut('add_timeline', message);
  await place.quiet();
  expect(place.lastRead(alice, room.name)).toContain('already');
  expect(place.lastRead(alice, room.name)).not.toContain('https://grafana');
});

test('files stand on the timeline by name and address; times keep six digits', () => {
  const message = toSourceMessage('C1', {
    ts: '1700000000.000100',
    thread_ts: '1700000000.000100',
    reply_count: 2,
    user: 'U1',
    files: [{ name: 'graph.png', permalink: 'https://x.slack.com/files/1' }, { title: 'log' }],
  });
  expect(message).toMatchObject({
    threadTs: '',
    isThreaded: true,
    text: '',
    files: [
      { name: 'graph.png', permalink: 'https://x.slack.com/files/1' },
      { name: 'log', permalink: '' },
    ],
  });
  expect(toEventTime('1700000000.000100')).toBe('2023-11-14T22:13:20.000100Z');
  expect(toEventTime('1700000000')).toBe('2023-11-14T22:13:20.000000Z');
});
