import type { IntentKind, ReceiptContext } from '../../incident/acts/intent-kind.ts';
import { incidentIn } from '../feature/guarded-deps.ts';

/** Where the line about a change goes: whether its room may read it, and whether it appears where the person acted. */
export interface LinePlace {
  readonly channelId: string;
  readonly isRead: boolean;
  readonly isBeside: boolean;
}

/** The place of the line about a change; undefined when it has none. */
export async function findLine<P, R>(
  { deps, location }: ReceiptContext,
  { room: says }: IntentKind<P, R>,
  payload: P,
): Promise<LinePlace | undefined> {
  const incidentID = says?.line && incidentIn(payload);
  const room = incidentID === undefined ? undefined : await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return undefined;
  const { channelId, receipts } = room;
  const isRead = (await deps.visibility.share('line', room, channelId)) === 'all';
  const isHere = location.channelId === channelId && location.threadTs === '';
  return { channelId, isRead, isBeside: isRead && isHere && (receipts || deps.settings.receipts) === 'channel' };
}
