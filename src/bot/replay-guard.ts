import { createHash } from 'node:crypto';

/** Requests remembered at most; at Slack's own limit of 30,000 events an hour, ten minutes hold a sixth of it. */
const maxRemembered = 20_000;
/** Longer than a signature is accepted, in milliseconds. */
const remembered = 11 * 60_000;

/** Remembers what has been seen for a while. */
export interface SeenLately {
  /** True the first time within eleven minutes, false after that. */
  isNew(what: string, now: Date): boolean;
  /** What was seen had no effect and may come again. */
  forget(what: string): void;
}

/** Opens a memory of what was seen lately; it holds digests, never what was seen. */
export function createSeenLately(): SeenLately {
  const seen = new Map<string, number>();
  const toDigest = (what: string) => createHash('sha256').update(what).digest('base64');
  return {
    forget: what => {
      seen.delete(toDigest(what));
    },
    isNew: (what, now) => {
      const digest = toDigest(what);
      const time = now.getTime();
      for (const [oldest, at] of seen) {
        if (at > time - remembered && seen.size < maxRemembered) break;
        seen.delete(oldest);
      }
      if (seen.has(digest)) return false;
      seen.set(digest, time);
      return true;
    },
  };
}
