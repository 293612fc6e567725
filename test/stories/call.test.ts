import { expect, test } from 'vitest';
import { forgePress } from '../support/forged-press.ts';
import { grants } from '../support/grants.ts';
import { openOnDuty } from '../support/on-duty.ts';
import { openInstalledSlack } from '../support/workplace.ts';

type OnDuty = Awaited<ReturnType<typeof openOnDuty>>;

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
  // An edit of a line notifies nobody, and nothing else was said.
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

test('an answer of somebody who was not called does not count; one after the end says so', async () => {
  const { type, calls, asked, readsDirectly, place, slack, home, carol } = await openOnDuty();
  const wendy = slack.person('wendy');
  await type('/incident call @carol');
  const [message] = asked(carol);
  const [, value = ''] =
    /"action_id":"call\.coming".*?"value":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(message?.blocks)) ?? [];
  const button = { id: 'call.coming', value: JSON.parse(`"${value}"`) };
  await forgePress(slack, wendy, home.id, button);
  await expect.poll(() => calls()).toEqual([expect.stringContaining('… @carol')]);
  await type('/incident resolve restarted --now');
  // The buttons go a moment after the end.
  await forgePress(slack, carol, slack.openDm(carol).id, button);
  await place.quiet();
  expect(readsDirectly(carol)).toContain('is over');
  expect(calls()[0]).toContain('… @carol');
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

test.each([
  ['writes in the room', async ({ act, carol, home }: OnDuty) => act(() => void carol.say(home, 'I look'))],
  [
    'acts on the incident',
    async ({ type, carol, general }: OnDuty) => type('/note add I look --incident 1', carol, general),
  ],
] as const)('who was called and %s is there, whatever they answered', async (_what, come) => {
  const opened = await openOnDuty();
  const { type, calls, answer, carol, dave, tick, asked, wait } = opened;
  await type('/incident call @carol @dave');
  await answer(carol, 'Coming in 5 min');
  await answer(dave, 'Cannot');
  wait(1);
  await come(opened);
  await tick();
  expect(calls()).toEqual([expect.stringMatching(/✓ @carol is here · ✗ @dave/)]);
  expect(await type('/incident call @carol')).toContain('@carol is there already');
  expect(asked(carol)).toHaveLength(1);
});

test('what a person did before they were called does not bring them', async () => {
  const { type, calls, carol, tick, general } = await openOnDuty();
  await type('/note add customers write --incident 1', carol, general);
  await type('/incident call @carol');
  await tick();
  expect(calls()).toEqual([expect.stringContaining('… @carol')]);
});
