import type { FakeSlackOptions, Fault } from '../fake-slack/fake-slack.ts';
import type { FaultName } from '../workspace/protocol.ts';
import type { Disturbance } from './proxy.ts';

/** How long a slow API takes before it begins, in milliseconds. Muster gives it 7 s. */
const slowness = 4000;
/** The seconds of Slack's `Retry-After`. */
const retryAfter = 3;
/** How far Slack's signatures are behind the bot's clock, in milliseconds. */
const clockError = 600_000;

/** How long calls take where nothing is broken, in milliseconds, beside what they take by themselves. */
export interface Latency {
  /** Of a call to Slack. */
  readonly slack: number;
  /** Of a call to the API. */
  readonly api: number;
}

/** Which parts of the playground are broken at present. The switches combine. */
export class Faults {
  readonly #now: () => Date;
  readonly #on = new Set<FaultName>();
  readonly #latency: Latency;

  constructor(now: () => Date, latency: Latency = { slack: 0, api: 0 }) {
    this.#now = now;
    this.#latency = latency;
  }

  /** Those that are switched on. */
  get names(): readonly FaultName[] {
    return [...this.#on];
  }

  has(name: FaultName): boolean {
    return this.#on.has(name);
  }

  set(name: FaultName, isOn: boolean): void {
    if (isOn) this.#on.add(name);
    else this.#on.delete(name);
  }

  /** What the proxy in front of the API does. */
  get disturbance(): Disturbance {
    return {
      isDown: this.has('API down'),
      delay: this.has('API slow') ? slowness : this.#latency.api,
      losesAnswers: this.has('Answers lost'),
    };
  }

  /** What the fake Slack is opened with, so that these switches reach it. */
  get slackOptions(): Required<Pick<FakeSlackOptions, 'chooseFault' | 'signatureNow'>> {
    return {
      chooseFault: (method): Fault | undefined =>
        this.has('Slack rate-limits') && /^(chat|conversations)\./.test(method)
          ? { rateLimited: retryAfter }
          : this.#latency.slack > 0
            ? { delayMs: this.#latency.slack }
            : undefined,
      signatureNow: () => new Date(this.#now().getTime() - (this.has('Clock off') ? clockError : 0)),
    };
  }
}
