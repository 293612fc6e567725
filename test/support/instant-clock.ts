import { addMinutes } from 'date-fns/addMinutes';
import type { StoryClock } from '../../playground/story-system.ts';

/** A clock of a story that begins at 0 and moves by waits alone, which are over at once. */
export function openInstantClock(): StoryClock {
  let shown = new Date(0);
  return {
    now: () => shown,
    pass: minutes => {
      shown = addMinutes(shown, minutes);
    },
    wait: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      shown = new Date(shown.getTime() + milliseconds);
    },
  };
}
