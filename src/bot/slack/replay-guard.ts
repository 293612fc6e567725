import { hash } from 'node:crypto';

/** Remembered at most, twice over; at Slack's own limit of 30,000 events an hour, eleven minutes bring 5,500. */
const maxRemembered = 10_000;
/** Longer than a signature is accepted, in milliseconds. */
const remembered = 11 * 60_000;

/** Remembers what has been seen for a while. */
export interface SeenLately {
  /** True the first time, false for at least eleven minutes after that, and for 22 at most. */
  isNew(what: string, now: Date): boolean;
  /** What was seen had no effect and may come again. */
  forget(what: string): void;
}

/** Opens a memory of what was seen lately; it holds digests, never what was seen. */
export function createSeenLately(): SeenLately {
  let recent = new Set<string>();
  let before = new Set<string>();
  let began = 0;
  const toDigest = (what: string) => hash('sha256', what, 'base64');
  return {
    forget: what => {
      const digest = toDigest(what);
      recent.delete(digest);
      before.delete(digest);
    },
    isNew: (what, now) => {
      const age = now.getTime() - began;
      if (age >= remembered || recent.size >= maxRemembered) {
        before = age < 2 * remembered ? recent : new Set();
        recent = new Set();
        began = now.getTime();
      }
      const digest = toDigest(what);
      if (recent.has(digest) || before.has(digest)) return false;
      recent.add(digest);
      return true;
    },
  };
}
