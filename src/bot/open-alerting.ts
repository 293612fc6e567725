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
import type { Sightings } from './doctor/sightings.ts';
import type { IncidentDeps } from './incident/acts/intent-kind.ts';
import type { AlertOptions, BotOptions } from './options.ts';

/** Takes alerts; `door` is undefined where no source may send any. */
export function openAlerting(
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
