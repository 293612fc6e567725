import { isProvisional } from '../../journal/provisional-id.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import type { Room } from './room-store.ts';

/** The name of an incident in a sentence, as plain text. An incident that the API does not know yet has no number. */
export function incidentName(incidentID: string): string {
  return isProvisional(incidentID) ? 'this incident' : `incident ${incidentID}`;
}

/** An incident's title behind its label, as mrkdwn; `""` where it is not known. */
export function titleBehind(title: string): string {
  return title === '' ? '' : ` “${toMrkdwn(title, 150)}”`;
}

/** An incident by its number, as mrkdwn: `incident 7`. */
export function incidentLabel(incidentID: string, word: 'incident' | 'Incident' = 'incident'): string {
  return `${word} ${toMrkdwn(incidentID, 40)}`;
}

type Mentioned = Pick<Room, 'channelId' | 'channelName' | 'refusal'>;

/** The words behind the mention of a closed channel, by Slack's word. */
const notes: ReadonlyMap<string, string> = new Map([
  ['is_archived', ' (archived)'],
  ['channel_not_found', ' (no longer exists, or I cannot see it)'],
]);

/** The mention of the incident's channel, which says when it is closed; `""` when it has none. */
export function roomMention(room: Mentioned | undefined): string {
  return room && room.channelName !== '' ? homeMention(room) : '';
}

/** The mention of the channel in which an incident lives, its own or not; `""` when it has none. */
export function homeMention({ channelId, refusal }: Omit<Mentioned, 'channelName'>): string {
  if (channelId === '') return '';
  return `<#${channelId}>${notes.get(refusal ?? '') ?? ''}`;
}

/** Whether the incident's channel is archived or gone, so that it takes no commands. */
export function isClosed({ refusal }: Room): boolean {
  return notes.has(refusal ?? '');
}
