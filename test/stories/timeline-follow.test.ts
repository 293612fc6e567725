import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { declareNow, lastMessage, notesOf, openIncident } from '../support/incident-room.ts';
import { recover } from '../support/recover.ts';

/** An incident, and messages of its room that are noted. */
async function openRoom(options: Parameters<typeof openIncident>[0] = {}) {
  const incident = await openIncident(options);
  const { place, alice, home } = incident;
  return {
    ...incident,
    /** Somebody says something, and alice adds it. */
    note: async (text: string, person = alice, threadTs?: string) => {
      const message = person.say(home, text, threadTs === undefined ? {} : { threadTs });
      await alice.shortcut('add_timeline', message);
      await place.quiet();
      return message;
    },
  };
}

test.each([
  ['HTTP', false],
  ['a socket', true],
])('over %s, a note follows its message when the author edits it, and says so', async (_how, socketMode) => {
  const { place, slack, alice, bob, home, act, note, bodies, wait, publicLines, type } = await openRoom({ socketMode });
  const parent = bob.say(home, 'anybody?');
  const message = await note('rolled bakc to v41', bob, parent.ts);
  const lines = [publicLines(), place.reads(alice, home.id), place.reads(bob, home.id)].map(each => each.length);
  wait(1);
  await act(() => bob.editMessage(message, 'rolled back to v41, @alice'));
  const foot = `— said by bob in Slack, added by alice, edited by bob: ${message.permalink}`;
  expect(await bodies()).toEqual([`rolled back to v41, @alice\n\n${foot}`]);
  wait(1);
  await act(() => bob.editMessage(message, 'rolled back to v42'));
  wait(1);
  await slack.redeliver(slack.deliveries.findLast(each => each.body.includes('message_changed')) ?? never());
  await place.quiet();
  expect(await bodies()).toEqual([`rolled back to v42\n\n${foot}`]);
  const now = [publicLines(), place.reads(alice, home.id), place.reads(bob, home.id)].map(each => each.length);
  expect(now).toEqual(lines);
  expect(await type('/incident timeline notes')).toContain('edited by bob');
  const [stored] = await notesOf(place, '1');
  expect(stored?.fieldValues).toMatchObject({ saidBy: 'bob', addedBy: 'alice', permalink: message.permalink });
});

function never(): never {
  throw new Error('There was no such delivery');
}

test('a preview of a link changes no note, and neither does an edit of a message that is not noted', async () => {
  const { place, slack, alice, bob, home, act, note, bodies } = await openRoom();
  const message = await note('see https://grafana.example.com/d/1', bob);
  const [before] = await bodies();
  const calls = slack.calls.length;
  await act(() => alice.awaitPreview(message, [{ title: 'CPU', text: 'a graph' }]));
  const other = bob.say(home, 'lunch?');
  await act(() => bob.editMessage(other, 'lunch!'));
  await act(() => bob.deleteMessage(other));
  expect(await bodies()).toEqual([before]);
  expect(slack.calls.slice(calls)).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('a note whose message is deleted keeps its words and says so, once', async () => {
  const { place, slack, alice, bob, home, act, note, bodies, wait, type } = await openRoom();
  const parent = await note('it was me', bob);
  const reply = await note('really', bob, parent.ts);
  const lines = place.reads(alice, home.id).length;
  wait(1);
  await act(() => alice.deleteMessage(reply, 'administrator'));
  wait(1);
  await slack.redeliver(slack.deliveries.findLast(each => each.body.includes('message_deleted')) ?? never());
  await place.quiet();
  const lone = await note('and me', bob);
  const withReply = await note('a thread', bob);
  bob.say(home, 'reply', { threadTs: withReply.ts });
  await act(() => bob.editMessage(lone, 'and me too'));
  await act(() => bob.deleteMessage(lone));
  await act(() => bob.deleteMessage(withReply));
  expect(await bodies()).toEqual([
    `it was me\n\n— said by bob in Slack, added by alice: ${parent.permalink}`,
    `really\n\n— said by bob in Slack, added by alice, since deleted in Slack: ${reply.permalink}`,
    `and me too\n\n— said by bob in Slack, added by alice, edited by bob, since deleted in Slack: ${lone.permalink}`,
    `a thread\n\n— said by bob in Slack, added by alice, since deleted in Slack: ${withReply.permalink}`,
  ]);
  expect(place.reads(alice, home.id).length).toBeGreaterThan(lines);
  expect(await type('/incident timeline notes')).toContain('since deleted in Slack');
  expect(place.troubles).toEqual([]);
});

test('a note keeps its words when its message, which has replies, is deleted before its edit was read', async () => {
  const { bob, home, act, note, bodies } = await openRoom();
  const message = await note('it was me', bob);
  bob.say(home, 'reply', { threadTs: message.ts });
  await act(() => {
    bob.editMessage(message, 'it was all of us');
    bob.deleteMessage(message);
  });
  const [body] = await bodies();
  expect(body).toMatch(/^it was me\n\n— said by bob in Slack, added by alice, since deleted in Slack: /);
});

test('words that somebody chose stay, and the note says that the message was edited since', async () => {
  const { place, alice, bob, home, act, note, bodies } = await openRoom();
  const changed = await note('it is the cache', bob);
  await alice.command(home, '/note list');
  await place.quiet();
  await alice.press(lastMessage(place, alice, home), 'Important');
  await place.quiet();
  const worded = bob.say(home, 'dunno, maybe the pool?');
  await alice.shortcut('add_worded', worded);
  await place.quiet();
  await alice.submit({ text: 'Bob suspects the pool' });
  await place.quiet();
  await act(() => bob.editMessage(worded, 'it is the pool'));
  await act(() => bob.editMessage(changed, 'it is the CDN'));
  const [second, first] = await bodies();
  expect(first).toBe(
    `Bob suspects the pool\n\n— said by bob in Slack, added by alice, edited by alice, since edited in Slack: ${worded.permalink}`,
  );
  // Only the importance was changed: the words are the message's still.
  expect(second).toBe(
    `❗ it is the CDN\n\n— said by bob in Slack, added by alice, edited by bob: ${changed.permalink}`,
  );
});

test('a guest and another organisation are quoted as before when they edit', async () => {
  const { slack, alice, gus, home, act, note, bodies } = await openRoom();
  const petra = slack.addPerson({ name: 'petra', isStranger: true, teamId: 'T0OTHER' });
  petra.join(home);
  for (const person of [gus, petra]) {
    const message = await note('we see it too', person);
    await act(() => person.editMessage(message, 'we never saw it'));
  }
  const all = await bodies();
  expect(all).toHaveLength(2);
  for (const body of all)
    expect(body).toMatch(/^we see it too\n\n— said by .+, added by alice, since edited in Slack: /);
  expect(alice.view).toBeUndefined();
});

test('a message of another channel, on the timelines of two incidents, changes both, in private rooms too', async () => {
  const { place, slack, alice, bob, general, act, bodies } = await openRoom({ flags: '--private' });
  alice.invite(general, slack.botUserId);
  await declareNow(place, alice, general, 'Search is slow');
  const message = bob.say(general, 'customers cal');
  for (const incident of ['1', '2']) {
    await alice.shortcut('add_timeline', message);
    await place.quiet();
    await alice.submit({ incident });
    await place.quiet();
  }
  const read = place.reads(bob, general.id).length;
  await act(() => bob.editMessage(message, 'customers call'));
  for (const incident of ['1', '2']) {
    expect(await bodies(incident)).toEqual([
      `customers call\n\n— said by bob in Slack, added by alice, edited by bob: ${message.permalink}`,
    ]);
  }
  expect(place.reads(bob, general.id)).toHaveLength(read);
});

test('what a bot changes in its own message changes no note', async () => {
  const { slack, home, act, note, bodies } = await openRoom();
  const robot = slack.addPerson({ name: 'alertmanager', isBot: true });
  robot.join(home);
  const message = await note('firing: 5xx', robot);
  const [before] = await bodies();
  await act(() => robot.editMessage(message, 'resolved: 5xx'));
  expect(await bodies()).toEqual([before]);
});

test('while the API is away an edit waits behind its note, and is made after it', async () => {
  const grafana = await openFakeGrafana();
  const { place, slack, alice, bob, home, act } = await openRoom({ settings: grafana.settings });
  const message = bob.say(home, 'rolled bakc');
  grafana.fail({ when: /ActivityService/, answer: { status: 503, body: '{"error":"away"}' } });
  await alice.shortcut('add_timeline', message);
  await place.quiet();
  await act(() => bob.editMessage(message, 'rolled back'));
  await recover(place, grafana);
  await place.quiet();
  await expect
    .poll(async () => (await notesOf(place, '1')).map(note => note.body.split('\n')[0]))
    .toEqual(['rolled back']);
  expect(slack.openDm(bob).messages).toEqual([]);
});

test('while Slack does not show the message, its edit is kept and followed later', async () => {
  const { place, slack, bob, act, note, bodies } = await openRoom();
  const message = await note('rolled bakc', bob);
  slack.fail('conversations.replies', { error: 'thread_not_found' });
  await act(() => bob.editMessage(message, 'rolled back'));
  expect((await bodies())[0]).toMatch(/^rolled bakc/);
  await act(() => bob.editMessage(message, 'rolled back to v41'));
  expect((await bodies())[0]).toMatch(/^rolled back to v41\n\n.*edited by bob/);
  expect(place.troubles).toEqual([]);
});

test('an edit that brings a secret brings it not to the timeline', async () => {
  const { bob, act, note, bodies } = await openRoom();
  const message = await note('the key is rotated', bob);
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  await act(() => bob.editMessage(message, `the key is ${secret}`));
  const [body] = await bodies();
  expect(body).not.toContain(secret);
  expect(body).toMatch(/^the key is .*edited by bob/s);
});
