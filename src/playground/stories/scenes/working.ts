import { cardOf, type Play, readIncident, reads, roomOf } from '../facts.ts';

/** Who does what. */
export async function roles(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { alice, bob, carol } = stage.cast;
  stage.clock.pass(2);
  transcript.scene('Roles');
  const holds = async (role: string, name: string) =>
    (await readIncident(play)).incidentMembership.assignments.some(
      each => each.role.name === role && each.user.name === name,
    );
  await steps.step('Bob is commander, in the API and on the card.', async expect => {
    await hands.types(bob, roomOf(play), '/role assign @bob commander');
    expect(await holds('commander', 'bob'), 'bob as commander in the API');
    expect(reads(play, cardOf(play)).includes('commander: bob'), 'bob as commander on the card');
  });
  await steps.step('Alice took a role herself.', async expect => {
    const room = roomOf(play);
    await hands.joins(alice, room);
    await hands.joins(carol, room);
    await hands.types(alice, room, '/role assign me investigator');
    expect(await holds('investigator', 'alice'), 'alice as investigator in the API');
    expect(reads(play, cardOf(play)).includes('investigator: alice'), 'alice as investigator on the card');
  });
}

/** What has to be done. */
export async function tasks(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { alice, bob } = stage.cast;
  stage.clock.pass(2);
  transcript.scene('Tasks');
  await steps.step('There are two tasks, each with who does it.', async expect => {
    const room = roomOf(play);
    await hands.types(bob, room, '/task add Roll back release 1141 @alice');
    await hands.types(bob, room, '/task add Put it on the status page @carol');
    const { taskList } = await readIncident(play);
    const own = taskList.tasks.map(each => `${each.text}: ${each.assignedUser?.name}`);
    expect(own.includes('Roll back release 1141: alice'), 'the roll back as alice’s in the API');
    expect(own.includes('Put it on the status page: carol'), 'the status page as carol’s in the API');
  });
  stage.clock.pass(9);
  await steps.step('One task is done, pressed in the list; one is open.', async expect => {
    await hands.types(alice, roomOf(play), '/task list');
    const list = alice.sees(roomOf(play)).at(-1);
    if (list === undefined) throw new Error('There is no list.');
    await hands.presses(alice, list, 'Done', 'Roll back release 1141');
    const { taskList } = await readIncident(play);
    expect(taskList.todoCount === 1 && taskList.doneCount === 1, 'one task open and one done in the API');
    expect(reads(play, cardOf(play)).includes('1 open, 1 done'), '“1 open, 1 done” on the card');
  });
}
