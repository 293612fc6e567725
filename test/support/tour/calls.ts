import { findRoom } from '../../../playground/stories/incident.ts';
import { openSteps } from '../../../playground/stories/steps.ts';
import type { Scene } from '../../../playground/story.ts';

/** Calls: by command and from the card. Root answers in each way, and bob looks who is on call. */
export const calls: Scene = async story => {
  const { bob, root } = story.cast;
  story.transcript.scene('Calls', 'Bob calls root, who answers in each way.');
  const { slack } = story.system;
  const room = findRoom(story);
  const { types, pressesOnCard, submits } = openSteps(story, room);
  // Who is there already is only mentioned.
  slack.person('root').leave(room.id);
  await bob.says(room, 'Root went home.');
  await types(bob, '/incident oncall', 'Who is called now');
  await pressesOnCard(bob, 'Call', 'Call people');
  await submits(bob, 'Call', { 'Who?': root, 'Why?': 'The queue grows' }, 'You called');
  const asked = openSteps(story, slack.openDm(slack.person('root')));
  for (const [button, words] of [
    ['Coming in 5 min', 'you come in 5 min'],
    ['In 15 min', 'you come in 15 min'],
    ['In 30 min', 'you come in 30 min'],
    ['Cannot', 'you cannot come'],
    ['Coming in 5 min', 'you come in 5 min'],
  ] as const)
    await asked.presses(root, button, words);
  await types(bob, '/incident call @root come', 'comes already');
};
