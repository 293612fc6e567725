import { findRoom } from '../../../playground/stories/incident.ts';
import { openSteps } from '../../../playground/stories/steps.ts';
import type { Scene } from '../../../playground/story.ts';
import { openTaking } from '../pagers/taking.ts';

const taking = await openTaking();

/** The settings of a team with the pager `sre`. */
export const pagerSettings = { PAGERS: taking.toSetting('sre') };

/** The pager: a page by command, and one after a question. */
export const pager: Scene = async story => {
  const { bob } = story.cast;
  story.transcript.scene('The pager', 'Somebody is paged, at once and after a question.');
  const room = openSteps(story, findRoom(story));
  await room.types(bob, '/incident page sre the pool is empty', 'You paged');
  await room.types(bob, '/incident page', 'Nobody was paged again');
  await room.presses(bob, 'Page sre', 'You paged');
};
