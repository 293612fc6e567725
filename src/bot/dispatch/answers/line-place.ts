import type { IntentKind, ReceiptContext } from '../../incident/acts/intent-kind.ts';
import { unreadWords } from '../../incident/state/refusal-words.ts';
import { incidentIn } from '../feature/guarded-deps.ts';

/** Where the line about a change goes. */
interface LinePlace {
  /** Why its room does not read it (mrkdwn); `""` where it does, or wants no lines. */
  readonly unread: string;
  /** The room reads it. */
  readonly isRead: boolean;
  /** It appears where the person acted. */
  readonly isBeside: boolean;
}

/** The place of the line about a change; undefined when it has none. */
export async function findLine<P, R>(
  { deps, location }: ReceiptContext,
  kind: IntentKind<P, R>,
  payload: P,
  result: R,
): Promise<LinePlace | undefined> {
  if (!kind.room?.line) return undefined;
  const incidentID = kind.registers?.(result) ?? incidentIn(payload);
  const room = incidentID === undefined ? undefined : await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return undefined;
  // The channel of a declaration reads of it in a line, the announcement or the card. Nothing is asked: people wait for this answer.
  if (kind.registers)
    return { unread: '', isRead: true, isBeside: location.channelId !== '' && location.threadTs === '' };
  const { channelId, receipts } = room;
  const isShared = (await deps.visibility.share('line', room, channelId)) !== 'all';
  // Slack was asked just now, where what is known was old.
  const { refusal } = (await deps.rooms.ofIncident(room.incidentID)) ?? room;
  const isHere = location.channelId === channelId && location.threadTs === '';
  const mode = receipts || deps.settings.receipts;
  const isRead = !isShared && !refusal && mode !== 'quiet';
  const isBeside = isRead && isHere && mode === 'channel';
  if (isShared)
    return { unread: `I did not say so in <#${channelId}>: people of another organisation read it.`, isRead, isBeside };
  return { unread: refusal ? unreadWords(room, refusal) : '', isRead, isBeside };
}
