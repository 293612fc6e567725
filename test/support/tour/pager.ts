import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findRoom } from '../../../src/playground/stories/incident.ts';
import { openSteps } from '../../../src/playground/stories/steps.ts';
import type { Scene } from '../../../src/playground/story.ts';

/** The pager of the team: it takes every page. */
const taking = createServer((_request, response) => response.writeHead(204).end())
  .listen(0, '127.0.0.1')
  .unref();
await once(taking, 'listening');

/** The settings of a team with the pager `sre`. */
export const pagerSettings = {
  PAGERS: `sre=webhook:http://127.0.0.1:${(taking.address() as AddressInfo).port}/page|secret-of-the-pager-of-the-tour`,
};

/** The pager: a page by command, and one after a question. */
export const pager: Scene = async story => {
  const { bob } = story.cast;
  story.transcript.scene('The pager', 'Somebody is paged, at once and after a question.');
  const room = openSteps(story, findRoom(story));
  await room.types(bob, '/incident page sre the pool is empty', 'Done.');
  await room.types(bob, '/incident page', 'Page for incident');
  await room.presses(bob, 'Page sre', 'Done.');
};
