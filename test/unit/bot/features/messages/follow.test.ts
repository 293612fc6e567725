import { expect, test } from 'vitest';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { declareNow, lastMessage, notesOf } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { recover } from '../../../../support/recover.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('a note keeps its words when its message, which has replies, is deleted before its edit was read', async () => {
  const { bob, home, act, note, bodies } = await openVerbs();
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
  const { place, alice, bob, home, act, note, bodies } = await openVerbs();
  const changed = await note('it is the cache', bob);
  await act(() => alice.command(home, '/note list'));
  await act(() => alice.press(lastMessage(place, alice, home), 'Important'));
  const worded = bob.say(home, 'dunno, maybe the pool?');
  await act(() => alice.shortcut('add_worded', worded));
  await act(() => alice.submit({ text: 'Bob suspects the pool' }));
  await act(() => bob.editMessage(worded, 'it is the pool'));
  await act(() => bob.editMessage(changed, 'it is the CDN'));
  const [second, first] = await bodies();
  expect(first).toBe(
    `Bob suspects the pool\n\n${phrases.saidByBob}, edited by alice, since edited in Slack: ${worded.permalink}`,
  );
  // Only the importance was changed: the words are the message's still.
  expect(second).toBe(`❗ it is the CDN\n\n${phrases.saidByBob}, edited by bob: ${changed.permalink}`);
});

test('a guest and another organisation are quoted as before when they edit', async () => {
  const { slack, alice, gus, home, act, note, bodies } = await openVerbs();
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
  const { place, slack, alice, bob, general, act, bodies } = await openVerbs({ isPrivate: true });
  alice.invite(general, slack.botUserId);
  await declareNow(place, alice, general, 'Search is slow');
  const message = bob.say(general, 'customers cal');
  for (const incident of ['1', '2']) {
    await act(() => alice.shortcut('add_timeline', message));
    await act(() => alice.submit({ incident }));
  }
  const read = place.reads(bob, general.id).length;
  await act(() => bob.editMessage(message, 'customers call'));
  for (const incident of ['1', '2']) {
    expect(await bodies(incident)).toEqual([
      `customers call\n\n${phrases.saidByBob}, edited by bob: ${message.permalink}`,
    ]);
  }
  expect(place.reads(bob, general.id)).toHaveLength(read);
});

test('what a bot changes in its own message changes no note', async () => {
  const { slack, home, act, note, bodies } = await openVerbs();
  const robot = slack.addPerson({ name: 'alertmanager', isBot: true });
  robot.join(home);
  const message = await note('firing: 5xx', robot);
  const [before] = await bodies();
  await act(() => robot.editMessage(message, 'resolved: 5xx'));
  expect(await bodies()).toEqual([before]);
});

test('an edit that brings a secret brings it not to the timeline', async () => {
  const { bob, act, note, bodies } = await openVerbs();
  const message = await note('the key is rotated', bob);
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  await act(() => bob.editMessage(message, `the key is ${secret}`));
  const [body] = await bodies();
  expect(body).not.toContain(secret);
  expect(body).toMatch(/^the key is .*edited by bob/s);
});

test('a preview of a link changes no note, and neither does an edit of a message that is not noted', async () => {
  const { place, slack, alice, bob, home, act, note, bodies } = await openVerbs();
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

test('while the API is away an edit waits behind its note, and is made after it', async () => {
  const grafana = await openFakeGrafana();
  const { place, slack, alice, bob, home, act } = await openVerbs({ settings: grafana.settings });
  const message = bob.say(home, 'rolled bakc');
  grafana.fail({ when: /ActivityService/, answer: { status: 503, body: '{"error":"away"}' } });
  await act(() => alice.shortcut('add_timeline', message));
  await act(() => bob.editMessage(message, 'rolled back'));
  await recover(place, grafana);
  await place.quiet();
  await expect
    .poll(async () => (await notesOf(place, '1')).map(note => note.body.split('\n')[0]))
    .toEqual(['rolled back']);
  expect(slack.openDm(bob).messages).toEqual([]);
});

test('while Slack does not show the message, its edit is kept and followed later', async () => {
  const { place, slack, bob, act, note, bodies } = await openVerbs();
  const message = await note('rolled bakc', bob);
  slack.fail('conversations.replies', { error: 'thread_not_found' });
  await act(() => bob.editMessage(message, 'rolled back'));
  expect((await bodies())[0]).toMatch(/^rolled bakc/);
  await act(() => bob.editMessage(message, 'rolled back to v41'));
  expect((await bodies())[0]).toMatch(/^rolled back to v41\n\n.*edited by bob/);
  expect(place.troubles).toEqual([]);
});
