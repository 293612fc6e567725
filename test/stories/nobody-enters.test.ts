import { expect, test } from 'vitest';
import type { Person } from '../../src/fake-slack/fake-slack.ts';
import { openIncident } from '../support/incident-room.ts';

/** The ways by which somebody is given something in an incident: `{}` is the person, `#` the newest task. */
const ways = {
  'a task': ['/task add look at the logs {}'],
  'a task that is for them': ['/task add {} look at the logs'],
  'a task by flag': ['/task add look at the logs --assignee {}'],
  'a task that was nobody’s': ['/task add look at the logs', '/task assign # {}'],
  'a task that was another one’s': ['/task add look at the logs @bob', '/task assign # {}'],
  'a task that was theirs before': ['/task add look at the logs {}', '/task unassign #', '/task assign # {}'],
  'a role': ['/role assign {} observer'],
  'a role that is named first': ['/role assign investigator {}'],
  'the command': ['/role assign me commander', '/role handover {}'],
} as const;

/** A private room, and somebody who is not in it. */
async function openPrivate(kind: string, who: string) {
  const opened = await openIncident({ flags: kind === 'that was declared as private' ? '--private' : '' });
  const { alice, carol, gus, bob, home, slack, place } = opened;
  const person: Person = who === 'a guest' ? gus : carol;
  const isIn = (each: Person) => slack.channel(home.id).members.has(each.id);
  for (const each of [bob, person]) if (!isIn(each)) alice.invite(home, each);
  if (kind === 'that was made private later') alice.makePrivate(home);
  await slack.settled();
  await place.quiet();
  person.leave(home);
  await slack.settled();
  await place.quiet();
  const known = slack.callsOf('conversations.invite').length;
  return { ...opened, person, isIn, invitations: () => slack.callsOf('conversations.invite').slice(known) };
}

const rooms = ['that was declared as private', 'that was made private later'];
const people = ['a member who left', 'a guest'];

test.each(rooms.flatMap(room => people.map(who => [who, room] as const)))(
  'nothing that is given to %s brings them into a room %s, until somebody says so',
  async (who, room) => {
    const { type, person, isIn, invitations, last, press, slack } = await openPrivate(room, who);
    for (const [way, lines] of Object.entries(ways)) {
      let number = '';
      for (const line of lines) {
        const answer = await type(line.replace('{}', `@${person.name}`).replace('#', number));
        number = /Task (\d+)/.exec(answer)?.[1] ?? number;
      }
      expect(invitations(), way).toEqual([]);
      expect(isIn(person), way).toBe(false);
    }
    await type(`/task add the last one @${person.name}`);
    await press(last(), 'Invite');
    expect(isIn(person)).toBe(true);
    expect(slack.callsOf('conversations.invite').at(-1)?.args.users).toBe(person.id);
  },
);

test.each(['task add look at the logs', 'role assign observer'])(
  'a guest is not brought into any room by “%s”, and everybody else is brought into one that is open',
  async line => {
    const { type, carol, gus, home, slack, place, press, last } = await openIncident();
    gus.leave(home);
    await slack.settled();
    await place.quiet();
    const members = () => slack.channel(home.id).members;
    await type(`/${line} @gus`);
    expect(members()).not.toContain(gus.id);
    if (line.startsWith('task')) {
      await press(last(), 'Invite');
      expect(members()).toContain(gus.id);
    }
    expect(await type(`/${line} @carol`)).toContain('I invited @carol to #inc-1-checkout-answers-500.');
    expect(members()).toContain(carol.id);
  },
);

test('what Slack confirmed is known: who was invited is told at once what they were given', async () => {
  const { type, carol, home, slack, place, press, last } = await openIncident({ flags: '--private' });
  // The list of members is read, and stays known for some minutes.
  expect(await type('/task add look at the logs @carol')).toContain('@carol does not know yet');
  await press(last(), 'Invite');
  expect(slack.channel(home.id).members).toContain(carol.id);
  expect(await type('/role assign @carol commander')).not.toContain('does not know yet');
  expect(place.lastRead(carol, slack.openDm(carol).id)).toContain('made you commander');
  expect(place.lastRead(carol, slack.openDm(carol).id)).toContain('Checkout answers 500');
});
