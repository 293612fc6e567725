import type { Channel } from '../../../../playground/fake-slack/fake-slack.ts';
import { pagerNames } from '../pagers.ts';
import type { Declared } from './crowd.ts';
import type { Desk } from './desk.ts';

/** Pages a pager. */
export async function page(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  const pager = desk.random.pick(pagerNames);
  await desk.command('page', incident, place, mark => `/incident page ${pager} ${mark} it burns`, { value: pager });
}
