import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from '../../../playground/fake-slack/fake-slack.ts';
import { findRoom } from '../../../playground/stories/incident.ts';
import { openSteps } from '../../../playground/stories/steps.ts';
import type { Scene } from '../../../playground/story.ts';

/** What is owed: an update that was promised is overdue. The room is reminded; somebody puts that off, and stops it. */
export const reminders: Scene = async story => {
  const { bob } = story.cast;
  const { clock, quiet } = story.system;
  story.transcript.scene(
    'What is owed',
    'An update that was promised is overdue: the room is reminded, until somebody stops that.',
  );
  const room = findRoom(story);
  const { types, presses } = openSteps(story, room);
  const reminder = (): Message | undefined =>
    room.messages.findLast(each => JSON.stringify(each.blocks).includes('reminder.stop'));
  await types(bob, '/incident reminders', 'nobody is reminded');
  await types(bob, '/incident reminders on', 'From now on');
  await types(bob, '/incident update We wait for the vendor --next 10m', 'You posted');
  clock.pass(11);
  for (let times = 0; times < 100 && reminder() === undefined; times += 1) {
    await pause(100);
    await quiet();
  }
  for (const label of ['Snooze 15 min', 'Snooze 30 min', 'Snooze 60 min', 'Stop']) {
    const message = reminder();
    if (message === undefined) throw new Error('Nothing reminds of the update.');
    await presses(bob, label, label === 'Stop' ? 'Stopped' : 'Snoozed until', { message });
  }
  await types(bob, '/incident reminders off', 'nobody is reminded');
};
