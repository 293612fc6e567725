import { announceChannel } from '../../../playground/cast.ts';
import type { Message } from '../../../playground/fake-slack/fake-slack.ts';
import { findRoom, incidentOf } from '../../../playground/stories/incident.ts';
import { openSteps } from '../../../playground/stories/steps.ts';
import type { Scene, Story } from '../../../playground/story.ts';

/** The newest offer of an alert in the channel for announcements. Throws when there is none. */
function newestOffer({ system }: Story): Message {
  const { messages } = system.slack.channel(announceChannel);
  const found = messages.findLast(each => JSON.stringify(each.blocks).includes('alert.declare'));
  if (found === undefined) throw new Error('No alert is offered.');
  return found;
}

/** Alerts: one is muted, added to an incident and listed there; another one is declared. Both end. */
export const alerts: Scene = async story => {
  const { bob, watchdog } = story.cast;
  story.transcript.scene('Alerts', 'One is muted, and added to an incident. Another one is declared. Both end.');
  const announced = openSteps(story, `#${announceChannel}`);
  const room = findRoom(story);
  await watchdog.alerts('Fire');
  const message = newestOffer(story);
  await announced.presses(bob, 'Mute 1 h', 'Muted for an hour', { message });
  await announced.presses(bob, 'Unmute', 'No longer muted', { message });
  await announced.presses(bob, 'Add to…', 'To which incident', { message });
  await bob.picks(bob.lastMessage(`#${announceChannel}`), 'alert.add.to', incidentOf(story));
  await openSteps(story, room).types(bob, '/incident alerts', '1 alert of incident');
  await watchdog.alerts('Fire');
  await announced.presses(bob, 'Declare', 'Declare an incident', { message: newestOffer(story) });
  await announced.submits(bob, 'Declare', {}, 'Active since');
  await watchdog.alerts('End all');
};
