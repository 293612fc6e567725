import type { RequestListener } from 'node:http';
import type { Deps } from './dispatch/feature/deps.ts';
import type { Sightings } from './doctor/sightings.ts';
import type { Reminders } from './duties/reminders.ts';
import { coalesce } from './journal/coalesce.ts';
import { openAlerting } from './open-alerting.ts';
import { openPaging } from './open-paging.ts';
import { openReminders } from './open-reminders.ts';
import type { BotOptions } from './options.ts';
import type { Paging } from './pager/paging.ts';

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
