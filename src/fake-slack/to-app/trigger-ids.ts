import { SlackError } from '../protocol/slack-error.ts';

/** How long a trigger id may be exchanged, in milliseconds (docs/slack.md 4). */
export const triggerLifeMs = 3000;

/** Who clicked or typed, and where they were. */
export interface TriggerOrigin {
  readonly userId: string;
  readonly channelId: string | undefined;
}

interface Trigger {
  readonly origin: TriggerOrigin;
  issuedAt: number;
  used: boolean;
}

/** The trigger ids handed out with commands, shortcuts and clicks: three seconds, one use (docs/slack.md 4). */
export class TriggerIds {
  readonly #now: () => Date;
  readonly #randomId: () => string;
  readonly #triggers = new Map<string, Trigger>();
  #late = 0;

  constructor({ now, randomId }: { readonly now: () => Date; readonly randomId: () => string }) {
    this.#now = now;
    this.#randomId = randomId;
  }

  /** A fresh trigger id for what that person does, in a channel unless it has none. */
  issue(userId: string, channelId?: string): string {
    const id = `${1_000_000 + this.#triggers.size}.2147483647.${this.#randomId()}`;
    const late = this.#late > 0;
    if (late) this.#late -= 1;
    const issuedAt = this.#now().getTime() - (late ? triggerLifeMs + 1 : 0);
    this.#triggers.set(id, { origin: { userId, channelId }, issuedAt, used: false });
    return id;
  }

  /** Uses a trigger id up and says where it came from; refuses like Slack when it is unknown, old or used. */
  exchange(id: string | undefined): TriggerOrigin {
    const trigger = id === undefined ? undefined : this.#triggers.get(id);
    if (trigger === undefined) throw new SlackError('invalid_trigger_id');
    if (trigger.used) throw new SlackError('exchanged_trigger_id');
    if (this.#now().getTime() - trigger.issuedAt > triggerLifeMs) throw new SlackError('expired_trigger_id');
    trigger.used = true;
    return trigger.origin;
  }

  /** Every trigger id handed out so far is too old from now on. */
  expireAll(): void {
    for (const trigger of this.#triggers.values()) trigger.issuedAt = Number.NEGATIVE_INFINITY;
  }

  /** The next `times` trigger ids are already too old when they arrive. */
  makeLate(times: number): void {
    this.#late = times;
  }
}
