import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import type { Words } from '../../text/blocks.ts';
import { incidentColor } from '../../text/signs.ts';
import { type CardInputDeps, readCardInput } from './card-input.ts';
import { cardParts, partsBlocks, partsText } from './card-view.ts';

/** The rows of a card. */
export interface CardRows {
  /** One of its buttons hands each person a link of their own to the page, so the card has no plain link. */
  readonly opensByLink: boolean;
  /** The row that invites people into the private room of an incident. */
  inviteRowOf(incidentID: string): KnownBlock;
  /** The row of buttons under an incident's card; undefined for none. */
  rowOf(incident: Incident): Promise<KnownBlock | undefined>;
  /** The buttons under the card of one that is not registered yet. */
  declaredButtonsOf(incidentID: string): readonly ActionsBlockElement[];
}

/** The card as it stands in the incident's channel. */
export async function toCard(deps: CardInputDeps & CardRows, incident: Incident, asOf?: Date): Promise<Words> {
  const input = await readCardInput(deps, incident);
  const parts = cardParts(deps.opensByLink ? { ...input, overview: '' } : input, asOf);
  const row = await deps.rowOf(incident);
  const mayInvite = input.insiders !== undefined && incident.status !== 'resolved';
  const invite = mayInvite ? [deps.inviteRowOf(incident.incidentID)] : [];
  const color = incidentColor(deps.settings.severities, incident, isMistake(incident));
  return {
    text: partsText(parts),
    isWhole: true,
    blocks: [...partsBlocks(parts), ...(row ? [row] : []), ...invite],
    color,
  };
}
