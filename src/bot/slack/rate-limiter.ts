import { type Ending, Lane, type Place, type Rank } from './rate-limit-bucket.ts';

/** A call on its way to Slack's Web API. */
export interface SlackCall {
  /** Whose limits it counts against: one for each token. */
  readonly team: string;
  readonly method: string;
  /** The channel it names, or `""`. */
  readonly channel: string;
  readonly rank: Rank;
  /** How long it may wait for its turn, in milliseconds; 0 for one that never waits. */
  readonly patience: number;
}

/** How one attempt went: `limited` when Slack refused it for its rate, with the seconds of `Retry-After` if it said so. */
export interface Attempt {
  readonly response: Response;
  readonly limited?: { readonly retryAfter: number | undefined };
}

/** The queue in front of Slack's Web API. */
export interface SlackQueue {
  /**
   * Makes attempts when it is this call's turn, until Slack takes one. A call whose patience does not last is answered as
   * Slack would: 429 with `Retry-After`. What an attempt throws is thrown.
   */
  send(call: SlackCall, attempt: () => Promise<Attempt>): Promise<Response>;
  /** How many calls wait for their turn. */
  waiting(): number;
}

/** From so many lanes on, those that nothing depends on are forgotten. */
const manyLanes = 500;

/** Methods that change nothing, so that they need not wait for one another. */
const reads = /\.(info|list|history|replies|members|getPermalink)$/;

/**
 * Opens a queue. Slack limits each method per team, and posts per channel (docs/slack.md 6): a limit that was hit holds back
 * what counts against it and nothing else. What changes a channel by the same method goes one after the other.
 */
export function createSlackQueue(): SlackQueue {
  const lanes = new Map<string, Lane>();
  let count = 0;

  function laneOf({ team, method, channel }: SlackCall): Lane {
    const isPost = method === 'chat.postMessage';
    const key = isPost ? `${team} ${method} ${channel}` : `${team} ${method}`;
    const known = lanes.get(key);
    if (known) return known;
    if (lanes.size >= manyLanes) {
      for (const [other, lane] of lanes) if (lane.isForgettable) lanes.delete(other);
    }
    const lane = new Lane(isPost);
    lanes.set(key, lane);
    return lane;
  }

  return {
    async send(call, attempt) {
      const lane = laneOf(call);
      count += 1;
      const place: Place = {
        order: call.patience > 0 && !reads.test(call.method) ? call.channel : '',
        rank: call.rank,
        number: count,
        deadline: performance.now() + call.patience,
      };
      for (;;) {
        const seconds = await lane.enter(place);
        if (seconds !== undefined) return tooMany(seconds);
        let ending: Ending = 'failed';
        try {
          const { response, limited } = await attempt();
          ending = limited ? { limited: limited.retryAfter } : 'answered';
          if (!limited) return response;
        } finally {
          lane.leave(place, ending);
        }
      }
    },
    waiting: () => [...lanes.values()].reduce((sum, lane) => sum + lane.waiting, 0),
  };
}

/** What Slack answers to one call too many; Slack's client makes its own error of it. */
export function tooMany(seconds: number): Response {
  return Response.json(
    { ok: false, error: 'ratelimited' },
    { status: 429, headers: { 'retry-after': String(seconds) } },
  );
}
