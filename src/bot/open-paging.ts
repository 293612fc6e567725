import type { RequestListener } from 'node:http';
import type { PagerSetting } from '../config/pager-settings.ts';
import type { Deadlines } from '../deadlines.ts';
import type { Sightings } from './doctor/sightings.ts';
import type { IncidentDeps } from './incident/acts/intent-kind.ts';
import type { BotOptions, PagerOptions } from './options.ts';
import { PageStore } from './pager/page-store.ts';
import { openPagerDuty, openWebhookPager, type Pager, type Post } from './pager/pager.ts';
import { createPageDoor, Paging } from './pager/paging.ts';

/** Pages the pagers of the team; `door` is undefined where it has none. */
export function openPaging(
  { paging: options, database, deadlines, clock, log }: BotOptions,
  incidents: () => IncidentDeps,
  sightings: Sightings,
): { readonly paging: Paging; readonly door: RequestListener | undefined } {
  const pagers = options?.pagers.map(each => openPager(each, { ...options, deadlines, clock })) ?? [];
  const observe: PagerOptions['observe'] = attempt => {
    sightings.notePage(attempt.pager, attempt.result);
    options?.observe(attempt);
  };
  const store = new PageStore(database, clock);
  const paging = new Paging({ ...{ pagers, store, incidents, observe, log }, group: options?.pagerGroup ?? '' });
  // Its answers are in the log, and in the rooms.
  const door = createPageDoor({
    ...{ pagers, deadlines, clock, log },
    observe: () => undefined,
    hear: (pager, heard) => paging.hear(pager, heard),
  });
  return { paging, door: pagers.length === 0 ? undefined : door };
}

/** Opens the way to a pager. */
export function openPager(
  setting: PagerSetting,
  deps: { readonly post: Post; readonly deadlines: Deadlines; readonly clock: () => Date },
): Pager {
  return setting.kind === 'pagerduty' ? openPagerDuty(setting, deps) : openWebhookPager(setting, deps);
}
