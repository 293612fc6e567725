import { expect, test } from 'vitest';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { playHour } from '../support/room-scenes.ts';

test('who joins an hour late gets one line alone, and one press tells how it stands', async () => {
  const { carol, bob, home, last, press, reads, alone, act, slack } = await playHour(
    await openIncident({ settings: { PAGES: 'open' } }),
  );
  const said = bob.say(home, 'The pool is full');
  await act(() => bob.react(said, 'memo'));
  const before = home.messages.filter(each => each.ephemeralTo === undefined && !each.subtype).length;
  await act(() => carol.join(home.id));
  expect(reads(carol)).toBe('This incident has been going on for 1 h: “Checkout answers 500”.\n[Catch me up]');
  await press(last(carol), 'Catch me up', carol);
  const brief = renderView(slack, carol.view!);
  for (const fact of [
    '== Catch-up ==',
    /Incident 1 “Checkout answers 500” \(https:\S+\) \(🟠 major\) has been active for 1 h\. Commander: bob\.\n/,
    /\nLatest update: Rolling back release 1141\. Next update due at 1:00 PM\.\n/,
    /Updates\n• 12:30 PM Rolling back release 1141 · bob · open \(https:\S+#activity-item-\d+\)/,
    /Decision: we roll back before we look further · bob · (message|open)/,
    /Tasks: 1 open \(1 done\)\n• ⬜ 1\. Call the bank · for alice/,
    /Not shown: 2 notes, \d+ other changes\. See the Full timeline \(https:\S+#timeline\), or type \/incident timeline 1\./,
  ])
    expect(brief).toMatch(fact);
  expect(brief.length).toBeLessThan(3000);
  carol.leave(home.id);
  await act(() => carol.join(home.id));
  expect(alone(carol).filter(each => each.includes('has been going on'))).toHaveLength(1);
  expect(home.messages.filter(each => each.ephemeralTo === undefined && !each.subtype)).toHaveLength(before);
});

test('twenty who join at once cost a bounded number of calls, and those who are passed over are told later', async () => {
  const { slack, home, place, wait, act } = await playHour(await openIncident());
  const many = Array.from({ length: 20 }, (_, at) => slack.addPerson({ name: `late-${at}` }));
  const before = slack.calls.length;
  for (const each of many) each.join(home.id);
  await place.quiet();
  const calls = slack.calls.slice(before).filter(each => /postEphemeral|postMessage|users\.info/.test(each.method));
  expect(calls.filter(each => each.method === 'chat.postEphemeral')).toHaveLength(10);
  expect(calls.length).toBeLessThanOrEqual(30);
  const passed = many.at(-1)!;
  wait(2);
  passed.leave(home.id);
  await act(() => passed.join(home.id));
  expect(place.reads(passed, home.id).join('\n')).toContain('[Catch me up]');
});

test('--post shows it to the room, once, and mentions nobody', async () => {
  const { type, alice, bob, carol, general, home, place, gus } = await playHour(await openIncident());
  const posted = () =>
    home.messages.filter(each => each.ephemeralTo === undefined && each.text.includes('has been active for'));
  expect(await type('/incident catchup --post')).toBe('Posted for everybody in this channel.');
  expect(posted()).toHaveLength(1);
  expect(place.reads(bob, home.id).join('\n')).toContain('Asked for by @alice');
  expect(JSON.stringify(posted()[0]?.blocks)).not.toMatch(/<@|<!(?!date)/);
  expect(await type('/incident catchup since 40m ago --post', bob)).toContain('Posted');
  expect(posted()).toHaveLength(2);
  expect(posted()[1]?.text).not.toContain('Decision:');
  expect(await type('/incident catchup --post --incident 1', carol, general)).toContain('Type it there.');
  expect(await type('/incident catchup --post', gus)).toContain('guests cannot');
  expect(posted()).toHaveLength(2);
  // The button below an answer posts that one.
  await type('/incident catchup from the start', alice);
  const answer = place.messages(alice, home.id).at(-1)!;
  await Promise.all([alice.press(answer, 'Post to channel'), alice.press(answer, 'Post to channel')]);
  await place.quiet();
  expect(posted()).toHaveLength(3);
});

test('a handover at the end of a shift brings its brief', async () => {
  const { type, bob, carol, readsDirect: direct, home, place, wait } = await playHour(await openIncident());
  const known = direct(bob).length;
  expect(await type('/role handover @carol', bob)).toMatch(
    /You handed command to @carol\.\nI invited @carol to \S+\n\[Undo\]/,
  );
  // Who hands over gets no brief, and the room one line.
  expect(direct(bob)).toHaveLength(known);
  expect(place.reads(bob, home.id).filter(each => each.includes('@bob handed'))).toEqual([
    ':bust_in_silhouette: @bob handed command to @carol',
  ]);
  const brief = direct(carol).at(-1) ?? '';
  for (const fact of [
    '@bob handed you command.',
    'commander: Owns the incident',
    'Incident 1 “Checkout answers 500” (🟠 major) has been active for 1 h. Commander: carol.\nLatest update: Rolling back release 1141.',
    'Call the bank',
    'Decision: we roll back',
    '[Roles] [Catch me up]',
  ])
    expect(brief).toContain(fact);
  // The room offers it no more.
  expect(place.reads(carol, home.id).join('\n')).not.toContain('has been going on');
  await type('/incident status', carol);
  wait(20);
  await type('/note The bank has called back', bob);
  await type('/role handover @bob', carol);
  await type('/role handover @carol', bob);
  const second = direct(carol).at(-1) ?? '';
  expect(second).not.toContain('since');
  expect(second).toContain('Rolling back release 1141');
  expect(second).toContain('Decision: we roll back');
});

test('while the API is away it says how it was, and that nobody can say what is new', async () => {
  const { type, room, bob, goAway, comeBack, act } = await openOutage();
  await type('/incident declare Checkout answers 500 --now');
  const home = room();
  await act(() => bob.join(home.id));
  await type('/task add Call the vendor', bob, home.name);
  goAway();
  const said = await type('/incident catchup', bob, home.name);
  expect(said).toContain('cannot be reached');
  expect(said).toContain('I cannot say what else is new');
  expect(said).toContain('Tasks: 1 open');
  await comeBack();
  expect(await type('/incident catchup from the start', bob, home.name)).toContain('Call the vendor');
});

test('an incident that is not registered yet says so', async () => {
  const { type, room, alice, goAway } = await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  expect(await type('/incident catchup', alice, room().name)).toContain('not registered yet');
});

test('who is brought in late, by an invitation or a role, finds the way to it', async () => {
  const {
    type,
    bob,
    carol,
    slack,
    home,
    place,
    readsDirect: direct,
    general,
    act,
  } = await playHour(await openIncident());
  await act(() => bob.invite(home, carol));
  expect(place.reads(carol, home.id).at(-1)).toContain('[Catch me up]');
  const dora = slack.addPerson({ name: 'dora' });
  dora.join(general.id);
  await type('/role assign @dora observer', bob);
  expect(direct(dora).at(-1)).toContain('[Roles] [Catch me up]');
  expect(direct(dora).at(-1)).not.toContain('has been active');
});
