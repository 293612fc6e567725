/** How pauses between attempts grow. Times are milliseconds. */
export interface BackoffPolicy {
  /** The pause after the first attempt, before jitter. */
  readonly first: number;
  /** No pause is longer. */
  readonly longest: number;
  /** Each pause is this many times the one before; default 2. */
  readonly factor?: number;
  /** The part of a pause that chance decides, from 0 (none) to 1 (all); default 1, "full jitter". */
  readonly jitter?: number;
}

/**
 * Milliseconds to wait after an attempt failed: an exponential backoff with a cap. Jitter keeps callers that failed together from coming
 * back together (aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter). `attempt` counts from 1; `random` is in [0, 1). It is
 * in contract/ because the client, the service and the bot all pace their attempts with it, and contract/ is the one folder that all three
 * import.
 */
export function backoff(attempt: number, policy: BackoffPolicy, random: () => number = Math.random): number {
  const { first, longest, factor = 2, jitter = 1 } = policy;
  const ceiling = Math.min(longest, first * factor ** (attempt - 1));
  return Math.floor(ceiling * (1 - jitter + jitter * random()));
}
