import { hash } from 'node:crypto';

/** Digests of one generation, of which there are two. Slack's own limit of 30,000 events an hour makes 5,500 in eleven minutes. */
const maxDigests = 10_000;
/** How long one generation lasts, in milliseconds: longer than a signature is accepted. */
const lifetime = 11 * 60_000;

/** Tells whether a signature or an id has been seen lately. */
interface ReplayGuard {
  /** True the first time, false for at least eleven minutes after that, and for 22 at most. */
  isNew(what: string, now: Date): boolean;
  /** Lets it come again: the first time had no effect. */
  forget(what: string): void;
}

/** Opens a guard. It holds digests, never the values themselves. */
export function createReplayGuard(): ReplayGuard {
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
      if (age >= lifetime || recent.size >= maxDigests) {
        before = age < 2 * lifetime ? recent : new Set();
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
