import { expect, test } from 'vitest';
import type { Person } from '../../playground/fake-slack/fake-slack.ts';
import { openOnDuty } from '../support/on-duty.ts';
import { openReminded } from '../support/reminded.ts';

type Reminded = Awaited<ReturnType<typeof openReminded>>;

/** A person leaves the workspace, or comes back. */
async function leave({ slack, tick }: Pick<Reminded, 'slack' | 'tick'>, person: Person, deleted = true) {
  person.change({ deleted });
  await slack.settled();
  await tick();
}

const grave = { flags: '--severity critical' };

test('the commander leaves: the card says so with a way to take command, and the room reads that nobody leads', async () => {
  const team = await openReminded(grave);
  const { type, press, bob, wendy, card, inRoom, reads, pass } = team;
  const shown = () => JSON.stringify(card());
  await type('/role assign @bob commander');
  expect(shown()).not.toContain('Take command');
  await leave(team, bob);
  await expect.poll(shown).toMatch(/:warning: Commander <@\w+> \(has left\) – press \*Take command\*/);
  expect(reads(wendy)).not.toContain(':alarm_clock:');
  await pass(3);
  expect(inRoom()).toEqual([expect.stringMatching(/Nobody has led this incident for 3 min[\s\S]*\[Take command\]/)]);
  expect(await type('/incident status')).toContain('(has left)');
  expect(await type('/role list')).toContain('@bob (has left)');
  expect(await type('/incident catchup')).toMatch(/Commander: bob \(has left\)/);
  await press(card(), 'Take command', wendy);
  expect(shown()).toMatch(/\*Commander\* <@\w+> \(has left\), <@\w+>/);
  expect(shown()).not.toContain('Take command');
  await pass(1);
  expect(inRoom()).toEqual(['☑️ No longer owed: the lead of incident 1.']);
});

test('who comes back leads again, without anybody doing anything', async () => {
  const team = await openReminded(grave);
  const { type, bob, card } = team;
  const shown = () => JSON.stringify(card());
  await type('/role assign @bob commander');
  await leave(team, bob);
  await expect.poll(shown).toContain('(has left)');
  await leave(team, bob, false);
  await expect.poll(shown).not.toMatch(/has left|Take command/);
});

test.each([
  ['the next leader', ['@bob', '@wendy'], (team: Reminded) => team.alone(team.wendy)],
  ['the room', ['@bob'], (team: Reminded) => team.inRoom()],
])('a silence of an incident whose first leader left is told to %s', async (_who, leaders, read) => {
  const team = await openReminded(grave);
  const { type, bob, alone, pass } = team;
  for (const each of leaders) await type(`/role assign ${each} commander`);
  await leave(team, bob);
  await pass(31);
  const told = read(team).filter(each => each.includes('Nobody has said anything'));
  expect(told).toEqual([expect.stringMatching(/for 30 min[\s\S]*\[Update\]/)]);
  expect(alone(bob)).toEqual([]);
});

test.each([
  ['the next leader', ['@bob', '@wendy'], (team: Reminded) => team.alone(team.wendy)],
  ['the room', ['@bob'], (team: Reminded) => team.inRoom()],
])('the look back at an incident whose first leader left is told to %s', async (_who, leaders, read) => {
  const team = await openReminded();
  const { type, bob, jump } = team;
  for (const each of leaders) await type(`/role assign ${each} commander`);
  await type('/incident resolve fixed --now');
  await leave(team, bob);
  await jump(24 * 60 + 1);
  expect(read(team).filter(each => each.includes('ended a day ago'))).toHaveLength(1);
});

test.each([
  ['the leader', true, (team: Reminded) => team.alone(team.wendy)],
  ['the room', false, (team: Reminded) => team.inRoom()],
])('a promise, a task and a call of a person who left are told to %s', async (_who, isLed, read) => {
  const team = await openReminded();
  const { type, bob, pass, jump, press, lastInRoom, alone, inRoom } = team;
  if (isLed) await type('/role assign @wendy commander');
  await type('/incident update we look --next 30m', bob);
  await type('/task add look at the disk @bob', bob);
  await type('/incident call @carol come', bob);
  await leave(team, bob);
  await pass(5);
  await jump(20);
  await jump(5);
  await jump(4 * 60);
  const told = read(team).join('\n');
  expect(told).toMatch(/Nobody has answered the call by @bob \(has left\) for 5 min/);
  expect(told).toMatch(/The task of @bob \(has left\) has not moved for 4 h.*: “look at the disk”/);
  expect(alone(bob)).toEqual([]);
  expect(inRoom().join('\n')).toMatch(/An update was due at 12:45 PM\. @bob \(has left\) promised it/);
  if (isLed) expect(told).toMatch(/An update is due at 12:45 PM/);
  else {
    const last = lastInRoom();
    await press(last, 'Snooze 15 min', team.wendy);
    expect(inRoom().at(-1)).toMatch(/🔕 @wendy snoozed this until/);
  }
});

test('where Slack takes no message to a person, the room is told at once', async () => {
  const { slack, type, alice, alone, direct, inRoom, pass } = await openReminded(grave);
  await type('/role assign me commander');
  const channel = direct(alice)?.id ?? slack.openDm(alice).id;
  const isTo = ({ channel: to }: { readonly channel?: unknown }) => to === channel || to === alice.id;
  slack.fail('chat.postMessage', { error: 'messages_tab_disabled' }, { times: 1000, when: isTo });
  await pass(31);
  expect(alone(alice)).toEqual([]);
  expect(inRoom()).toEqual([expect.stringMatching(/Nobody has said anything for 30 min.*I cannot tell @alice/)]);
  await pass(30);
  expect(inRoom()).toHaveLength(1);
});

/** How a room comes to take no posts for 70 minutes, and is back. */
const closings: readonly (readonly [
  how: string,
  close: (team: Reminded) => void,
  open: (team: Reminded) => unknown,
])[] = [
  ['archived', ({ alice, home }) => alice.archive(home), ({ alice, home }) => alice.unarchive(home)],
  [
    'without the bot',
    ({ slack, home }) => {
      (home.members as Set<string>).delete(slack.botUserId);
      const isHere = ({ channel }: { readonly channel?: unknown }) => channel === home.id;
      slack.fail('chat.postMessage', { error: 'not_in_channel' }, { times: 1e6, when: isHere });
    },
    ({ slack, alice, home }) => {
      slack.heal('chat.postMessage');
      alice.invite(home, slack.botUserId);
    },
  ],
];

test.each(closings)(
  'a room that was %s for an hour is reminded once of what it could not read',
  async (_how, close, open) => {
    const team = await openReminded(grave);
    const { slack, type, bob, alone, inRoom, pass, tick } = team;
    await type('/role assign @bob commander');
    await type('/incident update we look --next 20m', bob);
    await pass(5);
    close(team);
    await slack.settled();
    await pass(70);
    // The person who promised it was told meanwhile.
    expect(alone(bob)).toHaveLength(1);
    expect(inRoom()).toEqual([]);
    await open(team);
    await slack.settled();
    await tick();
    await tick();
    expect(inRoom()).toEqual([expect.stringMatching(/update that was due at 12:35 PM is still owed[\s\S]*\[Update\]/)]);
    await pass(60);
    expect(inRoom()).toHaveLength(1);
    await type('/incident update it was the disk', bob);
    await pass(1);
    expect(inRoom()).toEqual(['☑️ No longer owed: the next update of incident 1.']);
  },
);

test('what is out of date when the room opens again is not said', async () => {
  const team = await openReminded(grave);
  const { slack, type, alice, bob, home, general, inRoom, pass, tick } = team;
  await type('/role assign @bob commander');
  await type('/incident update we look --next 20m', bob);
  alice.archive(home);
  await slack.settled();
  await pass(70);
  await type('/incident update it was the disk --incident 1', bob, general);
  alice.unarchive(home);
  await slack.settled();
  await tick();
  await pass(5);
  expect(inRoom()).toEqual([]);
});

test('while the room of an open incident takes no posts, the announcement is told; a private one is told nowhere', async () => {
  for (const flags of [grave.flags, `${grave.flags} --private`]) {
    const team = await openReminded({ flags, announces: true });
    const { slack, type, alice, home, announced, inRoom, pass, tick, place, carol } = team;
    await type('/role assign me commander');
    await type('/incident update we <!channel> look --next 20m');
    alice.archive(home);
    await slack.settled();
    await pass(31);
    const told = announced().filter(each => each.includes(':alarm_clock:'));
    if (home.isPrivate) expect(told).toEqual([]);
    else {
      expect(told).toEqual([
        expect.stringMatching(
          /An update was due at 12:35 PM.*@alice promised it[\s\S]*Incident 1 “Checkout answers 500”/,
        ),
        expect.stringMatching(/is still owed[\s\S]*\[Update\]/),
      ]);
      const raw = place.messages(carol, 'incidents').map(each => JSON.stringify(each.text));
      for (const each of raw.filter(text => text.includes('alarm_clock'))) expect(each).not.toMatch(/<#|<!(?!date)/);
    }
    alice.unarchive(home);
    // Nobody tells Muster that a private channel is back.
    if (home.isPrivate) alice.invite(home, slack.botUserId);
    await slack.settled();
    await tick();
    await tick();
    expect(inRoom()).toHaveLength(1);
    expect(announced().filter(each => each.includes(':alarm_clock:'))).toHaveLength(told.length);
    await type('/incident update it was the disk');
    await pass(1);
    expect([...announced(), ...inRoom()].filter(each => /:alarm_clock:.*\[Update\]/s.test(each))).toEqual([]);
  }
});

test('the end takes the questions back: who came reads so, and nobody has buttons any more', async () => {
  const { type, answer, asked, readsDirectly, tick, slack, carol, dave, erin, wait, act, home } = await openOnDuty();
  await type('/incident call @carol @dave @erin come');
  await answer(carol, 'Coming in 5 min');
  await answer(dave, 'Cannot');
  wait(1);
  await act(() => carol.say(home, 'I look'));
  await tick();
  dave.change({ deleted: true });
  await slack.settled();
  await type('/incident resolve fixed --now');
  await tick();
  expect(readsDirectly(carol)).toBe('✓ You came to incident 1. It is over.');
  expect(readsDirectly(erin)).toMatch(/^☑️ The incident is over/);
  for (const person of [carol, dave, erin]) expect(JSON.stringify(asked(person))).not.toContain('"call.');
  const edits = slack.callsOf('chat.update').length;
  await tick();
  expect(slack.callsOf('chat.update')).toHaveLength(edits);
  // It is open again: who is called then is asked anew, and that question goes with the next end.
  await type('/incident reopen it is back');
  await type('/incident call @erin');
  expect(asked(erin)).toHaveLength(2);
  expect(JSON.stringify(asked(erin).at(-1))).toContain('"call.coming"');
  await type('/incident resolve fixed again --now');
  await tick();
  expect(JSON.stringify(asked(erin))).not.toContain('"call.');
});
