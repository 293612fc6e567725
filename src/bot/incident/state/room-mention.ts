import type { Room } from './room-store.ts';

/** The mention of the incident's channel; `""` when it has none. */
export function roomMention(room: Pick<Room, 'channelId' | 'channelName'> | undefined): string {
  return room && room.channelName !== '' ? `<#${room.channelId}>` : '';
}
