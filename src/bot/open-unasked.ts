import type { RequestListener } from 'node:http';
import { Alerting } from './alerts/alerting.ts';
import { createAlertDoor } from './alerts/door.ts';
import { type HookDelivery, isTaken } from './alerts/hook-door.ts';
import type { AlertActs } from './alerts/owed.ts';
import { readAlert } from './alerts/read/read.ts';
import { toSeverity } from './alerts/read/severity.ts';
import type { AlertSource } from './alerts/read/source.ts';
import { withWindow } from './alerts/read/window.ts';
import type { AlertRules } from './alerts/rules.ts';
import type { Deps } from './dispatch/feature/deps.ts';
import type { Sightings } from './doctor/sightings.ts';
import { Reminders } from './duties/reminders.ts';
import type { IncidentDeps } from './incident/acts/intent-kind.ts';
import { coalesce } from './journal/coalesce.ts';
import { openPaging } from './open-paging.ts';
import type { AlertOptions, BotOptions } from './options.ts';
import type { Paging } from './pager/paging.ts';

/** Takes alerts; `door` is undefined where no source may send any. */
function openAlerting(
  { alerts, database, features, settings, deadlines, clock, log }: BotOptions,
  incidents: () => IncidentDeps,
  teamId: string,
  sightings: Pick<Sightings, 'noteAlert'>,
): { readonly alerting: Alerting; readonly door: RequestListener | undefined } {
  const { sources = [], observe = () => undefined, ...rules } = alerts ?? noAlerts;
  const alerting = new Alerting({
    ...{ database, teamId, rules, incidents, clock, log },
    // Each act is a feature's own.
    acts: Object.assign({}, ...features.map(feature => feature.alertActs ?? {})) as AlertActs,
    toSeverity: (source, said) => toSeverity(settings.severities, source, said),
    refresh: (id, isUrgent) => incidents().cards.refresh(id, isUrgent),
  });
  const read: Parameters<typeof createAlertDoor>[0]['read'] = (source, body) => {
    const group = readAlert(source, body);
    const links = group.links.map(link => ({ ...link, url: withWindow(link, group.startedAt) }));
    return { ...group, links };
  };
  const hear = (source: AlertSource, group: ReturnType<typeof readAlert>) =>
    alerting.hear({ ...source, channel: source.channel || settings.announceChannel }, group);
  const watched = (delivery: HookDelivery) => {
    sightings.noteAlert(delivery.source, isTaken(delivery.result) ? 'stored' : delivery.result);
    observe(delivery);
  };
  const door = createAlertDoor({ sources, read, hear, observe: watched, deadlines, clock, log });
  return { alerting, door: sources.length === 0 ? undefined : door };
}

const noAlerts: Partial<AlertOptions> & AlertRules = { endsAlone: false, againWithin: 0, storm: undefined };

/** Reminds people of what is owed; each feature has its own buttons below a reminder. */
function openReminders(
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

/** The parts of Muster that act unasked: on alerts, on the answers of pagers, and at a time. */
export interface Unasked {
  readonly paging: Paging;
  readonly reminders: Reminders;
  /** Take what tools send; undefined where none may send any. */
  readonly doors: { readonly alerts: RequestListener | undefined; readonly pages: RequestListener | undefined };
  /** What they keep for a time. */
  readonly stores: readonly [Paging, Reminders['store']];
  /** Does what is due; happens once a second. Never throws. */
  look(): Promise<void>;
  /** Resolves when nothing goes on. */
  idle(): Promise<void>;
  /** Begins nothing more. */
  stop(): void;
}

/** Opens the parts that act unasked. */
export function openUnasked(
  options: BotOptions,
  parts: Parameters<typeof openReminders>[1],
  deps: () => Deps,
  sightings: Pick<Sightings, 'noteAlert' | 'notePage'>,
): Unasked {
  const { features, clock } = options;
  const reminders = openReminders(options, parts, deps);
  const { alerting, door: alerts } = openAlerting(options, deps, parts.teamId, sightings);
  const { paging, door: pages } = openPaging(options, deps, sightings);
  const looks = [paging, reminders].map(each => coalesce(() => each.look()));
  const ofFeatures = coalesce(async () => {
    await Promise.all(features.map(each => each.onTick?.(deps(), clock())));
  });
  let isStopped = false;
  return {
    ...{ paging, reminders, doors: { alerts, pages }, stores: [paging, reminders.store] },
    look: async () => {
      // What features do may take long, and the next tick does not wait for it.
      void ofFeatures.run();
      await Promise.all([alerting.look(), ...(isStopped ? [] : looks.map(each => each.run()))]);
    },
    idle: async () => {
      await alerting.idle();
      await reminders.idle();
      for (const each of [...looks, ofFeatures]) await each.pending();
    },
    stop: () => {
      isStopped = true;
      alerting.stop();
    },
  };
}
