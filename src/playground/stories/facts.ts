import type { Incident } from '../../contract/incidents.ts';
import { type Channel, type Message, type Person, renderMessage } from '../../fake-slack/fake-slack.ts';
import type { Hands } from './actors.ts';
import type { Stage } from './stage.ts';
import type { Steps } from './steps.ts';
import type { Transcript } from './transcript.ts';

/** What every scene works with. */
export interface Play {
  readonly stage: Stage;
  readonly hands: Hands;
  readonly steps: Steps;
  readonly transcript: Transcript;
}

/** The number of the incident that is played. */
export const incidentID = '1';

/** The incident as the API has it now. */
export async function readIncident({ stage }: Play): Promise<Incident> {
  return (await stage.muster.api.IncidentsService.GetIncident({ incidentID })).incident;
}

/** The incident's channel. Throws when nobody made one. */
export function roomOf({ stage }: Play): Channel {
  const room = stage.slack.channels.find(channel => channel.name.startsWith(`inc-${incidentID}-`));
  if (room === undefined) throw new Error('There is no channel for the incident.');
  return room;
}

/** The pinned card in the incident's channel. Throws when there is none. */
export function cardOf(play: Play): Message {
  const card = roomOf(play).messages.find(message => message.pinned);
  if (card === undefined) throw new Error('There is no pinned card in the incident’s channel.');
  return card;
}

/** What somebody reads last in a channel. */
export function lastRead({ stage }: Play, person: Person, channel: Channel | string): string {
  const last = person.sees(channel).at(-1);
  return last === undefined ? '' : renderMessage(stage.slack, last);
}

/** What people read in a message. */
export function reads({ stage }: Play, message: Message): string {
  return renderMessage(stage.slack, message);
}
