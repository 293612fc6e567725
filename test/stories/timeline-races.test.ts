import { expect, test } from 'vitest';
import type { Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import type { GrafanaFault } from '../support/fake-grafana.ts';
import { holdNext } from '../support/held-call.ts';
import { declareNow } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

/** An incident's room in which alice and bob react to messages, with an API whose calls wait or fail. */
async function openRoom() {
  const outage = await openOutage();
  const { place, slack, alice, bob, general, grafana, timeline, act } = outage;
  const room = await declareNow(place, alice, general, 'Disk is full');
  bob.join(room);
  return {
    ...outage,
    room,
    react: (person: Person, message: Message, name = 'memo') => act(() => person.react(message, name)),
    unreact: (person: Person, message: Message, name = 'memo') => act(() => person.unreact(message, name)),
    /** The words of the notes, oldest first. */
    notes: async () =>
      (await timeline()).filter(item => item.activityKind === 'userNote').map(item => item.body.split('\n')[0]),
    /** Another client of the API removes the only note. */
    removeElsewhere: async () => {
      const [note] = (await timeline()).filter(item => item.activityKind === 'userNote');
      await place.api.ActivityService.RemoveActivity({ incidentID: '1', activityItemID: note?.activityItemID ?? '' });
    },
    isMarked: (message: Message) => message.reactions.some(each => each.users.includes(slack.botUserId)),
    /** The next call of a method of the API waits until the test lets it go. */
    holdCall: (when: RegExp) => {
      const begun = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const until = () => {
        begun.resolve();
        return gate.promise;
      };
      grafana.fail({ when, answer: { until }, times: 1 });
      return { begun: begun.promise, go: gate.resolve };
    },
    failNext: (when: RegExp, answer: GrafanaFault['answer'], more: Partial<GrafanaFault> = {}) =>
      grafana.fail({ when, answer, ...more }),
    /** Everything that Slack sent is stored, and a read in another channel has been answered since. */
    delivered: async () => {
      await slack.settled();
      const known = place.reads(alice, general.name).length;
      await alice.command(general, '/incident list');
      await expect.poll(() => place.reads(alice, general.name).length).toBeGreaterThan(known);
    },
  };
}

test('a message that is edited while a reaction adds it again stands with its new words', async () => {
  const { alice, bob, room, react, removeElsewhere, notes, holdCall, delivered, act } = await openRoom();
  const message = bob.say(room, 'rolled bakc');
  await react(bob, message);
  await removeElsewhere();
  expect(await notes()).toEqual([]);
  const look = holdCall(/QueryActivity/);
  alice.react(message, 'memo');
  await look.begun;
  bob.editMessage(message, 'rolled back');
  await delivered();
  await act(() => look.go());
  expect(await notes()).toEqual(['rolled back']);
});

test('a message whose reaction is taken back while it adds it again is not on the timeline', async () => {
  const { alice, bob, room, react, removeElsewhere, notes, holdCall, delivered, isMarked, act } = await openRoom();
  const message = bob.say(room, 'it was me');
  await react(bob, message);
  await removeElsewhere();
  const look = holdCall(/QueryActivity/);
  alice.react(message, 'memo');
  await look.begun;
  bob.unreact(message, 'memo');
  alice.unreact(message, 'memo');
  await delivered();
  await act(() => look.go());
  expect(await notes()).toEqual([]);
  expect(isMarked(message)).toBe(false);
});

test('a reaction that is taken back removes its note although the answer to its adding was lost', async () => {
  const { place, slack, alice, bob, room, goAway, comeBack, failNext, notes, isMarked, act, reads } = await openRoom();
  const message = bob.say(room, 'it was me');
  goAway();
  failNext(/AddActivity/, 'hang up', { afterEffect: true });
  alice.react(message, 'memo');
  await slack.settled();
  await place.quiet();
  expect(reads(alice, room.name)).toContain('Saved. I’ll add “it was me” to the timeline');
  await act(() => alice.unreact(message, 'memo'));
  await comeBack();
  await expect.poll(notes).toEqual([]);
  expect(isMarked(message)).toBe(false);
});

test('a reaction that is taken back while its note is being written removes it at once', async () => {
  const { place, alice, bob, room, notes, holdCall, delivered, act } = await openRoom();
  const message = bob.say(room, 'it was me');
  const write = holdCall(/AddActivity/);
  alice.react(message, 'memo');
  await write.begun;
  alice.unreact(message, 'memo');
  await delivered();
  await act(() => write.go());
  expect(await notes()).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('while the API is away a note waits for its removal, and one that is wanted again stands with its new words', async () => {
  const { alice, bob, room, goAway, comeBack, react, unreact, notes, act, isMarked, reads } = await openRoom();
  const gone = bob.say(room, 'it was me');
  const again = bob.say(room, 'rolled bakc');
  await react(alice, gone);
  await react(alice, again);
  expect(await notes()).toEqual(['it was me', 'rolled bakc']);
  goAway();
  await unreact(alice, gone);
  expect(reads(alice, room.name)).toContain('Saved. I’ll remove “it was me” from the timeline');
  await unreact(alice, again);
  await react(bob, again);
  await act(() => bob.editMessage(again, 'rolled back'));
  await comeBack();
  await expect.poll(notes).toEqual(['rolled back']);
  expect([gone, again].map(isMarked)).toEqual([false, true]);
});

test('the edit of a message whose queued note is taken back and wanted again is told to nobody as a failure', async () => {
  const { alice, bob, room, goAway, comeBack, react, unreact, notes, act, readsAll } = await openRoom();
  const message = bob.say(room, 'one');
  goAway();
  await react(alice, message);
  await act(() => bob.editMessage(message, 'two'));
  await unreact(alice, message);
  await act(() => bob.editMessage(message, 'three'));
  await react(alice, message);
  // Back to words that the note of the first reaction was to get.
  await act(() => bob.editMessage(message, 'two'));
  await comeBack();
  await expect.poll(notes).toEqual(['two']);
  expect(readsAll(alice).join('\n')).not.toContain('could not');
});

test.each(['reactions.add', 'reactions.remove'])(
  'the mark on a message is as its note, although Slack takes its time with %s',
  async method => {
    const { slack, alice, bob, room, react, unreact, notes, isMarked, act } = await openRoom();
    const message = bob.say(room, 'it was me');
    const isAdding = method === 'reactions.add';
    if (!isAdding) await react(alice, message);
    const mark = holdNext(slack, method);
    if (isAdding) alice.react(message, 'memo');
    else alice.unreact(message, 'memo');
    await mark.begun;
    if (isAdding) {
      alice.unreact(message, 'memo');
      await expect.poll(notes).toEqual([]);
      await slack.until(() => slack.callsOf('reactions.remove').length > 0);
    } else {
      alice.react(message, 'memo');
      await expect.poll(notes).toEqual(['it was me']);
      await slack.until(() => slack.callsOf('reactions.add').length > 1);
    }
    await act(() => mark.go());
    expect(isMarked(message)).toBe(!isAdding);
    await (isAdding ? react : unreact)(alice, message);
    expect(isMarked(message)).toBe(isAdding);
  },
);

test('a message of a thread that is edited while the thread is added stands with its new words', async () => {
  const { alice, bob, room, notes, holdCall, delivered, act } = await openRoom();
  const parent = bob.say(room, 'checkout is slow');
  const reply = bob.say(room, 'rolled bakc', { threadTs: parent.ts });
  const write = holdCall(/AddActivity/);
  await alice.shortcut('add_thread', parent);
  await write.begun;
  bob.editMessage(reply, 'rolled back');
  await delivered();
  await act(() => write.go());
  expect(await notes()).toEqual(['checkout is slow', 'rolled back']);
});
