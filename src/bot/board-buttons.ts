import { isMistake } from '../contract/mistakes.ts';
import { inviteRow, wayIn } from './dispatch/answers/way-in.ts';
import type { Feature } from './dispatch/feature/feature.ts';
import { cardRow } from './dispatch/surfaces/card-buttons.ts';
import type { Reminders } from './duties/reminders.ts';
import type { createCards } from './incident/board/loop.ts';

/** The buttons of every feature, where the board and the lines show them. */
type BoardButtons = Pick<
  Parameters<typeof createCards>[0],
  | 'opensByLink'
  | 'rowOf'
  | 'declaredButtonsOf'
  | 'nextRowOf'
  | 'joinOf'
  | 'inviteRowOf'
  | 'alertButtonsOf'
  | 'lineButtonsOf'
  | 'offersOf'
>;

/**
 * Gathers them from the features. `commander` is the name of the role that leads an incident, or `""`; `opensByLink`: people need a link of
 * their own for a page.
 */
export function boardButtons(
  features: readonly Feature[],
  commander: () => Promise<string>,
  reminders: () => Reminders,
  opensByLink: boolean,
): BoardButtons {
  return {
    opensByLink,
    rowOf: async incident => cardRow(features, incident, await commander(), opensByLink),
    declaredButtonsOf: incidentID => features.flatMap(feature => feature.onDeclared?.(incidentID) ?? []),
    nextRowOf: over => {
      const of = isMistake(over.incident) ? 'onMistake' : 'onOver';
      return features.flatMap(feature => feature[of]?.(over) ?? []);
    },
    joinOf: incidentID => [wayIn(incidentID)],
    inviteRowOf: inviteRow,
    alertButtonsOf: offer => features.flatMap(feature => feature.onAlert?.(offer) ?? []),
    // A reminder has its own buttons, and any other line those of the act that it offers.
    lineButtonsOf: async (offers, incidentID) =>
      offers === 'update' || offers === 'lead'
        ? reminders().buttonsOf({ incidentID, kind: offers, about: '', audience: 'room' })
        : features.flatMap(feature => feature.onLine?.(offers, incidentID) ?? []),
    offersOf: incident => features.flatMap(feature => feature.onOffer?.(incident) ?? []),
  };
}
