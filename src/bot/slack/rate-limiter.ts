import { Bucket, type BucketCall, type CallResult, pace } from './rate-limit-bucket.ts';

/** A call on its way to Slack's Web API. */
interface SlackCall {
  readonly method: string;
  /** The channel it names, or `""`. */
  readonly channel: string;
  /** How long it may wait, in milliseconds; 0 for a call that never waits. */
  readonly queueTime: number;
}

/** How one attempt went: `limited` when Slack refused it for its rate, with the seconds of `Retry-After` if Slack sent it. */
export interface LimitedResponse {
  readonly response: Response;
  readonly limited?: { readonly retryAfter: number | undefined };
}

/** Holds calls of Slack's Web API back so that they stay within its rate limits. */
export interface RateLimiter {
  /**
   * Makes attempts, each as soon as the limits allow it, until Slack takes one. A call whose queueTime does not last is answered as
   * Slack would: 429 with `Retry-After`. An error that an attempt throws is thrown.
   */
  send(call: SlackCall, attempt: () => Promise<LimitedResponse>): Promise<Response>;
}

/** With so many buckets, idle ones are deleted. */
const maxBuckets = 500;

/** Methods that change nothing, so that they need not wait for one another. */
const reads = /\.(info|list|history|replies|members|conversations|getPermalink)$/;

/**
 * Opens a rate limiter for one token. Slack limits each method per team, and posts per channel (docs/slack.md 6): each limit is a bucket, and a
 * limit that was hit delays its own calls alone. Calls of one method that change one channel go one after the other. `betweenPosts`:
 * milliseconds between posts in one channel after a burst.
 */
export function createRateLimiter(betweenPosts = pace): RateLimiter {
  const buckets = new Map<string, Bucket>();
  let tickets = 0;

  function bucketOf({ method, channel }: SlackCall): Bucket {
    const isPost = method === 'chat.postMessage';
    const key = isPost ? `${method} ${channel}` : method;
    const known = buckets.get(key);
    if (known) return known;
    if (buckets.size >= maxBuckets) {
      for (const [other, bucket] of buckets) if (bucket.isIdle) buckets.delete(other);
    }
    const bucket = new Bucket(isPost ? betweenPosts : 0);
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    async send(call, attempt) {
      const bucket = bucketOf(call);
      tickets += 1;
      const bucketCall: BucketCall = {
        serialKey: call.queueTime > 0 && !reads.test(call.method) ? call.channel : '',
        ticket: tickets,
        deadline: performance.now() + call.queueTime,
      };
      for (;;) {
        const seconds = await bucket.acquire(bucketCall);
        if (seconds !== undefined) return tooMany(seconds);
        let result: CallResult = 'failed';
        try {
          const { response, limited } = await attempt();
          result = limited ? { limited: limited.retryAfter } : 'answered';
          if (!limited) return response;
        } finally {
          bucket.release(bucketCall, result);
        }
      }
    },
  };
}

/** What Slack answers to one call too many; Slack's client makes its own error of it. */
export function tooMany(seconds: number): Response {
  return Response.json(
    { ok: false, error: 'ratelimited' },
    { status: 429, headers: { 'retry-after': String(seconds) } },
  );
}
