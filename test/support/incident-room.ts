import type { Channel, Message, Person } from '../../src/fake-slack/fake-slack.ts';
import type { Workplace } from './workplace.ts';

/** Declares an incident at once and yields its channel. */
export async function declareNow(place: Workplace, person: Person, from: Channel, title: string): Promise<Channel> {
  const before = new Set(place.slack.channels.map(channel => channel.id));
  await person.command(from, `/incident declare ${title} --now`);
  await place.quiet();
  const made = place.slack.channels.find(channel => !before.has(channel.id) && !channel.isIm);
  if (!made) throw new Error(`No channel was made: ${place.reads(person, from.name).at(-1)}`);
  return made;
}

/** The notes of an incident, oldest first. */
export async function notesOf(place: Workplace, incidentID: string) {
  const { activityItems } = await place.api.ActivityService.QueryActivity({
    query: { incidentID, activityKind: ['userNote'], orderDirection: 'ASC' },
  });
  return activityItems;
}

/** The last message that a person sees in a channel; throws when there is none. */
export function lastMessage(place: Workplace, person: Person, channel: Channel): Message {
  const message = place.messages(person, channel.id).at(-1);
  if (!message) throw new Error(`${person.name} sees nothing in #${channel.name}`);
  return message;
}
