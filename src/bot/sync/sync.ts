import type { Logger } from 'pino';
import type { Timers } from '../../contract/timers.ts';
import { Gatherer } from './gatherer.ts';
import { createIncidentHook, type HookHandler } from './incident-hook.ts';
import { Look, type LookDeps } from './look.ts';
import { notice } from './notice.ts';

/** How long nobody may have looked before this process does, in milliseconds. */
export const lookEvery = 10_000;
/** The same while webhooks tell of changes: they tell of no task and of no note. */
export const rarely = 30_000;

/** What keeping up with changes elsewhere needs. */
interface SyncDeps extends LookDeps {
  /** Signs the webhooks of the incident API; `""` when it sends none. */
  readonly secret: string;
  readonly clock: () => Date;
  readonly timers: Timers;
  readonly log: Logger;
}

/** Stands among the incidents that were heard of for a change of any incident. */
const any = '';

/**
 * Brings what changes elsewhere (a page, another client of the API, Grafana) to card, topic, announcement and room. Three ways tell of
 * a change. A webhook names its incident. A look at the API, which one of all processes makes every ten seconds, finds what no webhook
 * told; it is rarer as long as webhooks tell of what it finds. And when this process itself serves the API, each request that may
 * have changed something is followed by a look: it costs one read of a number in this very process, and reaches into no part of the
 * service.
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
    const hear = (incidentID: string) => this.#hear(incidentID);
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
    // Soon it is known whether it is one that Muster itself is declaring.
    if (!isAll) this.nudge();
  }

  async #notice(incidentID: string): Promise<boolean> {
    const { api, rooms, store } = this.#deps;
    if (await rooms.ofIncident(incidentID)) return notice(this.#deps, incidentID, false);
    const { incident } = await api.IncidentsService.GetIncident({ incidentID });
    const { since } = await store.read();
    return notice(this.#deps, incidentID, Date.parse(incident.createdTime) < Date.parse(since));
  }

  /** Looks when nobody has looked for long enough, and waits for the next time. */
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
