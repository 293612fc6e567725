import { expect, test } from 'vitest';
import type { Person } from '../../playground/fake-slack/fake-slack.ts';
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

type Opened = Awaited<ReturnType<typeof openPrivate>>;

/** The ways into the room by menus, forms and buttons. */
const presses: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
  'the menu of a task’s message': async ({ type, alice, last, person, place }) => {
    await type('/task add look at the logs');
    await alice.choose(last(), 'task.assign', person);
    await place.quiet();
  },
  'the menu of a list of tasks': async ({ type, alice, last, person, place }) => {
    await type('/task list');
    await alice.choose(last(), 'task.assign', person);
    await place.quiet();
  },
  'the form of a task': async ({ type, press, last, submit, person }) => {
    await type('/task list');
    await press(last(), 'Add task');
    await submit({ text: 'look at the logs', assignee: person });
  },
  'the form of a message’s task': async ({ alice, general, place, submit, person }) => {
    await alice.shortcut('task_message', alice.say(general, 'look at the logs'));
    await place.quiet();
    await submit({ assignee: person });
  },
  'the form of a role': async ({ type, submit, person }) => {
    await type('/role assign');
    await submit({ person, role: 'observer' });
  },
  'the form of a role for those who were named': async ({ type, submit, person }) => {
    await type(`/role assign @${person.name}`);
    await submit({ role: 'investigator' });
  },
  'the form that hands a role over': async ({ type, submit, person }) => {
    await type('/role assign me commander');
    await type('/role handover');
    await submit({ person });
  },
  'Undo of what took a task': async ({ type, press, last, person }) => {
    const answer = await type(`/task add look at the logs @${person.name}`);
    await type(`/task unassign ${/ask (\d+)/.exec(answer)?.[1] ?? ''}`);
    await press(last(), 'Undo');
  },
  'Undo of what took a role': async ({ type, press, last, person }) => {
    // A guest holds no role.
    if (!(await type(`/role assign @${person.name} observer`)).includes('*observer*.')) return;
    await type(`/role unassign @${person.name} observer`);
    await press(last(), 'Undo');
  },
  'a mention': async ({ alice, home, place, person }) => {
    alice.mention(home, `task add look at the logs @${person.name}`);
    await place.quiet();
  },
};

/** A private room, and somebody who is not in it. Of an event that is lost, nobody tells Muster. */
async function openPrivate(kind: string, who: string) {
  const opened = await openIncident({ flags: kind === 'that was declared as private' ? '--private' : '' });
  const { alice, carol, gus, bob, home, slack, place } = opened;
  const person: Person = who.startsWith('a guest') ? gus : carol;
  const isIn = (each: Person) => slack.channel(home.id).members.has(each.id);
  for (const each of [bob, person]) if (!isIn(each)) alice.invite(home, each);
  if (kind === 'that was made private later') alice.makePrivate(home);
  await slack.settled();
  await place.quiet();
  const stored = slack.channel(home.id);
  if (who.endsWith('unseen')) (stored.members as Set<string>).delete(person.id);
  else person.leave(home);
  if (kind === rooms[2]) Object.assign(stored, { isPrivate: true });
  await slack.settled();
  await place.quiet();
  const known = slack.callsOf('conversations.invite').length;
  return { ...opened, person, isIn, invitations: () => slack.callsOf('conversations.invite').slice(known) };
}

const rooms = [
  'that was declared as private',
  'that was made private later',
  'that was made private without an event that arrived',
] as const;
const people = ['a member who left', 'a guest', 'a member who left unseen', 'a guest who left unseen'];

test.each(rooms.flatMap(room => people.map(who => [who, room] as const)))(
  'nothing that is given to %s brings them into a room %s, until somebody says so',
  async (who, room) => {
    const opened = await openPrivate(room, who);
    const { type, person, isIn, invitations, last, press, slack, place } = opened;
    for (const [way, lines] of Object.entries(ways)) {
      let number = '';
      for (const line of lines) {
        const answer = await type(line.replace('{}', `@${person.name}`).replace('#', number));
        number = /ask (\d+)/.exec(answer)?.[1] ?? number;
      }
      expect(invitations(), way).toEqual([]);
      expect(isIn(person), way).toBe(false);
    }
    for (const [way, act] of Object.entries(presses)) {
      await act(opened);
      expect(invitations(), way).toEqual([]);
      expect(isIn(person), way).toBe(false);
    }
    // What was unseen is seen once Slack is asked again.
    opened.wait(6);
    expect(await type(`/task add the last one @${person.name}`)).toContain('does not know yet');
    expect(place.lastRead(person, slack.openDm(person).id)).not.toContain('the last one');
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
