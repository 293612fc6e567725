import { randomUUID } from 'node:crypto';
import type { Reply } from './delivery.ts';

type Respond = NonNullable<Reply['respond']>;

/** How long Slack takes answers to a press, in milliseconds (docs/slack.md 4); a little less. */
const lasts = 29 * 60_000;
/** Messages that are remembered: each takes a few hundred bytes. */
const most = 2000;

/**
 * Messages that a form may replace after it was opened from them. A form brings no address to answer at, and that of the press is a
 * credential: it stays in the memory of this process, under a random name that rides in the form (docs/decisions.md, A form and its list).
 */
export class ReplaceableMessages {
  readonly #known = new Map<string, { readonly respond: Respond; readonly until: number }>();

  /** Remembers a message for half an hour; returns its name. */
  keep(respond: Respond, now: Date): string {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= most && oldest !== undefined) this.#known.delete(oldest);
    const name = randomUUID();
    this.#known.set(name, { respond, until: now.getTime() + lasts });
    return name;
  }

  /** How to replace the message of that name; undefined when it is too old, or another process remembers it. */
  find(name: string, now: Date): Respond | undefined {
    const place = this.#known.get(name);
    if (place && place.until > now.getTime()) return place.respond;
    this.#known.delete(name);
    return undefined;
  }
}
