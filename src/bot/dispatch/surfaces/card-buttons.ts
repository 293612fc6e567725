import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, plain } from '../../text/blocks.ts';
import type { Context } from '../feature/context.ts';
import {
  type Button,
  type ButtonFace,
  type CardButton,
  type CardPlace,
  cardPlaces,
  defineButton,
  type Face,
  type Feature,
  menuBlockId,
  pressable,
} from '../feature/feature.ts';

/** Puts a button on a card. An entry of the menu has {@link OnIncident} as its value. */
export function onCard<V>(place: CardPlace, button: Button<V>, value: V, face: Partial<ButtonFace> = {}): CardButton {
  return { place, button: button as Button, value, face };
}

/** The value of a button that needs to know the incident alone. */
export const OnIncident = z.object({ incidentID: z.string() });

/** A button that needs to know the incident alone. */
export function incidentButton(
  face: Face & { readonly reads?: boolean; readonly isGone?: true },
  run: (ctx: Context, incidentID: string) => Promise<unknown>,
): Button<z.output<typeof OnIncident>> {
  return { ...face, value: OnIncident, run: async (ctx, { value }) => void (await run(ctx, value.incidentID)) };
}

/**
 * The menu of a card. Choosing an entry presses the button of that id, with the value that the row's block id carries: an entry holds
 * too few characters for both.
 */
export const cardMenu = defineButton({
  id: 'card.menu',
  label: 'More',
  value: OnIncident,
  run: async () => {
    throw new Error('The dispatcher presses the button that was chosen in the menu');
  },
});

const toEntry = ({ button, face }: CardButton) => ({
  text: plain(face.label ?? button.label, slackLimits.optionText),
  value: button.id,
});

/** The row under an incident's card; undefined when no feature offers anything. At most one of its buttons is primary. */
export function cardRow(
  features: readonly Feature[],
  incident: Incident,
  commander: string,
  opensByLink: boolean,
): KnownBlock | undefined {
  const offered = features.flatMap(feature => feature.onCard?.(incident, commander, opensByLink) ?? []);
  const inOrder = cardPlaces.flatMap(place => offered.filter(each => each.place === place));
  const buttons = inOrder.filter(each => each.place !== 'menu');
  const main = buttons.find(each => each.face.style === 'primary');
  const entries = inOrder.filter(each => each.place === 'menu').slice(0, slackLimits.overflowOptions);
  const { incidentID } = incident;
  const elements: ActionsBlockElement[] = [
    ...buttons.map(({ button, value, face: { style: _, ...face } }) => {
      const style = button === main?.button ? ({ style: 'primary' } as const) : {};
      const element = pressable<unknown>({ id: button.id, label: button.label }, value, { ...face, ...style });
      const spoken = `${face.label ?? button.label}, ${incidentLabel(incidentID)}`;
      return { ...element, accessibility_label: plain(spoken, slackLimits.spokenText).text };
    }),
    ...(entries.length === 0
      ? []
      : [{ type: 'overflow' as const, action_id: cardMenu.id, options: entries.map(toEntry) }]),
  ];
  return elements.length === 0 ? undefined : actions(elements, menuBlockId(cardMenu, { incidentID }));
}
