import { Reminders } from './duties/reminders.ts';
import type { IncidentDeps } from './incident/acts/intent-kind.ts';
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
