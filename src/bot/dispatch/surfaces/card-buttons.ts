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
  type Face,
  type Feature,
  pressable,
} from '../feature/feature.ts';

/** Puts a button on a card. */
export function onCard<V>(place: CardPlace, button: Button<V>, value: V, face: Partial<ButtonFace> = {}): CardButton {
  return { place, button: button as Button, value, face };
}

/** The value of a button that needs to know the incident alone. */
export const OnIncident = z.object({ incidentID: z.string() });

/** A button that needs to know the incident alone. */
export function incidentButton(
  face: Face & { readonly reads?: boolean; readonly isUrgent?: true; readonly isGone?: true },
  run: (ctx: Context, incidentID: string) => Promise<unknown>,
): Button<z.output<typeof OnIncident>> {
  return { ...face, value: OnIncident, run: async (ctx, { value }) => void (await run(ctx, value.incidentID)) };
}

/** The row under an incident's card; undefined when no feature offers anything. At most one of its buttons is primary. */
export function cardRow(
  features: readonly Feature[],
  incident: Incident,
  facts: Parameters<NonNullable<Feature['onCard']>>[1],
): KnownBlock | undefined {
  const offered = features.flatMap(feature => feature.onCard?.(incident, facts) ?? []);
  const buttons = cardPlaces.flatMap(place => offered.filter(each => each.place === place));
  const main = buttons.find(each => each.face.style === 'primary');
  const elements = buttons.map(({ button, value, face: { style: _, ...face } }): ActionsBlockElement => {
    const style = button === main?.button ? ({ style: 'primary' } as const) : {};
    const element = pressable<unknown>({ id: button.id, label: button.label }, value, { ...face, ...style });
    const spoken = `${face.label ?? button.label}, ${incidentLabel(incident.incidentID)}`;
    return { ...element, accessibility_label: plain(spoken, slackLimits.spokenText).text };
  });
  return elements.length === 0 ? undefined : actions(elements);
}
