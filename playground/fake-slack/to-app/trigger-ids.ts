import { SlackError } from '../protocol/slack-error.ts';

/** The person who clicked or typed, and the channel they were in. */
export interface TriggerOrigin {
  readonly userId: string;
  readonly channelId: string | undefined;
}

interface Trigger {
  readonly origin: TriggerOrigin;
  issuedAt: number;
  used: boolean;
}

/** What trigger ids are made with. `lifeMs`: how long each lives, in milliseconds. */
interface TriggerDeps {
  readonly now: () => Date;
  readonly randomId: () => string;
  readonly lifeMs: number;
}

/** The trigger ids handed out with commands, shortcuts and clicks: each lives a short time, and for one use (docs/slack.md 4). */
export class TriggerIds {
  readonly #now: () => Date;
  readonly #randomId: () => string;
  readonly #lifeMs: number;
  readonly #triggers = new Map<string, Trigger>();
  #toExpire = 0;

  constructor({ now, randomId, lifeMs }: TriggerDeps) {
    this.#now = now;
    this.#randomId = randomId;
    this.#lifeMs = lifeMs;
  }

  /** A fresh trigger id for an action of a person, in a channel if the action has one. */
  issue(userId: string, channelId?: string): string {
    const id = `${1_000_000 + this.#triggers.size}.2147483647.${this.#randomId()}`;
    const isExpired = this.#toExpire > 0;
    if (isExpired) this.#toExpire -= 1;
    const issuedAt = this.#now().getTime() - (isExpired ? this.#lifeMs + 1 : 0);
    this.#triggers.set(id, { origin: { userId, channelId }, issuedAt, used: false });
    return id;
  }

  /** Uses a trigger id up and returns its origin. Throws Slack's refusal when it is unknown, expired or used. */
  exchange(id: string | undefined): TriggerOrigin {
    const trigger = id === undefined ? undefined : this.#triggers.get(id);
    if (trigger === undefined) throw new SlackError('invalid_trigger_id');
    if (trigger.used) throw new SlackError('exchanged_trigger_id');
    if (this.#now().getTime() - trigger.issuedAt > this.#lifeMs) throw new SlackError('expired_trigger_id');
    trigger.used = true;
    return trigger.origin;
  }

  /** Expires every trigger id handed out so far. */
  expireAll(): void {
    for (const trigger of this.#triggers.values()) trigger.issuedAt = Number.NEGATIVE_INFINITY;
  }

  /** Makes the next `times` trigger ids too old when they reach the app. */
  expireNext(times: number): void {
    this.#toExpire = times;
  }
}
