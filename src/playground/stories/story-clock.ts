import { addMinutes } from 'date-fns/addMinutes';

/** The clock of a play: it runs as fast as any, and jumps when the story says that time has passed. */
export interface StoryClock {
  readonly now: () => Date;
  /** Lets some minutes pass at once. */
  pass(minutes: number): void;
}

/** Opens a clock that shows `start` now. */
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
