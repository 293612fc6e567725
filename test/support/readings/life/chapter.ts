import type { Channel, Person } from '../../../../playground/fake-slack/fake-slack.ts';
import type { Stage } from '../stage.ts';

/** A part of the life, which all people of the team play. */
export type Chapter = (stage: Stage) => Promise<void>;

/** Yields an incident’s room, with bob and dora in it. */
export async function declare(stage: Stage, title: string, flags = ''): Promise<Channel> {
  const { alice, bob, dora } = stage.people;
  await stage.type(alice, `/incident declare ${title} ${flags} --now`.replaceAll(/ +/g, ' '));
  const room = stage.room();
  if (!room.isPrivate) for (const person of [bob, dora]) person.join(room);
  await stage.quiet();
  return room;
}

/** The incident of a title. Throws when there is none. */
export async function numberOf({ api }: Stage, title: string) {
  const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews({ query: { limit: 100 } });
  const found = incidentPreviews.find(each => each.title === title);
  if (!found) throw new Error(`There is no incident “${title}”`);
  return found;
}

/** A private channel with these people and the bot. */
export async function privateRoom({ slack }: Stage, ...members: Person[]): Promise<Channel> {
  return slack.addChannel({ name: `hidden-${slack.channels.length}`, isPrivate: true, members, botIsMember: true });
}

/** The newest incident. */
export async function newest({ api }: Stage) {
  const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews({ query: { limit: 1 } });
  const [found] = incidentPreviews;
  if (!found) throw new Error('There is no incident');
  return found;
}
