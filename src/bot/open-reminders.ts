import type { Feature } from './dispatch/feature/feature.ts';
import { Reminders } from './duties/reminders.ts';
import type { IncidentDeps } from './incident/acts/intent-kind.ts';
import type { SayDeps } from './incident/lines/say.ts';
import type { BotOptions } from './options.ts';

/** Reminds people of what is owed; each feature has its own buttons below a reminder. */
export function openReminders(
  { database, features, settings, clock, log }: BotOptions,
  parts: Pick<ConstructorParameters<typeof Reminders>[0], 'rooms' | 'updates' | 'people' | 'commanderRole' | 'teamId'>,
  incidents: () => IncidentDeps,
): Reminders {
  const kinds = features.flatMap(feature => feature.intents ?? []);
  return new Reminders({
    ...{ ...parts, database, settings, incidents, clock, log },
    sayingKinds: kinds.flatMap(kind => (kind.room?.update ? [kind.kind] : [])),
    // What one does about it stands before what puts it off.
    buttonsOf: reminded => features.flatMap(feature => feature.onReminder?.(reminded) ?? []),
  });
}

/** The buttons of a line: those of the act that it offers, or those of a reminder. */
export function lineButtons(features: readonly Feature[], reminders: () => Reminders): SayDeps['lineButtonsOf'] {
  return async (offers, incidentID) =>
    offers === 'update' || offers === 'lead'
      ? reminders().buttonsOf({ incidentID, kind: offers, about: '', audience: 'room' })
      : features.flatMap(feature => feature.onLine?.(offers, incidentID) ?? []);
}
