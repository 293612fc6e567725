import { setTimeout as pause } from 'node:timers/promises';
import { addMilliseconds } from 'date-fns/addMilliseconds';
import { addMinutes } from 'date-fns/addMinutes';
import type { ApiClient } from '../src/client/client.ts';
import type { Deadlines } from '../src/deadlines.ts';
import type { FakeSlack } from './fake-slack/fake-slack.ts';
import type { Pager } from './pager.ts';
import type { Watchdog } from './watchdog.ts';

/** The clock of a story. */
export interface StoryClock {
  readonly now: () => Date;
  /** Moves the clock forward by some minutes, where it can jump. */
  pass(minutes: number): void;
  /** Resolves when so much time has passed on it. Rejects when the signal aborts. It keeps no process running. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. Nobody makes it jump. */
export const realClock: StoryClock = {
  now: () => new Date(),
  pass: () => undefined,
  wait: (milliseconds, signal) => pause(milliseconds, undefined, { ref: false, ...(signal && { signal }) }),
};

/** How many times sooner a wait is over on a clock that jumps: Muster acts at the times of that clock, and works at its own speed. */
const haste = 5;

/** Starts a clock at `start`. It runs at normal speed, jumps when the story says that time has passed, and hurries while the story waits. */
export function openStoryClock(start: Date): StoryClock {
  const began = performance.now();
  let shown = start;
  return {
    now: () => new Date(shown.getTime() + (performance.now() - began)),
    pass: minutes => {
      shown = addMinutes(shown, minutes);
    },
    wait: async (milliseconds, signal) => {
      const worked = milliseconds / haste;
      // A timer may fire a millisecond early.
      shown = addMilliseconds(shown, Math.ceil(milliseconds - worked) + 1);
      await realClock.wait(worked, signal);
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
   * Resolves when all that Muster has begun is done and shown: cards, topics and announcements too. Absent where nobody can hurry it: in a
   * busy minute those follow slowly, and a story that somebody watches goes on before.
   */
  hurry?(): Promise<void>;
}
