/** Work that goes on once at a time. */
export interface OneAtATime {
  /** Has it done from now on: whoever asks while it goes on has it done once more. Resolves when that is done. */
  ask(): Promise<void>;
  /** What goes on, and what is asked for after it; undefined when nothing is. */
  goingOn(): Promise<void> | undefined;
}

/** For work that never throws. */
export function oneAtATime(work: () => Promise<void>): OneAtATime {
  let now: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function ask(): Promise<void> {
    if (now) {
      next ??= now.then(() => {
        next = undefined;
        return ask();
      });
      return next;
    }
    now = work().finally(() => {
      now = undefined;
    });
    return now;
  }

  return { ask, goingOn: () => next ?? now };
}
