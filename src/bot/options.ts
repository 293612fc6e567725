import type { AlertSource } from '../config/alert-sources.ts';
import type { pagerSettings } from '../config/pager-settings.ts';
import type { ValuesOf } from '../config/setting.ts';
import type { Api } from '../contract/contract.ts';
import type { Timers } from '../contract/timers.ts';
import type { Database } from '../db/database.ts';
import type { HookDelivery } from './alerts/hook-door.ts';
import type { Feature } from './dispatch/feature/feature.ts';
import type { ProbedApi } from './doctor/api.ts';
import type { Surroundings } from './doctor/installation.ts';
import type { Settings } from './incident/state/settings.ts';
import { maxConcurrentLanes } from './journal/worker.ts';
import type { Post } from './pager/pager.ts';
import type { PageResult } from './pager/paging.ts';
import type { SlackOptions } from './slack/connection.ts';

/** Calls to the API that the bot makes at a time for intents that nobody waits for. */
export const maxConcurrentAttempts = maxConcurrentLanes;

interface AlertOptions {
  readonly sources: readonly AlertSource[];
  readonly observe: (delivery: HookDelivery) => void;
}

/** The pagers of the team, and how they are reached. */
export interface PagerOptions extends ValuesOf<typeof pagerSettings> {
  readonly post: Post;
  /** Hears of each attempt to reach a pager. */
  readonly observe: (attempt: { readonly pager: string; readonly result: PageResult }) => void;
}

/** What the bot is made of. */
export interface BotOptions extends SlackOptions {
  /** The calls of the API, whether it answers at present (`closed`), and how the next call tries it though it did not a moment ago. */
  readonly api: Api & { readonly health: () => { readonly state: string }; readonly hurry: () => void };
  readonly database: Database;
  readonly features: readonly Feature[];
  readonly settings: Settings;
  readonly surroundings: Surroundings;
  /** How long a call of the API whose answer was lost may still take effect, in milliseconds. */
  readonly landing: number;
  /** The Grafana whose token is tried at the start; absent for the embedded service, which takes none. */
  readonly grafana?: ProbedApi | undefined;
  /** The sources of alerts; absent: none. */
  readonly alerts?: AlertOptions | undefined;
  /** The pagers of the team; absent: none. */
  readonly paging?: PagerOptions | undefined;
  /** Makes the address that opens a path of the pages for one person, by Slack's id, once; absent where pages need no such link. */
  readonly pageLink?: ((userId: string, path: string) => Promise<string>) | undefined;
  /** Hears of each delivery that was acknowledged before it was stored. */
  readonly observeUnstored?: () => void;
  /** Hears of each delivery that is not tried any more. */
  readonly observeGivenUp?: ((why: 'failed' | 'set aside') => void) | undefined;
  /** Incidents older than so many days are forgotten once the API does not have them; absent or 0: none is. */
  readonly incidentRetentionDays?: number;
  /** Milliseconds of a clock that never steps. */
  readonly monotonicNow: () => number;
  /** Milliseconds of a clock that goes on while the machine sleeps; absent: `clock`. */
  readonly bootTimeNow?: (() => number) | undefined;
  /** The name that the leases of this process bear, that of an earlier one that hung (`""` for none), and what watches that this one does not. */
  readonly life?: { readonly owner: string; readonly hung: string; watch(): AsyncDisposable } | undefined;
  /** Signs the webhooks that the incident API sends to Muster; absent or `""` when it sends none. */
  readonly incidentWebhookSecret?: string;
  /** Absent: those of the process. */
  readonly timers?: Timers | undefined;
}
