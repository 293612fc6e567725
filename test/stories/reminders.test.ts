import { expect, test } from 'vitest';
import { openOutage } from '../support/outage-room.ts';
import { openReminded } from '../support/reminded.ts';

const row = '[Update] [Snooze 15 min] [Snooze 30 min] [Snooze 60 min] [Stop]';

test('80 minutes of an overdue promise: its owner before, the room when it is due and once more, and nothing else', async () => {
  const { type, alice, bob, alone, inRoom, pass, jump } = await openReminded();
  await type('/role assign me commander');
  await type('/incident update we look at the logs --next 30m');
  await pass(24);
  expect([...alone(alice), ...inRoom()]).toEqual([]);
  await pass(1);
  const told = [
    ':alarm_clock: The update that you promised is due at 12:45 PM.',
    `Incident 1 “Checkout answers 500” · #inc-1-checkout-answers-500`,
    row,
  ].join('\n');
  expect(alone(alice)).toEqual([told]);
  expect(inRoom()).toEqual([]);
  await pass(5);
  const first = `:alarm_clock: An update was due at 12:45 PM. @alice promised it.\n${row}`;
  expect(inRoom()).toEqual([first]);
  await pass(15);
  const second = `:alarm_clock: The update that was due at 12:45 PM is still owed. @alice promised it.\n${row}`;
  // Only the last reminder has buttons.
  const earlier = first.slice(0, -row.length - 1);
  expect(inRoom()).toEqual([earlier, second]);
  await pass(65);
  // Neither is it called settled after days in which nobody posts one.
  await jump(72 * 60);
  await type('/incident label vendor');
  await jump(1);
  expect(inRoom()).toEqual([earlier, second]);
  expect(alone(alice)).toEqual([told]);
  expect(alone(bob)).toEqual([]);
});

test('after an outage past the due time the room alone is told, and the list says so', async () => {
  const { type, alice, alone, inRoom, jump, pass } = await openReminded();
  await type('/role assign me commander');
  await type('/incident update we look at the logs --next 30m');
  await jump(33);
  expect(inRoom()).toEqual([expect.stringContaining('An update was due at 12:45 PM. @alice promised it.')]);
  expect(alone(alice)).toEqual([]);
  const list = await type('/incident reminders');
  expect(list).toContain('@alice alone was not reminded, since this channel was');
  await pass(60);
  expect(alone(alice)).toEqual([]);
  expect(inRoom()).toHaveLength(2);
  await type('/incident update it was the disk');
  await jump(1);
  expect(alone(alice)).toEqual([]);
});

test('who posts the update ends it, whoever that is: what reminded says so, and nobody hears more', async () => {
  const { type, alice, bob, alone, inRoom, pass, jump } = await openReminded();
  await type('/role assign me commander');
  await type('/incident update we look at the logs --next 30m');
  await pass(31);
  expect(alone(alice)).toHaveLength(1);
  expect(inRoom()).toHaveLength(1);
  await type('/incident update it was the disk', bob);
  await jump(1);
  expect(alone(alice)).toEqual(['☑️ No longer owed: the next update of incident 1.']);
  expect(inRoom()).toEqual(['☑️ No longer owed: the next update of incident 1.']);
  await pass(40);
  expect(alone(alice)).toHaveLength(1);
  expect(inRoom()).toHaveLength(1);
});

test('Snooze puts off one reader’s reminder alone, and the room reads who pressed it', async () => {
  const { type, press, alice, bob, alone, inRoom, lastAlone, lastInRoom, pass, home, place, act } =
    await openReminded();
  await type('/role assign me commander');
  await type('/incident update we look --next 30m');
  await pass(25);
  await act(() => alice.press(lastAlone(alice), 'Snooze 15 min'));
  expect(alone(alice)).toEqual([`🔕 Snoozed until 12:55 PM: the next update of incident 1.\n${row}`]);
  await pass(5);
  expect(inRoom()).toEqual([expect.stringContaining('An update was due at 12:45 PM')]);
  expect(await press(lastInRoom(), 'Snooze 30 min', bob)).toBe(
    '🔕 Snoozed until 1:15 PM: the next update of incident 1.',
  );
  expect(inRoom()).toEqual([
    expect.stringMatching(/An update was due at 12:45 PM.*\n🔕 @bob snoozed this until 1:15 PM\.\n\[Update\]/),
  ]);
  await pass(10);
  expect(alone(alice)).toHaveLength(2);
  expect(alone(alice)[1]).toContain('The update that you promised was due at 12:45 PM');
  await pass(15);
  expect(inRoom()).toHaveLength(1);
  await pass(5);
  expect(inRoom()).toHaveLength(2);
  await pass(60);
  expect(inRoom()).toHaveLength(2);
  expect(alone(alice)).toHaveLength(2);
  expect(place.reads(bob, home.id).join('\n')).not.toContain('you promised');
});

test('Stop ends the reminders to one reader, until there is a new promise', async () => {
  const { type, press, alice, bob, alone, inRoom, lastAlone, lastInRoom, pass, act } = await openReminded();
  await type('/role assign me commander');
  await type('/incident update we look --next 30m');
  await pass(25);
  await act(() => alice.press(lastAlone(alice), 'Stop'));
  expect(alone(alice)).toEqual(['🔕 Stopped: nothing more reminds of the next update of incident 1.\n[Update]']);
  await pass(5);
  await press(lastInRoom(), 'Stop', bob);
  expect(inRoom()).toEqual([expect.stringMatching(/\n🔕 @bob stopped these reminders\.$/)]);
  await pass(60);
  expect(alone(alice)).toHaveLength(1);
  expect(inRoom()).toHaveLength(1);
  await type('/incident update again --next 30m');
  await pass(30);
  expect(alone(alice)).toHaveLength(2);
  expect(inRoom()).toHaveLength(2);
});

test('the room reads that nobody leads, with the way to take command, once more after as long, and then no more', async () => {
  const { type, press, bob, inRoom, lastInRoom, pass } = await openReminded();
  await pass(9);
  expect(inRoom()).toEqual([]);
  await pass(1);
  const words = ':alarm_clock: Nobody has led this incident for 10 min.\n[Take command] [Snooze 15 min]';
  expect(inRoom()).toEqual([expect.stringContaining(words)]);
  await pass(50);
  expect(inRoom()).toHaveLength(2);
  await press(lastInRoom(), 'Take command', bob);
  expect(inRoom().at(-1)).toBe('☑️ No longer owed: the lead of incident 1.');
  await type('/role leave', bob);
  await pass(11);
  expect(inRoom()).toHaveLength(3);
});

test('an incident of the gravest severity is reminded of its lead after three minutes', async () => {
  const { type, inRoom, pass } = await openReminded({ flags: '--severity critical' });
  await pass(3);
  expect(inRoom()).toEqual([expect.stringContaining('for 3 min')]);
  await type('/incident resolve --now');
  await pass(10);
  expect(inRoom()).toHaveLength(1);
});

test('the person who leads hears of a silence; talk in the room and any act end it', async () => {
  const { act, type, alice, bob, home, alone, inRoom, pass } = await openReminded({ flags: '--severity major' });
  await type('/role assign me commander');
  await pass(50);
  await act(() => bob.say(home, 'still looking'));
  await pass(59);
  expect(alone(alice)).toEqual([]);
  await pass(1);
  expect(alone(alice)).toEqual([
    expect.stringMatching(/Nobody has said anything for 1 h\. Post an update[\s\S]*\[Update\] \[Snooze 15 min\]/),
  ]);
  await act(() => bob.say(home, 'it is the pool'));
  await pass(1);
  expect(alone(alice)).toEqual(['☑️ No longer owed: news of incident 1.']);
  await pass(30);
  await type('/note add the pool is full', bob);
  await pass(59);
  expect(alone(alice)).toHaveLength(1);
  await pass(2);
  expect(alone(alice)).toHaveLength(2);
  expect(inRoom()).toEqual([]);
});

test('/incident reminders says what is owed next and to whom, and sets it for one room', async () => {
  const { type, alice, alone, inRoom, pass } = await openReminded();
  await type('/role assign me commander');
  await type('/incident update we look --next 30m');
  const list = await type('/incident reminders');
  expect(list).toContain('the next update, due 12:45 PM: reminds @alice alone in 25 min');
  expect(list).toContain('the next update, due 12:45 PM: reminds this channel then');
  expect(await type('/incident remind sometimes')).toContain('“sometimes” is not one of the three ways.');
  expect(await type('/incident reminders owner')).toContain('the channel never is');
  await pass(31);
  expect(alone(alice)).toHaveLength(1);
  expect(inRoom()).toEqual([]);
  expect(await type('/incident nudge off')).toContain('nobody is reminded');
  await pass(1);
  expect(alone(alice)).toEqual(['☑️ No longer owed: the next update of incident 1.']);
  expect(await type('/incident reminders')).toContain('Nothing is owed here now.');
});

test('what is owed on another day has its day in the list', async () => {
  const { type } = await openReminded();
  await type('/role assign me commander');
  await type('/incident resolve fixed --now');
  expect(await type('/incident reminders')).toMatch(
    /the look back, due Nov 21, 2026 \d+:\d\d [AP]M: reminds @alice alone then/,
  );
});

test('an update that waits for the API is asked for by nobody', async () => {
  let now = new Date('2026-11-20T02:10:00Z');
  const { place, alice, type, room, goAway, comeBack, readsAll } = await openOutage({
    clock: () => now,
    settings: { REMINDERS: 'on', QUIET_HOURS: 'off' },
  });
  await type('/incident declare Checkout answers 500 --now');
  const home = room().name;
  await type('/role assign me commander', alice, home);
  await type('/incident update we look --next 30m', alice, home);
  goAway();
  await type('/incident update it is the pool', alice, home);
  for (let times = 0; times < 12; times += 1) {
    now = new Date(now.getTime() + 5 * 60_000);
    await place.muster.bot.journal.tick();
    await place.quiet();
  }
  await comeBack();
  await place.muster.bot.journal.tick();
  await place.quiet();
  expect(readsAll().filter(each => each.includes(':alarm_clock:'))).toEqual([]);
});

test('a reminder that is over has no buttons, wherever and however often it was posted', async () => {
  const { type, alice, alone, inRoom, pass, jump } = await openReminded();
  const buttons = () => [...alone(alice), ...inRoom()].filter(each => each.includes('[Snooze'));
  await type('/role assign me commander');
  await type('/task add look at the disk @alice');
  await type('/incident update we look at the logs --next 30m');
  await pass(46);
  expect(inRoom()).toHaveLength(2);
  for (const _ of [1, 2, 3]) await jump(25 * 60);
  const ofTask = alone(alice).filter(each => /task/i.test(each));
  expect(ofTask.length).toBeGreaterThan(2);
  expect(ofTask.filter(each => each.includes('[Snooze'))).toHaveLength(1);
  expect(ofTask[0]).toContain('reminded you again, below: a task of incident 1');
  await type('/incident resolve fixed --now');
  await pass(2);
  expect(buttons()).toEqual([]);
});
