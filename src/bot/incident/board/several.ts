import type { RoundPace } from '../lines/pace.ts';
import { withdrawHidden } from '../lines/say.ts';
import { isOffer } from '../state/alert-store.ts';
import { isBurst } from '../state/burst-store.ts';
import type { Room } from '../state/room-store.ts';
import { hideInOffers, type OfferDeps, showAlertOffer } from './alert-offer.ts';
import { type BurstDeps, showBurst } from './burst.ts';
import type { LeasedCard, Round } from './leases.ts';

/* Messages that are rows among the rooms and no incidents: they tell of several, or offer one. */

/** The parts of Muster that they use. */
export interface SeveralDeps extends BurstDeps, OfferDeps {
  readonly rooms: BurstDeps['rooms'] & OfferDeps['rooms'];
}

/** Whether a row among the rooms is such a message. */
export function isSeveral(id: string): boolean {
  return isBurst(id) || isOffer(id);
}

/** Shows such a message: posts it once, edits it where it differs from what Slack shows. */
export function showSeveral(deps: SeveralDeps, id: string, leased: LeasedCard, pace: RoundPace): Promise<Round> {
  return isBurst(id) ? showBurst(deps, id, leased, pace) : showAlertOffer(deps, id, leased, pace);
}

/** Takes an incident out of messages outside its room whose readers may no longer know of it. */
export async function hideOutside(deps: SeveralDeps & Parameters<typeof withdrawHidden>[0], room: Room): Promise<void> {
  await withdrawHidden(deps, room);
  await hideInOffers(deps, room.incidentID);
}
