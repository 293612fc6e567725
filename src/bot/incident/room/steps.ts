import type { Logger } from 'pino';
import { RetryLater } from '../../journal/intent.ts';
import { isPassing, refusalLevel, retryAfter, slackReason } from '../../slack/clients.ts';
import { laterWords, reasonWords } from '../state/refusal-words.ts';

/** The steps of one attempt at a room. Each is tried, whatever became of those before it. */
export class RoomSteps {
  /** The refusals of Slack, as sentences of mrkdwn. */
  readonly troubles: string[] = [];
  readonly #log: Logger;
  #delayed: RetryLater | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Runs one step; `what` follows “I could not”. */
  async run(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const reason = slackReason(error);
      this.#log[refusalLevel(error)]({ reason, step: what }, 'room: a step failed in Slack');
      if (isPassing(error)) this.#delayed ??= new RetryLater(laterWords(error, what), retryAfter(error));
      else this.troubles.push(`I could not ${what}: ${reasonWords(error)}`);
    }
  }

  /** Throws RetryLater when a step may work later. */
  throwDelayed(): void {
    if (this.#delayed) throw this.#delayed;
  }
}
