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

/** With so many buckets, idle ones are deleted. */
const maxBuckets = 500;

/** Methods that change nothing, so that they need not wait for one another. */
const reads = /\.(info|list|history|replies|members|conversations|getPermalink)$/;

/**
 * Opens a rate limiter for one token. Slack limits each method per team, and posts per channel (docs/slack.md 6): each limit is a bucket, and a
 * limit that was hit delays its own calls alone. Calls of one method that change one channel go one after the other. `betweenPosts`:
 * milliseconds between posts in one channel after a burst.
 */
export function createRateLimiter(betweenPosts = pace) {
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
    /**
     * Makes attempts, each as soon as the limits allow it, until Slack takes one. A call whose queueTime does not last is answered as
     * Slack would: 429 with `Retry-After`. An error that an attempt throws is thrown.
     */
    async send(call: SlackCall, attempt: () => Promise<LimitedResponse>) {
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

/** A call as a bucket sees it. Times are milliseconds of the monotonic clock, which no change of the wall clock moves. */
interface BucketCall {
  /** Calls of one key go one after the other; `""` for a call that needs no order. */
  readonly serialKey: string;
  /** Earlier calls have smaller tickets; a call that is sent again keeps its own. */
  readonly ticket: number;
  /** When it stops waiting; a call whose deadline has passed already never waits. */
  readonly deadline: number;
}

/** How a call ended: `limited` carries the seconds of `Retry-After`, undefined without that header. */
type CallResult = 'answered' | 'failed' | { readonly limited: number | undefined };

/** How many calls of a paced bucket may go at once after a rest. */
const burst = 5;
/** Milliseconds between later posts in one channel (docs/slack.md 6), and of the shortest pause after a refusal. */
const pace = 1000;
/** The longest pause after refusals that do not say how long to wait, in milliseconds. */
const maxPause = 10_000;

interface WaitingCall extends BucketCall {
  readonly start: PromiseWithResolvers<number | undefined>;
}

/**
 * The calls that Slack counts against one limit. A paced bucket follows the generic cell rate algorithm (GCRA): each call pays for
 * one pace, and a call may start while no more than `burst - 1` paces are paid ahead. After a refusal the bucket is half open, as a
 * circuit breaker is: one call goes alone, to find out whether the limit is over.
 */
class Bucket {
  /** Milliseconds between calls after a burst. */
  readonly #between: number;
  /** Waiting calls by serial key: looking for the next one costs no more than there are keys. */
  readonly #queues = new Map<string, WaitingCall[]>();
  #count = 0;
  /** No waiting call has an earlier deadline. */
  #earliestDeadline = Number.POSITIVE_INFINITY;
  readonly #runningKeys = new Set<string>();
  #inFlight = 0;
  /** Slack refuses every call until then. */
  #blockedUntil = Number.NEGATIVE_INFINITY;
  /** The theoretical arrival time of GCRA: the calls so far pay for the time until then. */
  #paidUntil = Number.NEGATIVE_INFINITY;
  #isHalfOpen = false;
  #isProbing = false;
  /** Refusals in a row that did not say how long to wait. */
  #refusals = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `between`: milliseconds between calls after a burst; 0 for a bucket that is not paced. */
  constructor(between: number) {
    this.#between = between;
  }

  /** Whether a new bucket would behave the same. */
  get isIdle(): boolean {
    const now = performance.now();
    return this.#count + this.#inFlight === 0 && this.#blockedUntil <= now && this.#paidUntil <= now;
  }

  /**
   * Resolves to undefined when the call may start; `release` must follow. When the wait would outlast the call's deadline, resolves
   * to the seconds after which another try makes sense.
   */
  acquire(call: BucketCall): Promise<number | undefined> {
    const now = performance.now();
    if (call.deadline <= now) {
      const at = this.#earliestStart(now);
      if (at > now) return Promise.resolve(toSeconds(at - now));
      this.#start(now, call.serialKey);
      return Promise.resolve(undefined);
    }
    const queue = this.#queues.get(call.serialKey) ?? [];
    const index = queue.findLastIndex(other => other.ticket < call.ticket) + 1;
    const at = this.#earliestStart(now, index);
    if (at > call.deadline) return Promise.resolve(toSeconds(at - now));
    const start = Promise.withResolvers<number | undefined>();
    queue.splice(index, 0, { ...call, start });
    this.#queues.set(call.serialKey, queue);
    this.#count += 1;
    this.#earliestDeadline = Math.min(this.#earliestDeadline, call.deadline);
    this.#startReady(now);
    return start.promise;
  }

  /** Notes that a call has ended, and how. */
  release({ serialKey }: BucketCall, result: CallResult): void {
    this.#inFlight -= 1;
    this.#runningKeys.delete(serialKey);
    const now = performance.now();
    if (typeof result === 'object') {
      this.#block(result.limited, now);
      this.#rejectLate(now);
    } else if (result === 'answered' && this.#isProbing) {
      this.#isHalfOpen = false;
      this.#refusals = 0;
    }
    this.#isProbing = false;
    this.#startReady(now);
  }

  #block(seconds: number | undefined, now: number): void {
    const guess = Math.min(pace * 2 ** this.#refusals, maxPause);
    if (seconds === undefined) this.#refusals += 1;
    const pause = seconds === undefined ? guess : Math.max(seconds * 1000, pace);
    this.#blockedUntil = Math.max(this.#blockedUntil, now + pause);
    this.#paidUntil = this.#blockedUntil + (burst - 1) * this.#between;
    this.#isHalfOpen = true;
  }

  /** Starts the waiting calls that may go now. */
  #startReady(now: number): void {
    while (this.#earliestStart(now) <= now && !(this.#isHalfOpen && this.#inFlight > 0)) {
      const next = this.#takeNext();
      if (!next) break;
      this.#start(now, next.serialKey);
      next.start.resolve(undefined);
    }
    this.#setTimer(now);
  }

  /** Takes the first waiting call whose serial key is not running. */
  #takeNext(): WaitingCall | undefined {
    let first: WaitingCall | undefined;
    for (const [serialKey, [head]] of this.#queues) {
      if (head && !this.#runningKeys.has(serialKey) && !(first && first.ticket < head.ticket)) first = head;
    }
    if (!first) return undefined;
    const queue = this.#queues.get(first.serialKey);
    queue?.shift();
    if (queue?.length === 0) this.#queues.delete(first.serialKey);
    this.#count -= 1;
    return first;
  }

  /** Rejects the waiting calls that would start after their deadline. */
  #rejectLate(now: number): void {
    this.#count = 0;
    this.#earliestDeadline = Number.POSITIVE_INFINITY;
    for (const [serialKey, queue] of this.#queues) {
      const staying: WaitingCall[] = [];
      for (const call of queue) {
        const at = this.#earliestStart(now, staying.length);
        if (at > call.deadline || now > call.deadline) {
          call.start.resolve(toSeconds(at - now));
        } else {
          staying.push(call);
          this.#earliestDeadline = Math.min(this.#earliestDeadline, call.deadline);
        }
      }
      this.#count += staying.length;
      if (staying.length > 0) this.#queues.set(serialKey, staying);
      else this.#queues.delete(serialKey);
    }
  }

  #start(now: number, serialKey: string): void {
    this.#inFlight += 1;
    this.#isProbing = this.#isHalfOpen;
    if (serialKey !== '') this.#runningKeys.add(serialKey);
    this.#paidUntil = Math.max(this.#paidUntil, now) + this.#between;
  }

  /** When a call may start that `others` precede, as far as limits are known. */
  #earliestStart(now: number, others = 0): number {
    const paced = Math.max(this.#paidUntil, now) + (others - (burst - 1)) * this.#between;
    return Math.max(this.#blockedUntil, paced);
  }

  #setTimer(now: number): void {
    clearTimeout(this.#timer);
    if (this.#count === 0) return;
    const start = this.#earliestStart(now);
    const at = start > now ? Math.min(start, this.#earliestDeadline + 1) : this.#earliestDeadline + 1;
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(0, Math.ceil(at - now)));
  }

  #onTimer(): void {
    const now = performance.now();
    if (now > this.#earliestDeadline) this.#rejectLate(now);
    this.#startReady(now);
  }
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
