import { findRoom } from '../../../playground/stories/incident.ts';
import { openSteps } from '../../../playground/stories/steps.ts';
import type { Scene } from '../../../playground/story.ts';

/** Tasks: by command, by button, and from a message. */
export const tasks: Scene = async story => {
  const { alice, bob, carol } = story.cast;
  story.transcript.scene('Tasks', 'They are added, given, begun, done, changed and deleted.');
  const room = findRoom(story);
  const { types, presses, submits, chooses } = openSteps(story, room);
  await types(bob, '/task add Roll back release 1141 @alice', 'Roll back release 1141');
  await types(bob, '/muster page', 'Open the page of incident');
  await types(bob, '/muster web', 'Open the page of incident');
  await types(bob, '/task list', 'Tasks of');
  await presses(bob, 'Post to channel', 'Posted for everybody in this channel');
  await types(bob, '/task list', 'Tasks of');
  await presses(bob, 'Add task', 'What needs doing?');
  await submits(bob, 'Add', { 'What needs doing?': 'Call the bank' }, 'Call the bank');
  await types(bob, '/task start 1', 'Roll back');
  await types(bob, '/task done 1', 'Roll back');
  await types(bob, '/task reopen 1', 'Roll back');
  await types(bob, '/task assign 2 @carol', 'carol');
  await types(bob, '/task unassign 2', 'Call the bank');
  await types(bob, '/task assign 2 @alice', 'alice');
  const { slack } = story.system;
  await openSteps(story, slack.openDm(slack.person('alice'))).presses(alice, 'Not me', 'You gave back');
  await types(bob, '/task edit 2', 'What needs doing?');
  await submits(bob, 'Save', { 'What needs doing?': 'Call both banks' }, 'Call both banks');
  const said = await carol.says(
    room,
    `Somebody has to tell the shops: ${'all of them, and their customers. '.repeat(10)}`,
  );
  await chooses(alice, said, { id: 'task_message', name: 'Task from message' }, 'What needs doing?');
  await submits(alice, 'Add', {}, 'tell the shops');
  for (let each = 4; each <= 16; each += 1) await bob.types(room, `/task add Check region ${each}`);
  await types(bob, '/task list', 'Page 1 of 2');
  await presses(bob, 'Next ›', 'Check region 16');
  await presses(bob, '‹ Previous', 'Roll back');
  const near = 'Call both banks';
  await presses(bob, 'Start', 'Call both banks', { near });
  await presses(bob, 'Done', 'Call both banks', { near });
  await presses(bob, 'Reopen', 'Call both banks', { near });
  await types(bob, '/task add Ask the shops', 'Ask the shops');
  await bob.picks(bob.lastMessage(room), 'task.assign', carol);
  await presses(bob, 'Unassign', 'Ask the shops');
  await presses(bob, 'Tasks', 'Tasks of');
  await presses(bob, 'Next ›', 'Ask the shops');
  await presses(bob, 'Delete', 'Tasks of', { near: 'Ask the shops' });
  await types(bob, '/task delete 3', 'tell the shops');
};

/** Roles of the incident, and the list of roles of all incidents, which administrators change. */
export const roles: Scene = async story => {
  const { alice, bob, carol, root } = story.cast;
  story.transcript.scene('Roles', 'They are given and taken. Root, an administrator, changes which roles there are.');
  const room = findRoom(story);
  const { types, presses, submits, pressesOnCard } = openSteps(story, room);
  await types(bob, '/role list', 'Roles of');
  await presses(bob, 'Post to channel', 'Posted for everybody in this channel');
  await types(bob, '/role list', 'Roles of');
  await presses(bob, 'Take', 'observer', { near: 'Watching the incident' });
  await types(bob, '/role assign me commander', 'You took command');
  await types(bob, '/role assign @carol commander', 'commander too');
  await presses(bob, 'Keep both', 'are commander');
  await types(bob, '/role unassign @carol commander', 'You took command from');
  await types(bob, '/role assign @alice commander', 'commander too');
  await presses(bob, 'Hand over', 'You handed command');
  await types(alice, '/role handover @bob', 'You handed command');
  await types(bob, '/role list', 'Roles of');
  await presses(bob, 'Hand over', 'Who takes over?', { near: 'Owns the incident' });
  await submits(bob, 'Hand over', { 'Who takes over?': carol }, 'You handed command');
  await types(bob, '/role assign @bob @carol investigator', 'investigator');
  await types(bob, '/role list', 'Roles of');
  await presses(bob, 'Remove', 'Who is no longer', { near: 'Finds the cause' });
  await submits(bob, 'Remove', { 'Who?': 'carol' }, 'investigator from');
  await types(alice, '/role unassign @carol commander', 'You took command from');
  await pressesOnCard(bob, 'Roles', 'Roles of');
  await presses(bob, 'Assign role', 'Which role?');
  await submits(bob, 'Assign', { 'Who?': carol, 'Which role?': 'observer' }, 'You made');
  await types(carol, '/role leave', 'You gave up');
  await types(alice, '/role assign me investgator', 'investigator');
  await presses(alice, 'Assign investigator', 'You took');
  await root.joins(room);
  await types(root, '/role create scribe', 'Create a role');
  await submits(root, 'Create', { 'What does it do?': 'Writes it down' }, 'scribe');
  await types(root, '/role edit', 'scribe');
  await presses(root, 'Create a role', 'Create a role');
  await submits(root, 'Create', { Name: 'herald' }, 'herald');
  await types(root, '/role edit', 'scribe');
  await presses(root, 'Edit', 'Edit a role', { near: 'scribe' });
  await submits(root, 'Save', { 'What does it do?': 'Writes everything down' }, 'scribe');
  await types(root, '/role archive scribe', 'scribe');
  await types(root, '/role unarchive scribe', 'scribe');
  await types(root, '/role edit', 'scribe');
  await presses(root, 'Archive', 'scribe', { near: 'scribe' });
  await types(root, '/role delete scribe', 'Delete the role');
  await presses(root, 'Delete it', 'scribe');
  for (let each = 1; each <= 12; each += 1) {
    const role = { name: `helper ${each}`, description: '', important: false, mandatory: false };
    await story.system.operator.RolesService.CreateRole({ role });
  }
  await types(root, '/role manage', 'Page 1 of 2');
  await presses(root, 'Next ›', 'Page 2 of 2');
  await presses(root, '‹ Previous', 'Page 1 of 2');
  await types(bob, '/role list', 'Page 1 of 2');
  await presses(bob, 'Next ›', 'Page 2 of 2');
  await presses(bob, '‹ Previous', 'Page 1 of 2');
};

/** The home tab: what a person needs now, and what they can do there. */
export const homeTab: Scene = async story => {
  const { bob, root } = story.cast;
  const { slack, clock } = story.system;
  story.transcript.scene('The home tab', 'It shows what goes on, and one’s own tasks and roles.');
  const reads = (words: string, act: () => Promise<void>, look = () => bob.home) =>
    story.check(`${bob.name} reads “${words}”.`, {
      act: () => {
        clock.pass(1);
        return act();
      },
      look: expect => expect(look().includes(words), `“${words}”, and there was ${look()}`),
    });
  const direct = () => bob.lastRead(slack.openDm(slack.person('bob')));
  const room = findRoom(story);
  await bob.types(room, '/task add Thank everybody @bob');
  await bob.types(room, '/role assign me commander');
  await reads('Thank everybody', () => bob.opensHome());
  await reads('in progress', () => bob.pressesOnHome('Start', 'Thank everybody'));
  await reads('You finished', () => bob.pressesOnHome('Done', 'Thank everybody'));
  await reads('Active incidents', () => bob.pressesOnHome('All incidents'), direct);
  await reads(
    'Hand over a role',
    () => bob.pressesOnHome('Hand over', 'commander'),
    () => bob.form,
  );
  await bob.submits('Hand over', { 'Who takes over?': root });
  await reads(
    'Who sees it?',
    () => bob.pressesOnHome('Declare an incident'),
    () => bob.form,
  );
  await reads('Lamps flicker', () => bob.submits('Declare', { Title: 'Lamps flicker' }));
};

/** A private incident: nobody enters its channel by a task, and a person in it may invite them. */
export const behindDoors: Scene = async story => {
  const { alice, bob } = story.cast;
  story.transcript.scene('Behind doors', 'A private incident, and somebody outside who is to help.');
  await openSteps(story, '#checkout').types(
    bob,
    '/incident declare Keys were leaked --private --now',
    'Keys were leaked',
  );
  const room = story.system.slack.channels.find(each => each.name.includes('keys-were-leaked'));
  if (!room) throw new Error('The private incident has no channel.');
  const { types, presses } = openSteps(story, room);
  await types(bob, '/task add Replace the key @carol', 'does not know yet');
  await presses(bob, 'Invite', 'is in');
  const card = room.messages.find(each => each.pinned);
  if (!card) throw new Error('The private incident has no card.');
  await bob.picks(card, 'incident.invite.pick', alice);
  await types(alice, '/note It is in no vault', 'timeline');
  await types(bob, '/incident cancel it was an old key', 'take part in it');
  await presses(bob, 'By mistake', 'as declared by mistake');
  const next = room.messages.findLast(each => each.text.includes('What comes next'));
  if (!next) throw new Error('Nothing says what comes next.');
  await presses(bob, 'Archive now', 'You archived', { message: next });
};

/** Who a person is to the API, help, and the doctor. */
export const oneself: Scene = async story => {
  const { bob, root } = story.cast;
  story.transcript.scene('Oneself and Muster', 'Who Muster takes a person for, and whether Muster itself is well.');
  const { types, presses, submits } = openSteps(story, '#checkout');
  await types(bob, '/muster help', 'declare');
  await types(bob, '/muster doctor', 'check again');
  await presses(bob, 'I typed them: check again', 'command');
  await types(root, '/muster whoami', 'This is me');
  await presses(root, 'This is me', 'Which user are you?');
  await submits(root, 'Link', { 'Which user are you?': 'Rita Root (rita@shop.example)' }, 'Rita Root');
  await types(root, '/muster whoami', 'you say that you are');
  await presses(root, 'Unlink', 'Unlinked');
};
