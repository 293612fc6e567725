import { expect, test } from 'vitest';
import { type Person, renderView } from '../../../../../playground/fake-slack/fake-slack.ts';
import { openOnDutyVerbs } from '../../../../support/on-duty.ts';
import { readList } from '../../../../support/table.ts';

test('Open catches the person who is called up, and says who else is called', async () => {
  const { type, answer, carol, dave, slack } = await openOnDutyVerbs();
  await type('/note add The pool is full');
  await type('/incident call @carol @dave');
  await answer(dave, 'In 15 min');
  await answer(carol, 'Open');
  const read = renderView(slack, carol.view!);
  expect(read).toContain('Incident 1 “Checkout answers 500”');
  expect(read).toContain('The pool is full · alice');
  expect(read).toMatch(
    /Called: (?:carol \(no answer yet\), dave \(coming\)|dave \(coming\), carol \(no answer yet\))\./,
  );
});

test('a call that is answered in time, or taken back, reminds nobody', async () => {
  const { type, answer, asked, alice, carol, dave, press, last, tick, wait } = await openOnDutyVerbs({
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
  ['@carol, she knows @dave', 'c', 'she knows @dave'],
  ['@carol instead of @dave', 'c', 'instead of @dave'],
  ['@carol before you call @dave', 'c', 'before you call @dave'],
  ['@sre-leads, @carol and @dave: come', 'cde', 'come'],
  ['@carol! ask @sre about it', 'c', 'ask @sre about it'],
  ['1 @carol the disk is full', 'c', 'the disk is full'],
] as const)('“/incident call %s” asks %s', async (typed, who, why) => {
  const { type, calls, asked, carol, dave, erin, alice } = await openOnDutyVerbs();
  await type(`/incident call ${typed}`);
  const people: Readonly<Record<string, Person>> = { c: carol, d: dave, e: erin };
  for (const [letter, person] of Object.entries(people))
    expect(asked(person), person.name).toHaveLength(who.includes(letter) ? 1 : 0);
  expect(asked(alice)).toEqual([]);
  expect((await calls())[0]).toContain(`by @alice${why === '' ? '' : `: ${why}`}`);
});

test.each(
  readList(`
    @carol's manager | @carol not yet | @carol: no | @carol, please not now, she sleeps | @carol but only if it gets worse | @carol nicht
    @carol if the replica dies | @carol when I say so | @carol at 9 | @carol tomorrow | @carol later | @carol after @dave
    @carol in 10 minutes | @carol never mind | @carol or @dave | @carol noch nicht, erst wenn es schlimmer wird | @sre unless it recovers
  `),
)('“call %s” asks once, as a command and by mention, and the press calls', async words => {
  const { act, alice, home, type, calls, asked, carol, dave, press, last, reads } = await openOnDutyVerbs();
  const isQuestion = /Nobody was called yet[\s\S]*The call reaches carol[^\n]*[\s\S]*\[Call now\]/;
  await act(() => alice.mention(home, `call ${words}`));
  expect(reads()).toMatch(isQuestion);
  expect(await type(`/incident call ${words}`)).toMatch(isQuestion);
  expect([...asked(carol), ...asked(dave), ...(await calls())]).toEqual([]);
  await press(last(), 'Call now');
  expect(asked(carol)).toHaveLength(1);
  expect(asked(dave)).toHaveLength(words.startsWith('@sre') ? 1 : 0);
});

test('people behind the reason are offered, and not called', async () => {
  const { type, calls, alice } = await openOnDutyVerbs();
  await type('/incident call the disk is full @carol');
  expect(JSON.stringify(alice.view)).toContain('the disk is full @carol');
  expect(await calls()).toEqual([]);
});

test.each([
  ['call @carol the disk is full', 'c', 'the disk is full'],
  ['please call @sre because the disk is full', 'cd', 'the disk is full'],
  ['call @sre the db is down', 'cd', 'the db is down'],
  ['wake @carol', 'c', ''],
  ['ping @carol about the invoice', '', ''],
  ['call the vendor about the invoice', '', ''],
  ['can you call @carol?', '', ''],
] as const)('“@muster %s” asks %s', async (typed, who, why) => {
  const { act, alice, home, calls, asked, carol, dave } = await openOnDutyVerbs();
  await act(() => alice.mention(home, typed));
  for (const [letter, person] of [
    ['c', carol],
    ['d', dave],
  ] as const)
    expect(asked(person), person.name).toHaveLength(who.includes(letter) ? 1 : 0);
  if (who === '') expect(await calls()).toEqual([]);
  else expect((await calls())[0]).toContain(`by @alice${why === '' ? '' : `: ${why}`}`);
});

test.each([
  ['@nobody come', /I do not know @nobody.*Nobody was called/s],
  ['@gone come', /no group @gone|I do not know @gone/],
])('“/incident call %s” calls nobody and gives the words back', async (typed, says) => {
  const { type, calls, slack } = await openOnDutyVerbs();
  slack.addUserGroup({ handle: 'gone', isDisabled: true });
  const answer = await type(`/incident call ${typed}`);
  expect(answer).toMatch(says);
  expect(answer).toContain('come');
  expect(await calls()).toEqual([]);
});

test('an answer is said back in one sentence, with the channel to which one comes', async () => {
  const { type, answer, carol } = await openOnDutyVerbs();
  await type('/incident call @sre');
  expect(await answer(carol, 'Coming in 5 min')).toMatch(/that you come in 5 min · #inc-1-checkout-answers-500\n/);
  expect(await answer(carol, 'Cannot')).toMatch(/that you cannot come\.\n/);
});

test('a call asks 30 people with one invitation, and who is not asked does not count', async () => {
  const { type, calls, slack, sre, asked, gus, bob } = await openOnDutyVerbs();
  const many = Array.from({ length: 31 }, (_, at) => slack.addPerson({ name: `p${at}` }));
  const guests = Array.from({ length: 29 }, (_, at) => slack.addPerson({ name: `g${at}`, isRestricted: true }));
  const before = slack.callsOf('conversations.invite').length;
  slack.setGroupMembers(sre.id, many);
  expect(await type('/incident call @sre')).toContain('at most 30 people, and of @sre it would ask 31');
  expect(await calls()).toEqual([]);
  // Guests, a bot, the caller and a person who is in the room are none of the 30.
  slack.setGroupMembers(sre.id, [...guests, gus, slack.person('alice'), bob, ...many.slice(0, 30)]);
  await type('/incident call @sre');
  expect(many.map(each => asked(each).length)).toEqual([...Array(30).fill(1), 0]);
  expect(guests.flatMap(asked)).toEqual([]);
  expect(slack.callsOf('conversations.invite')).toHaveLength(before + 1);
  expect((await calls())[0]).toContain('@sre (31)');
  expect(await type('/incident call @sre again')).toContain('Nobody was called');
  slack.setGroupMembers(
    sre.id,
    Array.from({ length: 101 }, (_, at) => slack.addPerson({ name: `x${at}` })),
  );
  expect(await type('/incident call @sre')).toContain('at most 100 people, and @sre are 101');
});

test('the question before a call names who is asked, and not the first of the group', async () => {
  const { type, slack, sre, carol } = await openOnDutyVerbs({ settings: { CALL: 'critical:@sre' } });
  const guests = Array.from({ length: 30 }, (_, at) => slack.addPerson({ name: `g${at}`, isRestricted: true }));
  slack.setGroupMembers(sre.id, [...guests, carol]);
  expect(await type('/incident call @sre but not yet')).toContain('The call reaches carol');
  expect(await type('/incident oncall')).toContain('carol');
});

test('Slackbot is no person: it is not called, and holds no role', async () => {
  const { type, calls, asked, carol } = await openOnDutyVerbs();
  expect(await type('/incident call @slackbot the db')).toContain('is a bot');
  expect(await calls()).toEqual([]);
  expect(await type('/role assign @slackbot commander')).toContain('is a bot');
  expect(await type('/task add look at it @slackbot')).toContain('is a bot');
  await type('/incident call @slackbot @carol the db');
  expect(asked(carol)).toHaveLength(1);
});

test('bots, deactivated accounts and strangers are not called, and the caller reads why', async () => {
  const { type, slack, sre, calls, asked } = await openOnDutyVerbs();
  const left = slack.addPerson({ name: 'left', deleted: true });
  const stranger = slack.addPerson({ name: 'stranger', isStranger: true });
  slack.setGroupMembers(sre.id, [left, stranger]);
  const receipt = await type('/incident call @sre');
  expect(receipt).toContain('Nobody was called');
  expect(receipt).toContain('@left has left');
  expect(receipt).toContain('another workspace');
  expect(await calls()).toEqual([]);
  for (const person of [left, stranger]) expect(asked(person)).toEqual([]);
});

test('who comes in on their own is there', async () => {
  const { type, calls, act, home, carol, slack } = await openOnDutyVerbs();
  slack.fail('conversations.invite', { error: 'restricted_action' });
  expect(await type('/incident call @carol')).toContain('I could not invite @carol');
  expect((await calls())[0]).toContain('… @carol');
  await act(() => carol.join(home.id));
  expect(await calls()).toEqual([expect.stringContaining('✓ @carol is here')]);
});

test('Undo strikes the line and tells those who were asked, while nobody has answered', async () => {
  const { type, press, last, calls, readsDirectly, answer, carol, dave } = await openOnDutyVerbs();
  await type('/incident call @carol @dave');
  await press(last(), 'Undo');
  expect(await calls()).toEqual([expect.stringMatching(/@alice took this back/)]);
  for (const person of [carol, dave]) {
    expect(readsDirectly(person)).toContain('taken back');
    expect(readsDirectly(person)).not.toContain('[');
  }
  await type('/incident call @carol @dave');
  await answer(carol, 'Cannot');
  expect(await press(last(), 'Undo')).toContain('somebody has answered');
  expect((await calls()).at(-1)).not.toContain('took this back');
});

test('the form on the card calls a group and a person, with a reason', async () => {
  const { press, showCard, submit, sre, erin, calls, asked, carol } = await openOnDutyVerbs();
  await press(await showCard(), 'Call');
  expect(await submit({})).toMatchObject({ body: { errors: { person: expect.any(String) } } });
  await submit({ group: sre.id, person: erin.id, why: 'the queue grows' });
  expect(await calls()).toEqual([
    expect.stringMatching(/@sre \(2\): … @carol · … @dave, … @erin – by @alice: the queue grows/),
  ]);
  expect([asked(carol).length, asked(erin).length]).toEqual([1, 1]);
});

test('CALLERS: only members of that group call', async () => {
  const { type, calls, alice, leads, slack, wait } = await openOnDutyVerbs({ settings: { CALLERS: '@sre-leads' } });
  expect(await type('/incident call @carol')).toContain('Only the members of @sre-leads');
  expect(await calls()).toEqual([]);
  slack.setGroupMembers(leads.id, [alice]);
  wait(1);
  await type('/incident call @carol');
  expect(await calls()).toHaveLength(1);
});

test('/incident oncall names who is in the groups of CALL, and mentions nobody', async () => {
  const { type, last } = await openOnDutyVerbs({ settings: { CALL: 'critical:@sre>@sre-leads; label pay:@none' } });
  const answer = await type('/incident oncall');
  for (const fact of ['@sre', 'carol, dave', 'severity critical', '@sre-leads', 'erin', '@none', 'no such group'])
    expect(answer).toContain(fact);
  expect(JSON.stringify(last())).not.toMatch(/<@U|subteam/);
});

test('without CALL, /incident oncall says so', async () => {
  const { type } = await openOnDutyVerbs();
  expect(await type('/incident oncall')).toContain('`CALL`'.replaceAll('`', ''));
});

test('who left a private room reads nothing of it when they answer', async () => {
  const { type, answer, act, carol, home, alice } = await openOnDutyVerbs({ isPrivate: true });
  await type('/incident call @carol', alice, home);
  await act(() => carol.leave(home.id));
  expect(await answer(carol, 'Coming in 5 min')).not.toContain(home.name);
});

test('nobody is called to an incident that is over', async () => {
  const { type, asked, carol } = await openOnDutyVerbs();
  await type('/incident resolve restarted --now');
  expect(await type('/incident call @carol come')).toContain('is resolved, so nobody was called');
  expect(asked(carol)).toEqual([]);
});
