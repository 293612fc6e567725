import { expect, test } from 'vitest';
import type { Person } from '../../src/fake-slack/fake-slack.ts';
import { forgePress } from '../support/forged-press.ts';
import { grants } from '../support/grants.ts';
import { openOnDuty } from '../support/on-duty.ts';
import { openInstalledSlack } from '../support/workplace.ts';

test('a group is called: its members come in and are asked, a guest is left out, and one line shows who comes', async () => {
  const { type, calls, asked, readsDirectly, answer, slack, home, carol, dave, gus, alice } = await openOnDuty();
  const receipt = await type('/incident call @sre the database is down');
  expect(calls()).toEqual([
    expect.stringMatching(/Called @sre \(2\): … @carol · … @dave – by @alice: the database is down/),
  ]);
  for (const person of [carol, dave]) {
    expect(home.members.has(person.id)).toBe(true);
    expect(asked(person)).toHaveLength(1);
    for (const fact of ['Incident 1', 'Checkout answers 500', '@alice calls you', 'the database is down'])
      expect(readsDirectly(person)).toContain(fact);
  }
  expect(asked(gus)).toEqual([]);
  expect(receipt).toContain('@gus is a guest');
  expect(slack.callsOf('conversations.invite').filter(each => String(each.args.users).includes(carol.id))).toHaveLength(
    1,
  );

  expect(await answer(carol, 'Coming in 5 min')).toContain('you come in 5 min');
  expect(await answer(dave, 'Cannot')).toContain('cannot come');
  expect(calls()).toEqual([expect.stringContaining('✓ @carol in 5 min · ✗ @dave')]);
  await answer(dave, 'In 30 min');
  expect(calls()).toEqual([expect.stringContaining('✓ @carol in 5 min · ✓ @dave in 30 min')]);
  // A line that is edited notifies nobody anew, and nothing else was said.
  expect(asked(alice)).toEqual([]);
});

test('the line mentions each once, as people and not as a group, and never who calls', async () => {
  const { type, home, carol, dave, alice, sre } = await openOnDuty();
  await type('/incident call @sre');
  const line = home.messages.find(each => each.text.includes('Called'))?.text ?? '';
  for (const person of [carol, dave]) expect(line.split(`<@${person.id}>`)).toHaveLength(2);
  expect(line).not.toContain(`<@${alice.id}>`);
  expect(line).not.toContain(sre.id);
});

test('Open catches the person who is called up, and says who else is called', async () => {
  const { type, answer, carol, dave, place, slack } = await openOnDuty();
  await type('/note add The pool is full');
  await type('/incident call @carol @dave');
  await answer(dave, 'In 15 min');
  await answer(carol, 'Open');
  const read = place.reads(carol, slack.openDm(carol).id).join('\n');
  expect(read).toContain('Catch-up on incident 1 “Checkout answers 500”, from the start');
  expect(read).toContain('The pool is full · alice');
  expect(read).toMatch(
    /Called: (?:carol \(no answer yet\), dave \(coming\)|dave \(coming\), carol \(no answer yet\))\./,
  );
});

test('a call that nobody answers is told once to the caller alone, until somebody does', async () => {
  const { type, answer, asked, alice, bob, carol, dave, readsDirectly, tick, wait } = await openOnDuty({
    settings: { REMINDERS: 'on' },
  });
  const told = () => asked(alice).filter(each => each.text.includes('Nobody has answered'));
  await type('/incident call @carol @dave');
  wait(4);
  await tick();
  expect(told()).toEqual([]);
  await answer(dave, 'Cannot');
  wait(1);
  await tick();
  expect(told()).toHaveLength(1);
  expect(readsDirectly(alice)).toMatch(/Nobody has answered your call for 5 min.*[\s\S]*\[Call others\]/);
  for (const _ of [1, 2, 3]) {
    wait(30);
    await tick();
  }
  expect([told().length, asked(bob).length]).toEqual([1, 0]);
  await answer(carol, 'Coming in 5 min');
  await tick();
  expect(readsDirectly(alice)).toContain('No longer owed: an answer to a call of incident 1');
});

test('a call that is answered in time, or taken back, reminds nobody', async () => {
  const { type, answer, asked, alice, carol, dave, press, last, tick, wait } = await openOnDuty({
    settings: { REMINDERS: 'on' },
  });
  await type('/incident call @dave');
  await press(last(), 'Undo');
  await type('/incident call @carol');
  await answer(carol, 'In 30 min');
  for (const _ of [1, 2]) {
    wait(10);
    await tick();
  }
  expect(asked(alice).filter(each => each.text.includes('answered'))).toEqual([]);
  expect(asked(dave)).toHaveLength(1);
});

/** What is typed behind `/incident call`, who is asked, and the reason. */
test.each([
  ['@carol', 'c', ''],
  ['@carol @dave', 'cd', ''],
  ['@carol and @dave', 'cd', ''],
  ['@carol, @dave: the disk is full', 'cd', 'the disk is full'],
  ['@sre @carol because nobody answers', 'cd', 'nobody answers'],
  ['@sre-leads', 'e', ''],
  ['@sre and @erin come', 'cde', 'come'],
  ['@sre, @erin: come', 'cde', 'come'],
  ['@sre @erin come', 'cde', 'come'],
  ['@erin and @sre come', 'cde', 'come'],
  ['@sre @sre-leads come', 'cde', 'come'],
  ['@carol @alice', 'c', ''],
  ['the disk is full @carol', 'c', 'the disk is full'],
  ['1 @carol the disk is full', 'c', 'the disk is full'],
] as const)('“/incident call %s” asks %s', async (typed, who, why) => {
  const { type, calls, asked, carol, dave, erin, alice } = await openOnDuty();
  await type(`/incident call ${typed}`);
  const people: Readonly<Record<string, Person>> = { c: carol, d: dave, e: erin };
  for (const [letter, person] of Object.entries(people))
    expect(asked(person), person.name).toHaveLength(who.includes(letter) ? 1 : 0);
  expect(asked(alice)).toEqual([]);
  expect(calls()[0]).toContain(`by @alice${why === '' ? '' : `: ${why}`}`);
});

test.each([
  ['@nobody come', /I do not know @nobody.*Nobody was called/s],
  ['@gone come', /no group @gone|I do not know @gone/],
])('“/incident call %s” calls nobody and gives the words back', async (typed, says) => {
  const { type, calls, slack } = await openOnDuty();
  slack.addUserGroup({ handle: 'gone', isDisabled: true });
  const answer = await type(`/incident call ${typed}`);
  expect(answer).toMatch(says);
  expect(answer).toContain('come');
  expect(calls()).toEqual([]);
});

test('an answer is said back in one sentence, with the channel to which one comes', async () => {
  const { type, answer, carol } = await openOnDuty();
  await type('/incident call @sre');
  expect(await answer(carol, 'Coming in 5 min')).toMatch(/that you come in 5 min · #inc-1-checkout-answers-500\n/);
  expect(await answer(carol, 'Cannot')).toMatch(/that you cannot come\.\n/);
});

test('who is in a group is asked at the moment of the call, and the list of groups once', async () => {
  const { type, slack, sre, asked, carol, dave, wait } = await openOnDuty();
  for (let at = 0; at < 2000; at += 1) slack.addUserGroup({ handle: `group-${at}` });
  expect(slack.callsOf('usergroups.list')).toEqual([]);
  slack.setGroupMembers(sre.id, [carol]);
  await type('/incident call @sre');
  slack.setGroupMembers(sre.id, [carol, dave]);
  wait(6);
  await type('/incident call @sre');
  expect([asked(carol).length, asked(dave).length]).toEqual([2, 1]);
  expect(slack.callsOf('usergroups.list')).toHaveLength(1);
});

test('a group of 30 is called with one invitation; a larger one is refused with its number', async () => {
  const { type, calls, slack, sre, asked } = await openOnDuty();
  const many = Array.from({ length: 31 }, (_, at) => slack.addPerson({ name: `p${at}` }));
  const before = slack.callsOf('conversations.invite').length;
  slack.setGroupMembers(sre.id, many);
  expect(await type('/incident call @sre')).toContain('at most 30 people, and @sre are 31');
  expect(calls()).toEqual([]);
  slack.setGroupMembers(sre.id, many.slice(0, 30));
  await type('/incident call @sre');
  expect(many.map(each => asked(each).length)).toEqual([...Array(30).fill(1), 0]);
  expect(slack.callsOf('conversations.invite')).toHaveLength(before + 1);
  expect(calls()[0]).toContain('@sre (30)');
});

test('who is in the room already is mentioned alone; who was asked a moment ago is not asked again', async () => {
  const { type, calls, asked, bob, carol, answer, wait } = await openOnDuty();
  await type('/incident call @bob @carol');
  expect(asked(bob)).toEqual([]);
  expect(calls()[0]).toContain('✓ @bob is here · … @carol');
  expect(await type('/incident call @carol now')).toContain('@carol is asked already');
  wait(6);
  await type('/incident call @carol now');
  expect(asked(carol)).toHaveLength(2);
  await answer(carol, 'Coming in 5 min');
  expect(await type('/incident call @carol again')).toContain('@carol comes already');
  expect(asked(carol)).toHaveLength(2);
});

test('bots, deactivated accounts and strangers are not called, and the caller reads why', async () => {
  const { type, slack, sre, calls, asked } = await openOnDuty();
  const left = slack.addPerson({ name: 'left', deleted: true });
  const stranger = slack.addPerson({ name: 'stranger', isStranger: true });
  slack.setGroupMembers(sre.id, [left, stranger]);
  const receipt = await type('/incident call @sre');
  expect(receipt).toContain('Nobody was called');
  expect(receipt).toContain('@left has left');
  expect(receipt).toContain('another workspace');
  expect(calls()).toEqual([]);
  for (const person of [left, stranger]) expect(asked(person)).toEqual([]);
});

test('an answer of somebody who was not called does not count; one after the end says so', async () => {
  const { type, calls, asked, answer, slack, home, carol } = await openOnDuty();
  const wendy = slack.person('wendy');
  await type('/incident call @carol');
  const [message] = asked(carol);
  const [, value = ''] =
    /"action_id":"call\.coming".*?"value":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(message?.blocks)) ?? [];
  await forgePress(slack, wendy, home.id, { id: 'call.coming', value: JSON.parse(`"${value}"`) });
  await expect.poll(() => calls()).toEqual([expect.stringContaining('… @carol')]);
  await type('/incident resolve restarted --now');
  expect(await answer(carol, 'Coming in 5 min')).toContain('is over');
  expect(calls()[0]).toContain('… @carol');
});

test('who comes in on their own is there', async () => {
  const { type, calls, act, home, carol, slack } = await openOnDuty();
  slack.fail('conversations.invite', { error: 'restricted_action' });
  expect(await type('/incident call @carol')).toContain('I could not invite @carol');
  expect(calls()[0]).toContain('… @carol');
  await act(() => carol.join(home.id));
  expect(calls()).toEqual([expect.stringContaining('✓ @carol is here')]);
});

test('Undo strikes the line and tells those who were asked, while nobody has answered', async () => {
  const { type, press, last, calls, readsDirectly, answer, carol, dave } = await openOnDuty();
  await type('/incident call @carol @dave');
  await press(last(), 'Undo');
  expect(calls()).toEqual([expect.stringMatching(/@alice took this back/)]);
  for (const person of [carol, dave]) {
    expect(readsDirectly(person)).toContain('taken back');
    expect(readsDirectly(person)).not.toContain('[');
  }
  await type('/incident call @carol @dave');
  await answer(carol, 'Cannot');
  expect(await press(last(), 'Undo')).toContain('somebody has answered');
  expect(calls().at(-1)).not.toContain('took this back');
});

test('the form on the card calls a group and a person, with a reason', async () => {
  const { press, card, submit, sre, erin, calls, asked, carol } = await openOnDuty();
  await press(card(), 'Call');
  expect(await submit({})).toMatchObject({ body: { errors: { person: expect.any(String) } } });
  await submit({ group: sre.id, person: erin.id, why: 'the queue grows' });
  expect(calls()).toEqual([
    expect.stringMatching(/@sre \(2\): … @carol · … @dave, … @erin – by @alice: the queue grows/),
  ]);
  expect([asked(carol).length, asked(erin).length]).toEqual([1, 1]);
});

test('CALLERS: only members of that group call', async () => {
  const { type, calls, alice, leads, slack, wait } = await openOnDuty({ settings: { CALLERS: '@sre-leads' } });
  expect(await type('/incident call @carol')).toContain('Only the members of @sre-leads');
  expect(calls()).toEqual([]);
  slack.setGroupMembers(leads.id, [alice]);
  wait(1);
  await type('/incident call @carol');
  expect(calls()).toHaveLength(1);
});

test('a private incident: who is called comes in by somebody who is in its room', async () => {
  const { type, calls, asked, carol, dave, home, alice, general } = await openOnDuty({ flags: '--private' });
  await type('/incident call @carol look at it', alice, home);
  expect(home.members.has(carol.id)).toBe(true);
  expect(asked(carol)).toHaveLength(1);
  expect(calls(home)[0]).toContain('… @carol');
  dave.join(general.id);
  expect(await type('/incident call 1 @erin', dave, general)).toContain('no incident 1 that you can see');
  expect(calls(home)).toHaveLength(1);
});

test('in a channel that people share for other reasons, its members are asked too', async () => {
  const { type, asked, bob, slack, alice, calls, api } = await openOnDuty();
  const team = slack.addChannel({ name: 'mail-team', members: [alice, bob], botIsMember: true });
  await api.IncidentsService.CreateIncident({ title: 'Mail is late', severity: 'minor', status: 'active' });
  await type('/incident link 2', alice, team);
  await type('/incident call @bob', alice, team);
  expect(asked(bob)).toHaveLength(1);
  expect(calls(team)).toEqual([expect.stringContaining('… @bob')]);
});

test('/incident oncall names who is in the groups of CALL, and mentions nobody', async () => {
  const { type, last } = await openOnDuty({ settings: { CALL: 'critical:@sre>@sre-leads; label pay:@none' } });
  const answer = await type('/incident oncall');
  for (const fact of ['@sre', 'carol, dave, gus', 'severity critical', '@sre-leads', 'erin', '@none', 'no such group'])
    expect(answer).toContain(fact);
  expect(JSON.stringify(last())).not.toMatch(/<@U|subteam/);
});

test('without CALL, /incident oncall says so', async () => {
  const { type } = await openOnDuty();
  expect(await type('/incident oncall')).toContain('`CALL`'.replaceAll('`', ''));
});

test('without the scope for groups, people are called by name, and a group is refused with the scope', async () => {
  const scopes = grants.scopes.filter(each => each !== 'usergroups:read');
  const now = () => new Date('2026-11-20T12:15:00Z');
  const slack = await openInstalledSlack(now, { scopes });
  const { type, press, card, alice, asked, carol, calls } = await openOnDuty({ slack });
  const refused = await type('/incident call @sre come');
  for (const fact of ['@sre', 'usergroups:read', 'by name', 'Nobody was called', 'come'])
    expect(refused).toContain(fact);
  await type('/incident call @carol come');
  expect(asked(carol)).toHaveLength(1);
  expect(calls()).toHaveLength(1);
  await press(card(), 'Call');
  expect(JSON.stringify(alice.view)).toContain('usergroups:read');
});

test('a reason alarms nobody and formats nothing', async () => {
  const { type, home, carol, dave, slack } = await openOnDuty();
  await type(`/incident call @carol <!channel> &lt;!here&gt; *bold* <@${dave.id}> <https://evil.example.com|login>`);
  const said = [home, slack.openDm(carol)].flatMap(each => each.messages.map(message => JSON.stringify(message)));
  for (const text of said.filter(each => each.includes('bold')))
    expect(text).not.toMatch(new RegExp(`<!(?:channel|here|everyone|subteam)|\\*bold\\*|<@${dave.id}>`));
  expect(said.filter(each => each.includes('bold')).length).toBeGreaterThan(1);
});

test('who left a private room reads nothing of it when they answer', async () => {
  const { type, answer, act, carol, home, alice } = await openOnDuty({ flags: '--private' });
  await type('/incident call @carol', alice, home);
  await act(() => carol.leave(home.id));
  expect(await answer(carol, 'Coming in 5 min')).not.toContain(home.name);
});

test('nobody is called to an incident that is over', async () => {
  const { type, asked, carol } = await openOnDuty();
  await type('/incident resolve restarted --now');
  expect(await type('/incident call @carol come')).toContain('is resolved, so nobody was called');
  expect(asked(carol)).toEqual([]);
});
