import { expect, test } from 'vitest';
import { forgePress } from '../../../../support/forged-press.ts';
import { openRemindedVerbs } from '../../../../support/reminded.ts';

test.each([
  ['before the due time the owner alone is told', 28, {}, 1, 0],
  ['where the room is not reminded, its owner is told late', 33, { REMINDERS: 'owner' }, 1, 0],
] as const)('after an outage: %s', async (_name, minutes, settings, owner, room) => {
  const { type, alice, alone, inRoom, jump } = await openRemindedVerbs({ settings });
  await type('/role assign me commander');
  await type('/incident update we look at the logs --next 30m');
  await jump(minutes);
  expect([alone(alice).length, (await inRoom()).length]).toEqual([owner, room]);
});

test('what an owner snoozed comes to them, also in the minute in which the room is told', async () => {
  const { type, alice, alone, inRoom, jump, lastAlone, press } = await openRemindedVerbs();
  await type('/role assign me commander');
  await type('/incident update we look at the logs --next 30m');
  await jump(25);
  await press(lastAlone(alice), 'Snooze 15 min');
  await jump(16);
  expect(await inRoom()).toHaveLength(1);
  expect(alone(alice).at(-1)).toContain('was due at');
});

test('a new promise takes the place of the old one, and the end of the incident that of all', async () => {
  const { type, alice, alone, inRoom, pass } = await openRemindedVerbs();
  await type('/role assign me commander');
  await type('/incident update one --next 30m');
  await pass(20);
  await type('/incident update two --next 30m');
  await pass(20);
  expect([...alone(alice), ...(await inRoom())]).toEqual([]);
  await pass(5);
  expect(alone(alice)).toEqual([expect.stringContaining('is due at 1:05 PM')]);
  await type('/incident resolve fixed --now');
  await pass(60);
  expect(alone(alice)).toEqual(['☑️ No longer owed: the next update of incident 1.']);
  expect(await inRoom()).toEqual([]);
});

test('a commander who is reminded, snoozes and acts before the snooze ends hears nothing more, and neither does the room', async () => {
  const { type, press, alice, alone, inRoom, lastAlone, pass } = await openRemindedVerbs();
  await type('/role assign me commander');
  await type('/incident update we look --next 30m');
  await pass(25);
  await press(lastAlone(alice), 'Snooze 15 min');
  await pass(3);
  await type('/incident update it was the disk');
  await pass(1);
  expect(alone(alice)).toEqual(['☑️ No longer owed: the next update of incident 1.']);
  await pass(30);
  expect(alone(alice)).toHaveLength(1);
  expect(await inRoom()).toEqual([]);
});

test('a press on a reminder that is settled changes nothing, and nobody puts off what is another’s', async () => {
  const { type, alice, bob, alone, lastAlone, pass, jump, place, slack, home, items } = await openRemindedVerbs();
  await type('/role assign me commander');
  await type('/incident update we look --next 30m');
  await pass(25);
  const old = lastAlone(alice);
  // Somebody else sends the same press.
  const about = (await items('userNote'))[0]?.activityItemID ?? '';
  const value = JSON.stringify({ incidentID: '1', kind: 'update', about, audience: 'owner' });
  await forgePress(slack, bob, home.id, { id: 'reminder.stop', value });
  await place.quiet();
  expect(await type('/incident reminders')).not.toContain('is stopped');
  await type('/incident update done', bob);
  await alice.press(old, 'Snooze 15 min').catch(() => undefined);
  await place.quiet();
  await jump(60);
  expect(alone(alice)).toEqual(['☑️ No longer owed: the next update of incident 1.']);
});

test('who has a task that does not move hears of it alone, once a day', async () => {
  const { type, alice, bob, alone, inRoom, jump } = await openRemindedVerbs();
  await type('/role assign me commander');
  await type('/task add look at the pool @bob');
  await jump(239);
  expect(alone(bob)).toEqual([]);
  await jump(1);
  expect(alone(bob)).toEqual([
    expect.stringMatching(
      /Your task has not moved for 4 h: “look at the pool”\nTask 1 of incident 1 “Checkout answers 500” · #.*\n\[Tasks\] \[Snooze 15 min\]/,
    ),
  ]);
  await jump(600);
  expect(alone(bob)).toHaveLength(1);
  await jump(24 * 60);
  expect(alone(bob)).toHaveLength(2);
  await type('/task start 1', bob);
  await jump(1);
  expect(alone(bob).at(-1)).toBe('☑️ No longer owed: a task of incident 1.');
  await type('/task done 1', bob);
  await jump(48 * 60);
  expect(alone(bob)).toHaveLength(2);
  expect([...alone(alice), ...(await inRoom())]).toEqual([]);
});

test('a day after the end the person who led gets the times, what was said and what is open, once', async () => {
  const { type, alice, bob, alone, inRoom, jump } = await openRemindedVerbs();
  await type('/role assign @bob commander');
  await type('/task add *write* it up <!channel>');
  await jump(5);
  await type('/incident resolve The pool was too small. --now');
  await jump(23 * 60);
  expect(alone(bob)).toEqual([]);
  await jump(61);
  const [review = '', ...more] = alone(bob);
  expect(more).toEqual([]);
  for (const fact of [
    'The incident that you led ended a day ago.',
    'It lasted 5 min: Nov 20, 2026 12:15 PM–12:20 PM.',
    'The pool was too small.',
    'Open tasks (1)',
    '*write* it up',
    '[Export record] [Tasks] [Snooze 15 min]',
  ])
    expect(review).toContain(fact);
  await jump(48 * 60);
  await type('/incident label vendor');
  await jump(1);
  expect(alone(bob)).toEqual([review]);
  await type('/incident reopen');
  for (const _ of [1, 2]) await jump(1);
  const [read = ''] = alone(bob);
  expect(read).toContain('The incident that you led ended a day ago');
  expect(read).not.toContain('[');
  expect([...alone(alice), ...(await inRoom())]).toEqual([]);
});

test('nobody is told alone in their quiet hours, by their own clock; the room is, and what is owed comes at their end', async () => {
  // At 13:00 in London it is 8:00 in New York.
  const { type, alice, bob, alone, inRoom, pass } = await openRemindedVerbs({
    settings: { QUIET_HOURS: '22:00-08:00' },
  });
  await type('/role assign @bob commander');
  await type('/incident update we look --next 30m', bob);
  await pass(44);
  expect(await inRoom()).toHaveLength(1);
  expect(alone(bob)).toEqual([]);
  await pass(1);
  expect(alone(bob)).toEqual([expect.stringContaining('The update that you promised was due at 12:45 PM')]);
  expect(alone(alice)).toEqual([]);
});

test('an incident of the gravest severity knows no quiet hours, and what is done meanwhile is not told at their end', async () => {
  // Until 10:00 in New York it is 15:00 in London.
  const { type, bob, alone, pass } = await openRemindedVerbs({ settings: { QUIET_HOURS: '22:00-10:00' } });
  await type('/role assign @bob commander');
  await type('/incident update we look --next 20m', bob);
  await pass(25);
  await type('/incident update it is over', bob);
  await pass(30);
  expect(alone(bob)).toEqual([]);
  await type('/incident severity critical');
  await type('/incident update again --next 20m', bob);
  await pass(15);
  expect(alone(bob)).toHaveLength(1);
});

test.each([
  ['owner', 1, 0],
  ['off', 0, 0],
] as const)('REMINDERS=%s', async (REMINDERS, wanted, room) => {
  const { type, alice, alone, inRoom, pass } = await openRemindedVerbs({ settings: { REMINDERS } });
  await pass(12);
  await type('/role assign me commander');
  await type('/incident update we look --next 30m');
  await pass(60);
  expect(alone(alice)).toHaveLength(wanted);
  expect(await inRoom()).toHaveLength(room);
});

test('nobody outside the room of a private incident is reminded of it, and no guest of what they cannot do: others are', async () => {
  const { type, alice, bob, gus, alone, inRoom, jump } = await openRemindedVerbs({ isPrivate: true });
  await type('/role assign me commander');
  await type('/task add look @bob');
  await type('/task add watch @gus');
  await jump(240);
  expect(alone(bob)).toEqual([]);
  expect(alone(gus)).toEqual([]);
  expect(await inRoom()).toEqual([expect.stringMatching(/The task of @bob has not moved.*I cannot tell @bob/)]);
  expect(alone(alice)).toEqual([expect.stringContaining('The task of @gus has not moved')]);
  await type('/task add mine @alice');
  await jump(240);
  expect(alone(alice)).toHaveLength(2);
});

test('who promised an update is reminded of it also while the room is archived', async () => {
  const { act, type, alice, home, alone, pass } = await openRemindedVerbs();
  await type('/role assign me commander');
  await type('/incident update we look --next 30m');
  await act(() => alice.archive(home));
  await pass(60);
  expect(alone(alice)).toHaveLength(1);
});
