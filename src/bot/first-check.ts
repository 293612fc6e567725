import type { Logger } from 'pino';
import { processTimers, type Timers } from '../contract/timers.ts';
import type { ProbedApi } from './doctor/api.ts';
import type { Finding } from './doctor/finding.ts';
import type { Installation } from './doctor/installation.ts';
import { settlesWithin } from './text/timeout.ts';

/** The pause before the next check while something fails, in milliseconds. */
const pause = 60_000;

interface FirstCheckDeps {
  readonly installation: Pick<Installation, 'apiHost' | 'announceChannel' | 'slackApiUrl' | 'botToken' | 'deadlines'>;
  /** The Grafana whose token is tried; undefined for the embedded service, which takes none. */
  readonly grafana: ProbedApi | undefined;
  /** Absent: those of the process. */
  readonly timers?: Pick<Timers, 'after'> | undefined;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** Something that fails, and since when it is known. */
export interface KnownFault extends Finding {
  readonly since: Date;
}

/**
 * Tries at the start what nobody notices until an incident is declared: the token of the API, and the announcement channel. While
 * something fails it checks again, so that a fault that was fixed is no longer reported.
 */
export class FirstCheck implements Disposable {
  readonly #deps: FirstCheckDeps;
  #faults: readonly KnownFault[] = [];
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(deps: FirstCheckDeps) {
    this.#deps = deps;
  }

  /** What failed at the last check. */
  get faults(): readonly KnownFault[] {
    return this.#faults;
  }

  /** Checks, and again later while something fails. Each change is one line of the log. Never throws. */
  async start(): Promise<void> {
    await settlesWithin(this.#deps.installation.deadlines.firstCheck, this.#check());
  }

  async #check(): Promise<void> {
    const { log, clock, timers = processTimers } = this.#deps;
    try {
      const found = await examine(this.#deps);
      if (this.#isStopped) return;
      const before = new Map(this.#faults.map(each => [toKey(each), each]));
      const now = clock();
      this.#faults = found.map(each => ({ ...each, since: before.get(toKey(each))?.since ?? now }));
      for (const each of found) if (!before.has(toKey(each))) log.warn(`start: ${toSentence(each)}`);
      for (const each of before.values()) {
        if (!found.some(other => other.subject === each.subject)) log.info(`start: ${each.subject}: it is well again`);
      }
    } catch (err) {
      log.warn({ err }, 'start: could not try the API and the announcement channel');
    }
    if (this.#faults.length > 0 && !this.#isStopped) this.#cancel = timers.after(pause, () => void this.#check());
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#cancel?.();
  }
}

async function examine({ installation, grafana }: FirstCheckDeps): Promise<readonly Finding[]> {
  // Here, since a start with the embedded service and without announcements needs neither.
  const [api, channel] = await Promise.all([
    grafana &&
      import('./doctor/api.ts').then(({ checkApi }) =>
        checkApi({ ...installation, apiKind: 'grafana' }, grafana, () => 0),
      ),
    installation.announceChannel === ''
      ? undefined
      : import('./doctor/announcements.ts').then(({ checkAnnouncements }) =>
          checkAnnouncements(installation, { auth: { error: '', scopes: undefined } }),
        ),
  ]);
  return [...(api ?? []), ...(channel ? [channel] : [])].filter(each => each.state === 'failing');
}

function toKey({ subject, found }: Finding): string {
  return `${subject}\n${found}`;
}

/** A finding for an operator: what was found, what stops working, and what to do. */
export function toSentence({ subject, found, stops, fix }: Finding): string {
  return `${subject}: ${found} Stops working: ${stops}. ${fix}`;
}
