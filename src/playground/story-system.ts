import { addMinutes } from 'date-fns/addMinutes';
import type { ApiClient } from '../client/client.ts';
import type { Deadlines } from '../deadlines.ts';
import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import type { Pager } from './pager.ts';
import type { Watchdog } from './watchdog.ts';

/** The clock of a story. It runs at normal speed, and jumps when the story says that time has passed. */
export interface StoryClock {
  readonly now: () => Date;
  /** Moves the clock forward by some minutes. */
  pass(minutes: number): void;
}

/** The machine's clock. Nobody makes it jump. */
export const realClock: StoryClock = { now: () => new Date(), pass: () => undefined };

/** Starts a clock at `start`. */
export function openStoryClock(start: Date): StoryClock {
  const began = performance.now();
  let shown = start;
  return {
    now: () => new Date(shown.getTime() + (performance.now() - began)),
    pass: minutes => {
      shown = addMinutes(shown, minutes);
    },
  };
}

/** The running system as a story sees it. */
export interface StorySystem {
  readonly slack: FakeSlack;
  /** The API as an operator calls it: over HTTP, with a token. */
  readonly operator: ApiClient;
  /** Where the pages of the service are. */
  readonly pagesUrl: string;
  /** The address under which people know the pages: that of links. */
  readonly publicUrl: string;
  readonly clock: StoryClock;
  readonly deadlines: Deadlines;
  /** Sends alerts to Muster. */
  readonly watchdog: Pick<Watchdog, 'act' | 'sent'>;
  /** Takes the pages of Muster. */
  readonly pager: Pick<Pager, 'facts' | 'acknowledge' | 'sent'>;
  /** Resolves when Slack has delivered every event and Muster has finished its work. */
  quiet(): Promise<void>;
  /**
   * Resolves to true when cards and announcements show it too. In a busy minute they follow later; where nobody can hurry them, it
   * resolves to false at once: who watches a story does not wait for them.
   */
  shown(): Promise<boolean>;
}
