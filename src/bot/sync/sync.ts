import type { Logger } from 'pino';
import type { Timers } from '../../contract/timers.ts';
import { Gatherer } from './gatherer.ts';
import { createIncidentHook, type HookHandler } from './incident-hook.ts';
import { notice } from './notice.ts';
import { Poll, type PollDeps } from './poll.ts';

/** How long after the last poll of any process this one polls, in milliseconds. */
const pollEvery = 10_000;
/** The same while webhooks report changes. Polls are still needed: no webhook reports a task or a note. */
const rarely = 30_000;

/** The parts of Muster that keeping up with changes elsewhere uses. */
interface SyncDeps extends PollDeps {
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
 * change in three ways. A webhook names its incident. Every ten seconds one of the processes polls the API; while webhooks report the
 * changes, it polls less often. And when this process serves the API, a poll follows each request that may have changed something: it
 * reads one number in this process.
 */
export class Sync {
  /** Takes webhooks; undefined when there are none. */
  readonly hook: HookHandler | undefined;
  readonly #deps: SyncDeps;
  readonly #poll: Poll;
  readonly #gatherer: Gatherer;
  readonly #running = new Set<Promise<void>>();
  #cancel = () => {};
  #isStopped = false;
  /** The last poll that this process saw, and when it saw it. */
  #seen = { turns: -1, since: 0 };

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#poll = new Poll(deps);
    this.#gatherer = new Gatherer({ timers: deps.timers, deal: heard => this.#run(() => this.#deal(heard)) });
    const hear = (incidentID: string) => {
      deps.onWebhook();
      this.#hear(incidentID);
    };
    this.hook = deps.secret === '' ? undefined : createIncidentHook({ ...deps, hear });
  }

  /** Begins to poll. */
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
    const again = await notice(this.#deps, await Promise.all(named.map(incidentID => this.#toHeard(incidentID))));
    if (heard.has(any)) await this.#poll.run();
    // Muster may be declaring it, which the next poll knows.
    if (again.size > 0) this.nudge();
  }

  async #toHeard(incidentID: string) {
    const { api, rooms, store } = this.#deps;
    if (await rooms.ofIncident(incidentID)) return { incidentID, isHistory: false };
    const { incident } = await api.IncidentsService.GetIncident({ incidentID });
    const { since } = await store.read();
    return { incidentID, isHistory: Date.parse(incident.createdTime) < Date.parse(since) };
  }

  /** Polls if the last poll is old enough, and waits for the next time. */
  async #tick(): Promise<void> {
    const { store, secret, timers } = this.#deps;
    let left = pollEvery;
    try {
      const row = await store.read();
      const now = timers.steady();
      if (row.turns !== this.#seen.turns) this.#seen = { turns: row.turns, since: now };
      const wait = secret !== '' && row.is_rare === 1 ? rarely : pollEvery;
      left = wait - (now - this.#seen.since);
      if (left > 0) return;
      left = pollEvery;
      if (!(await store.begin(row))) return;
      this.#seen = { turns: row.turns + 1, since: timers.steady() };
      await this.#poll.run();
    } finally {
      if (!this.#isStopped) this.#cancel = timers.after(left, () => this.#run(() => this.#tick()));
    }
  }
}
