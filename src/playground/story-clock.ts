import { addMinutes } from 'date-fns/addMinutes';

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
