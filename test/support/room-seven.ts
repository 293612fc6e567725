import { noSources, type Room } from '../../src/bot/incident/state/room-store.ts';

/** The room of incident 7, with a card. */
export const roomSeven: Room = {
  incidentID: '7',
  teamId: 'T1',
  channelId: 'C1',
  channelName: 'inc-7',
  isLinked: false,
  isPrivate: false,
  cardTs: '1.2',
  announcementChannelId: '',
  announcementTs: '',
  declaredBy: '',
  sources: noSources,
};
