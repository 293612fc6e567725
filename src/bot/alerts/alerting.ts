import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { IncidentDeps } from '../incident/acts/intent-kind.ts';
import type { AlertGroup } from '../incident/state/alert-group.ts';
import { AlertEars } from './hear.ts';
import type { Taken } from './hook-door.ts';
import { type AlertActs, OwedActs } from './owed.ts';
import type { AlertSource } from './read/source.ts';
import type { AlertRules } from './rules.ts';

/** The parts of Muster that taking alerts uses. */
interface AlertingDeps {
  readonly database: Database;
  readonly teamId: string;
  readonly rules: AlertRules;
  readonly acts: AlertActs;
  /** The rest of the bot. */
  readonly incidents: () => IncidentDeps;
  readonly clock: () => Date;
  readonly log: Logger;
  /** The team's severity for the words of a source. */
  readonly toSeverity: (source: AlertSource, said: string) => string;
  /** A row among the rooms is shown otherwise. */
  readonly refresh: (id: string, isUrgent: boolean) => void;
}

/** Takes alerts: stores them, and lets follow what the team wants to follow. */
export class Alerting {
  readonly #deps: AlertingDeps;
  readonly #ears: AlertEars;
  readonly #owed: OwedActs;
  #isStopped = false;

  constructor(deps: AlertingDeps) {
    this.#deps = deps;
    this.#ears = new AlertEars({ ...deps, owe: () => void this.look() });
    this.#owed = new OwedActs(deps);
  }

  /** Resolves when the group is stored, with all that follows from it; rejects with the database's error. */
  hear(source: AlertSource, group: AlertGroup): Promise<Taken> {
    return this.#ears.hear({ source, group, severity: this.#deps.toSeverity(source, group.severity) });
  }

  /** Does what is owed; happens once a second. Never throws. */
  async look(): Promise<void> {
    if (!this.#isStopped) await this.#owed.look();
  }

  /** Resolves when nothing goes on. */
  async idle(): Promise<void> {
    await this.#ears.idle();
    await this.#owed.idle();
  }

  /** Begins nothing more on its own. */
  stop(): void {
    this.#isStopped = true;
  }
}
