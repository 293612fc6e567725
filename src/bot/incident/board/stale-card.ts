import { digest, type Shown } from '../state/digests.ts';
import type { Snapshots } from '../state/snapshots.ts';
import { toCard } from './card.ts';
import type { ShowDeps } from './round.ts';
import { editBoard } from './write.ts';

/**
 * Shows the card as the API last had it, marked with that time, while the API does not answer. Returns the digest of the card; nothing
 * when there is no card or no snapshot. Throws Slack's refusals.
 */
export async function showStale(
  deps: ShowDeps & { readonly snapshots: Pick<Snapshots, 'get'> },
  incidentID: string,
  before: Partial<Shown>,
): Promise<Partial<Shown>> {
  const room = await deps.rooms.ofIncident(incidentID);
  const whole = (await deps.snapshots.get(incidentID))?.whole;
  if (!room || room.cardTs === '' || !whole) return {};
  const { channelId: channel, cardTs: ts } = room;
  if ((await deps.visibility.share('card', whole.incident, channel)) !== 'all') return {};
  const words = await toCard(deps, whole.incident, whole.seenAt);
  const card = digest(words);
  if (card === before.card) return {};
  await editBoard(deps.slack, { channel, ts }, words);
  return { card };
}
