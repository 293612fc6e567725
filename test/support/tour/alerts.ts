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

/** Alerts: one is muted, added to an incident and listed there; another one is declared, grows graver and burns on. Both end. */
export const alerts: Scene = async story => {
  const { bob, watchdog } = story.cast;
  const { system } = story;
  story.transcript.scene('Alerts', 'One is added to an incident. Another one is declared, and burns on. Both end.');
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
  const own = system.slack.channels.findLast(each => each.name.startsWith('inc-'));
  if (own === undefined) throw new Error('The alert has no room.');
  const inRoom = openSteps(story, own);
  await watchdog.alerts('Worsen');
  const graver = own.messages.findLast(each => JSON.stringify(each.blocks).includes('incident.raise'));
  await inRoom.presses(bob, 'Raise severity', 'critical', graver ? { message: graver } : {});
  await inRoom.types(bob, '/incident resolve --now it was the pool', 'esolved');
  await watchdog.alerts('Repeat');
  await announced.presses(bob, 'Reopen', 'reopened', { message: newestOffer(story) });
  await watchdog.alerts('End all');
};
