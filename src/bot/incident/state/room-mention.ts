import type { Room } from './room-store.ts';

type Mentioned = Pick<Room, 'channelId' | 'channelName' | 'refusal'>;

/** What stands behind a channel in which nobody can type. */
const notes: ReadonlyMap<string, string> = new Map([
  ['is_archived', ' (archived)'],
  ['channel_not_found', ' (no longer exists, or I cannot see it)'],
]);

/** The mention of the incident's channel, which says when nobody can type there; `""` when it has none. */
export function roomMention(room: Mentioned | undefined): string {
  return room && room.channelName !== '' ? homeMention(room) : '';
}

/** The same of the channel in which the incident lives, its own or not. */
export function homeMention({ channelId, refusal }: Omit<Mentioned, 'channelName'>): string {
  if (channelId === '') return '';
  return `<#${channelId}>${notes.get(refusal ?? '') ?? ''}`;
}

/** Whether nobody can type in the incident's channel: it is archived or gone. */
export function isClosed({ refusal }: Room): boolean {
  return notes.has(refusal ?? '');
}
