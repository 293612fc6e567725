import { incidentLabel } from '../state/incident-name.ts';
import type { Room, Rooms } from '../state/room-store.ts';

/** The beginning of a room's lines, as mrkdwn: it names the incident where others live in the same channel; `""` where none does. */
export async function lineSubject(rooms: Rooms, room: Room): Promise<string> {
  const stored = await rooms.find(room.incidentID);
  return (stored?.isAlone ?? true) ? '' : `*${incidentLabel(room.incidentID, 'Incident')}:* `;
}
