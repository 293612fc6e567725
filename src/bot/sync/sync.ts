import type { Logger } from 'pino';
import type { Timers } from '../../contract/timers.ts';
import { Gatherer } from './gatherer.ts';
import { createIncidentHook, type HookHandler } from './incident-hook.ts';
import { Look, type LookDeps } from './look.ts';
import { notice } from './notice.ts';

/** How long after the last look of any process this one looks, in milliseconds. */
export const lookEvery = 10_000;
/** The same while webhooks report changes. Looks are still needed: no webhook reports a task or a note. */
export const rarely = 30_000;

/** The parts of Muster that keeping up with changes elsewhere uses. */
interface SyncDeps extends LookDeps {
  /** Signs the webhooks of the incident API; `""` when it sends none. */
  readonly secret: string;
  /** A genuine webhook arrived. */
  readonly onWebhook: () => void;
  readonly clock: () => Date;
  readonly timers: Timers;
  readonly log: Logger;
}

/** Among the ids that were heard: any incident may have changed. */
const any = '';

/**
 * Brings changes made elsewhere (a page, another client of the API, Grafana) to card, topic, announcement and room. Muster hears of a
 * change in three ways. A webhook names its incident. Every ten seconds one of the processes looks at the API; while webhooks report the
 * changes, it looks less often. And when this process serves the API, a look follows each request that may have changed something: it
 * reads one number in this process.
 */
export class Sync {
  /** Takes webhooks; undefined when there are none. */
  readonly hook: HookHandler | undefined;
  readonly #deps: SyncDeps;
  readonly #look: Look;
  readonly #gatherer: Gatherer;
  readonly #running = new Set<Promise<void>>();
  #cancel = () => {};
  #isStopped = false;
  /** The last look that this process saw, and when it saw it. */
  #seen = { turns: -1, since: 0 };

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#look = new Look(deps);
    this.#gatherer = new Gatherer({ timers: deps.timers, deal: heard => this.#run(() => this.#deal(heard)) });
    const hear = (incidentID: string) => {
      deps.onWebhook();
      this.#hear(incidentID);
    };
    this.hook = deps.secret === '' ? undefined : createIncidentHook({ ...deps, hear });
  }

  /** Begins to look. */
  start(): void {
    this.#run(() => this.#tick());
  }

  /** This process has answered a request that may have changed an incident. Returns at once. */
  nudge(): void {
    this.#hear(any);
  }

  /** Begins nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.#gatherer.close();
  }

  /** Resolves when everything heard of is dealt with. */
  async idle(): Promise<void> {
    this.#gatherer.flush();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #hear(what: string): void {
    if (!this.#isStopped) this.#gatherer.add(what);
  }

  #run(work: () => Promise<void>): void {
    const running = work()
      .catch(err => this.#deps.log.info({ err }, 'sync: could not bring over changes, tries again'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #deal(heard: ReadonlySet<string>): Promise<void> {
    const named = [...heard].filter(each => each !== any);
    const { store } = this.#deps;
    if (named.length > 0) await store.hear();
    let isAll = true;
    for (const incidentID of named) isAll = (await this.#notice(incidentID)) && isAll;
    if (heard.has(any)) await this.#look.run();
    // Muster may be declaring it, which the next look knows.
    if (!isAll) this.nudge();
  }

  async #notice(incidentID: string): Promise<boolean> {
    const { api, rooms, store } = this.#deps;
    if (await rooms.ofIncident(incidentID)) return notice(this.#deps, incidentID, false);
    const { incident } = await api.IncidentsService.GetIncident({ incidentID });
    const { since } = await store.read();
    return notice(this.#deps, incidentID, Date.parse(incident.createdTime) < Date.parse(since));
  }

  /** Looks if the last look is old enough, and waits for the next time. */
  async #tick(): Promise<void> {
    const { store, secret, timers } = this.#deps;
    let left = lookEvery;
    try {
      const row = await store.read();
      const now = timers.steady();
      if (row.turns !== this.#seen.turns) this.#seen = { turns: row.turns, since: now };
      const wait = secret !== '' && row.is_rare === 1 ? rarely : lookEvery;
      left = wait - (now - this.#seen.since);
      if (left > 0) return;
      left = lookEvery;
      if (!(await store.begin(row))) return;
      this.#seen = { turns: row.turns + 1, since: timers.steady() };
      await this.#look.run();
    } finally {
      if (!this.#isStopped) this.#cancel = timers.after(left, () => this.#run(() => this.#tick()));
    }
  }
}
