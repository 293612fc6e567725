import { expect, test } from 'vitest';
import { openAlerted } from '../support/alerts/watchdog.ts';
import { declareNow } from '../support/incident-room.ts';
import { openOnDuty } from '../support/on-duty.ts';
import { openOutage } from '../support/outage-room.ts';

const CALL = 'critical:@sre>@sre-leads; label payments:@sre-leads';

test('a declaration calls the first group, and the next one after CALL_AFTER; its end is said once', async () => {
  const { calls, asked, tick, wait, carol, dave, erin, place, alice, home } = await openOnDuty({
    settings: { CALL },
    flags: '--severity critical',
  });
  await tick();
  expect(calls()).toEqual([
    expect.stringMatching(/Called @sre \(2\): … @carol · … @dave – because its severity is critical/),
  ]);
  expect([asked(carol).length, asked(dave).length, asked(erin).length]).toEqual([1, 1, 0]);
  wait(4);
  await tick();
  expect(asked(erin)).toEqual([]);
  wait(1);
  await tick();
  expect(asked(erin)).toHaveLength(1);
  expect(calls()).toEqual([expect.stringMatching(/… @dave → @sre-leads \(1\): … @erin/)]);
  for (let minute = 0; minute < 30; minute += 5) {
    wait(5);
    await tick();
  }
  expect(calls()).toEqual([expect.stringContaining('nobody comes')]);
  const ends = place.reads(alice, home.id).filter(each => each.includes('Nobody answered the call'));
  expect(ends).toEqual([expect.stringContaining('@sre, @sre-leads')]);
  expect([asked(carol).length, asked(dave).length, asked(erin).length]).toEqual([1, 1, 1]);
});

test('once somebody comes, nobody else is called; when they cannot after all, the next group is', async () => {
  const { asked, answer, tick, wait, carol, dave, erin, calls } = await openOnDuty({
    settings: { CALL },
    flags: '--severity critical',
  });
  await tick();
  await answer(carol, 'Coming in 5 min');
  wait(20);
  await tick();
  expect(asked(erin)).toEqual([]);
  await answer(carol, 'Cannot');
  await tick();
  expect(asked(erin)).toHaveLength(1);
  expect(calls()[0]).toContain('✗ @carol · … @dave → @sre-leads (1): … @erin');
  expect(asked(dave)).toHaveLength(1);
});

test('when all of a group cannot, the next one is called at once', async () => {
  const { asked, answer, tick, carol, dave, erin } = await openOnDuty({
    settings: { CALL },
    flags: '--severity critical',
  });
  await tick();
  await answer(carol, 'Cannot');
  await tick();
  expect(asked(erin)).toEqual([]);
  await answer(dave, 'Cannot');
  await tick();
  expect(asked(erin)).toHaveLength(1);
});

test('who speaks in the room is there', async () => {
  const { asked, tick, wait, act, carol, erin, home, calls } = await openOnDuty({
    settings: { CALL },
    flags: '--severity critical',
  });
  await tick();
  wait(2);
  await act(() => void carol.say(home, 'I look at the logs'));
  wait(4);
  await tick();
  expect(asked(erin)).toEqual([]);
  expect(calls()[0]).toContain('✓ @carol is here');
});

test('who acts on the incident is there; what they did before they were asked is no answer', async () => {
  const { asked, tick, wait, type, carol, dave, erin, alice, home, calls, general } = await openOnDuty({
    settings: { CALL },
    flags: '--severity minor',
  });
  await type('/note add customers write to us --incident 1', carol, general);
  wait(1);
  await type('/incident severity critical', alice, home);
  await tick();
  wait(2);
  await type('/role assign me commander', dave, home);
  wait(4);
  await tick();
  expect(calls()).toEqual([expect.stringContaining('Called @sre (2): … @carol · ✓ @dave is here')]);
  expect(asked(erin)).toEqual([]);
});

test.each([
  ['a raise', '', '/incident severity critical', 1],
  ['a raise past it', '--severity minor', '/incident severity major', 0],
  ['a label', '', '/incident label payments', 1],
  ['another label', '', '/incident label mail', 0],
  ['a raise of a drill', '--drill', '/incident severity critical', 0],
  ['a raise of a private incident', '--private', '/incident severity critical', 0],
  ['a drill that turns out to be real', '--drill --severity critical', '/incident drill off', 1],
  ['a task', '', '/task add look at it', 0],
] as const)('%s begins a chain, or not', async (_name, flags, line, count) => {
  const { type, tick, asked, carol, erin, alice, home, wait } = await openOnDuty({ settings: { CALL }, flags });
  await tick();
  expect([...asked(carol), ...asked(erin)]).toEqual([]);
  await type(line, alice, home);
  await tick();
  wait(1);
  await tick();
  const first = line.includes('label') ? erin : carol;
  expect(asked(first)).toHaveLength(count);
});

test('a chain is called once for an incident, however often its severity goes up', async () => {
  const { type, tick, asked, answer, carol } = await openOnDuty({ settings: { CALL }, flags: '--severity critical' });
  await tick();
  await answer(carol, 'Coming in 5 min');
  await type('/incident severity minor');
  await type('/incident severity critical');
  await tick();
  expect(asked(carol)).toHaveLength(1);
});

test('neither a drill nor a private incident is called, unless a person in the room asks', async () => {
  for (const flags of ['--drill --severity critical', '--private --severity critical']) {
    const { type, tick, wait, asked, carol, erin, alice, home } = await openOnDuty({ settings: { CALL }, flags });
    await tick();
    wait(10);
    await tick();
    expect([...asked(carol), ...asked(erin)], flags).toEqual([]);
    await type('/incident call @sre', alice, home);
    expect(asked(carol), flags).toHaveLength(1);
  }
});

test('an incident that ends calls nobody more', async () => {
  const { type, tick, wait, asked, erin } = await openOnDuty({ settings: { CALL }, flags: '--severity critical' });
  await tick();
  await type('/incident resolve restarted --now');
  wait(10);
  await tick();
  expect(asked(erin)).toEqual([]);
});

test('a group that does not exist is said in the room, and the chain goes on', async () => {
  const { tick, asked, erin, place, alice, home } = await openOnDuty({
    settings: { CALL: 'critical:@nobody>@sre-leads' },
    flags: '--severity critical',
  });
  await tick();
  await tick();
  expect(place.reads(alice, home.id).filter(each => each.includes('There is no group @nobody'))).toHaveLength(1);
  expect(asked(erin)).toHaveLength(1);
});

test('an alert that declares calls', async () => {
  const settings = { ALERTS_DECLARE: 'critical', CALL: 'critical:@sre' };
  const { notice, slack, carol, place } = await openAlerted({ settings });
  slack.addUserGroup({ handle: 'sre', members: [carol] });
  await notice();
  await place.muster.bot.journal.tick();
  await place.quiet();
  await place.muster.bot.journal.tick();
  await place.quiet();
  expect(place.reads(carol, slack.openDm(carol).id).join()).toContain(
    'You are called, because its severity is critical',
  );
});

test('while the API is away, an incident calls, and its number comes later', async () => {
  const { slack, place, goAway, comeBack, alice, bob, general, room, type, act } = await openOutage({
    settings: { CALL: 'critical:@sre' },
  });
  const carol = slack.addPerson({ name: 'carol' });
  slack.addUserGroup({ handle: 'sre', members: [carol] });
  goAway();
  await type('/incident declare Disk is full --severity critical --now');
  for (let step = 0; step < 3; step += 1) {
    await place.muster.bot.journal.tick();
    await place.quiet();
  }
  const reads = () => place.reads(carol, slack.openDm(carol).id);
  expect(reads()).toEqual([expect.stringContaining('Disk is full')]);
  await type('/incident call @bob come', alice, room().name);
  expect(place.reads(bob, slack.openDm(bob).id).join()).toContain('@alice calls you');
  const message = place.messages(carol, slack.openDm(carol).id)[0];
  if (!message) throw new Error('carol was not asked');
  await act(() => carol.press(message, 'Coming in 5 min'));
  await comeBack();
  await place.muster.bot.journal.tick();
  await place.quiet();
  const lines = place.reads(alice, room().name).filter(each => each.includes('📟'));
  expect(lines[0]).toContain('✓ @carol in 5 min');
  expect(reads().filter(each => each.includes('[Cannot]'))).toHaveLength(1);
  expect(general).toBeDefined();
});

test('the card of an incident that is not registered offers Call, and a call by it comes along', async () => {
  const { slack, place, goAway, comeBack, alice, bob, room, type, act } = await openOutage();
  goAway();
  await type('/incident declare Disk is full --severity critical --now');
  const [card] = place.messages(alice, room().name);
  if (!card) throw new Error('There is no card');
  await act(() => alice.press(card, 'Call'));
  await act(() => alice.submit({ person: bob.id, why: 'it is full' }));
  const asked = () => place.reads(bob, slack.openDm(bob).id).filter(each => each.includes('calls you'));
  expect(asked()).toEqual([expect.stringContaining('Disk is full')]);
  // A card that somebody still has on the screen.
  const old = structuredClone(card);
  await comeBack();
  await act(() => alice.press(old, 'Call'));
  expect(JSON.stringify(alice.view)).toContain('Call people');
  expect(JSON.stringify(alice.view)).toContain('incident 1');
  await act(() => alice.submit({ person: bob.id }));
  const lines = place.reads(alice, room().name).filter(each => each.includes('📟 Called'));
  expect(lines).toEqual([expect.stringMatching(/@bob.*by @alice: it is full/)]);
});

test('two incidents call on their own', async () => {
  const { tick, asked, carol, place, alice, general } = await openOnDuty({
    settings: { CALL },
    flags: '--severity critical',
  });
  await tick();
  await declareNow(place, alice, general, 'Mail is down --severity critical');
  await tick();
  expect(asked(carol)).toHaveLength(2);
});

test('who was called by another chain is said so, and the answer counts for both', async () => {
  const { type, tick, wait, asked, answer, calls, carol, dave, erin, alice, home } = await openOnDuty({
    settings: { CALL: 'critical:@sre>@sre-leads; label payments:@sre>@sre-leads' },
    flags: '--severity critical',
  });
  await tick();
  wait(1);
  await type('/incident label payments', alice, home);
  await tick();
  expect(calls()[1]).toMatch(/Called @sre \(2\): … @carol \(called before\) · … @dave \(called before\) – /);
  expect([...asked(carol), ...asked(dave)]).toHaveLength(2);
  await answer(carol, 'Coming in 5 min');
  for (const line of calls()) expect(line).toContain('✓ @carol in 5 min');
  for (const _ of [1, 2, 3]) {
    wait(5);
    await tick();
  }
  expect(asked(erin)).toEqual([]);
});

test('a group of people who were called, cannot be called, or are none, is never called with 0', async () => {
  const { tick, wait, calls, place, alice, home, slack, leads, carol, dave, gus } = await openOnDuty({
    settings: { CALL: 'critical:@sre>@sre-leads>@guests>@nobody' },
    flags: '--severity critical',
  });
  slack.addUserGroup({ handle: 'guests', members: [gus] });
  slack.addUserGroup({ handle: 'nobody' });
  slack.setGroupMembers(leads.id, [carol, dave]);
  await tick();
  for (const _ of [1, 2, 3]) {
    wait(5);
    await tick();
  }
  expect(calls()[0]).toMatch(/@sre \(2\): … @carol · … @dave → @sre-leads \(nobody new\) → @guests \(nobody new\)/);
  expect(calls()[0]).not.toContain('(0)');
  const reads = place.reads(alice, home.id).join('\n');
  expect(reads).toContain('Nobody in @guests can be called');
  expect(reads).toContain('Nobody answered the call to');
});
