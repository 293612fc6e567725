import type { Scene } from '../story.ts';
import { cardSays, findRoom, readIncident } from './incident.ts';

export const roles: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice, bob, carol } = cast;
  system.clock.pass(2);
  transcript.scene('Who does what', 'Roles stand on the card, for everybody who joins later.');
  const holds = async (role: string, name: string) =>
    (await readIncident(story)).incidentMembership.assignments.some(
      each => each.role.name === role && each.user.name === name,
    );
  await check('Bob is commander, in the API and on the card.', {
    act: () => bob.types(findRoom(story), '/role assign @bob commander'),
    look: async expect => {
      expect(await holds('commander', 'bob'), 'bob as commander in the API');
      expect(cardSays(story, 'Commander @bob'), 'bob as commander on the card');
    },
  });
  await check('Alice is investigator, in the API and on the card.', {
    act: async () => {
      const room = findRoom(story);
      await alice.joins(room);
      await carol.joins(room);
      await alice.types(room, '/role assign me investigator');
    },
    look: async expect => {
      expect(await holds('investigator', 'alice'), 'alice as investigator in the API');
      expect(cardSays(story, 'Investigating @alice'), 'alice as investigator on the card');
    },
  });
};

export const tasks: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice, bob } = cast;
  system.clock.pass(2);
  transcript.scene('What has to be done', 'Muster tells a person about a task, and counts the tasks on the card.');
  await check('The API has two tasks, one for alice and one for carol.', {
    act: async () => {
      const room = findRoom(story);
      await bob.types(room, '/task add Roll back release 1141 @alice');
      await bob.types(room, '/task add Put it on the status page @carol');
    },
    look: async expect => {
      const { taskList } = await readIncident(story);
      const own = taskList.tasks.map(each => `${each.text}: ${each.assignedUser?.name}`);
      expect(own.length === 2, 'two tasks');
      expect(own.includes('Roll back release 1141: alice'), 'the roll back as alice’s in the API');
      expect(own.includes('Put it on the status page: carol'), 'the status page as carol’s in the API');
    },
  });
  system.clock.pass(9);
  await check('Alice reads the tasks, with a button for hers.', {
    act: () => alice.types(findRoom(story), '/task list'),
    look: expect => {
      const list = alice.lastRead(findRoom(story));
      for (const words of ['Roll back release 1141', '[Done]']) expect(list.includes(words), words);
    },
  });
  await check('One task is done and one is open, in the API and on the card.', {
    act: () => {
      const list = alice.lastMessage(findRoom(story));
      return alice.presses(list, 'Done', 'Roll back release 1141');
    },
    look: async expect => {
      const { taskList } = await readIncident(story);
      expect(taskList.todoCount === 1 && taskList.doneCount === 1, 'one task open and one done in the API');
      expect(cardSays(story, '1 open, 1 done'), '“1 open, 1 done” on the card');
    },
  });
};
