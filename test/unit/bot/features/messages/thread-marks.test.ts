import { expect, test } from 'vitest';
import { lastMessage, notesOf } from '../../../../support/incident-room.ts';
import { openVerbs } from '../../../../support/verbs.ts';

/** A thread of five messages in the room; the third is on the timeline already. */
async function openThread() {
  const opened = await openVerbs();
  const { alice, bob, home, place } = opened;
  const parent = alice.say(home, 'anybody looking?');
  const replies = ['I am', 'it is the pool', 'agreed', 'done'].map(text =>
    bob.say(home, text, { threadTs: parent.ts }),
  );
  const all = [parent, ...replies];
  await alice.shortcut('add_timeline', all[2]!);
  await place.quiet();
  const marks = () => all.map(each => each.reactions.map(reaction => reaction.name).join());
  const add = async () => {
    await alice.shortcut('add_thread', parent);
    await place.quiet();
    return lastMessage(place, alice, home);
  };
  return { ...opened, all, marks, add };
}

test('a thread that goes on the timeline is marked message by message, and Undo takes off what it added', async () => {
  const { add, marks, place, press } = await openThread();
  expect(marks()).toEqual(['', '', 'memo', '', '']);
  const answer = await add();
  expect(marks()).toEqual(['memo', 'memo', 'memo', 'memo', 'memo']);
  expect(await press(answer, 'Undo')).toContain('4 notes are off the timeline of incident 1 again.');
  expect(marks()).toEqual(['', '', 'memo', '', '']);
  expect((await notesOf(place, '1')).map(note => note.body.split('\n')[0])).toEqual(['it is the pool']);
});

test('Undo leaves what somebody added since, and what was removed', async () => {
  const { add, marks, all, place, press, bob } = await openThread();
  const answer = await add();
  await bob.shortcut('add_timeline', all[0]!);
  await press(answer, 'Undo');
  expect(marks()[2]).toBe('memo');
  const again = await add();
  expect(marks()).toEqual(['', '', 'memo', '', '']);
  expect(again.text).toContain('had been removed and stay out');
  expect(await notesOf(place, '1')).toHaveLength(1);
});
