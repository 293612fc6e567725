import type { App as BoltApp } from '@slack/bolt';
import type { Logger } from 'pino';
import { isPassingWord, isTokenRefusal } from './clients.ts';

/**
 * The pause before the next question, in milliseconds: since the last call that Slack answered, after the first call without an answer,
 * while Slack answers none, and while it refuses the token. In a quiet time a minute is soon enough to learn of a dead token (docs/slack.md
 * 2); every other call tells it at once.
 */
const pauses = { usual: 60_000, doubtful: 1000, away: 5000, refused: 15_000 } as const;

/** Slack takes no messages when at least `least`, and more than this `share`, of those of the last `within` milliseconds failed. */
const counted = { within: 60_000, least: 3, share: 0.8 } as const;

/** How a bot stands with Slack. */
export interface SlackStanding {
  /** Slack reaches the bot, and takes its token. */
  readonly isConnected: boolean;
  /** Slack answers the bot's calls. */
  readonly isAnswering: boolean;
  /** Slack's word for why it refuses a token (`token_revoked`); `""` while it does not. */
  readonly refusal: string;
  /** Slack takes hardly any message: so many `of` those of the last minute `failed`. Undefined while it takes them. */
  readonly untaken: { readonly failed: number; readonly of: number } | undefined;
  /** Since when one of these is amiss; undefined while none is. */
  readonly since: Date | undefined;
}

/** What a watch needs once the bot runs. */
interface Running {
  /** Asks Slack who the bot is; what Slack answers is heard as every other answer is. */
  readonly ask: () => Promise<unknown>;
  /** The token works again. */
  readonly onRestored: () => void;
}

/**
 * Watches whether Slack answers the bot's calls and takes its token. It hears the outcome of each call, and asks once Slack has
 * answered none for a minute, since nothing else tells it in quiet times. Once Slack has refused the token, no call goes out but that question: the answer to all others
 * is known.
 */
export class SlackWatch {
  readonly #clock: () => Date;
  readonly #log: Logger;
  #running: Running | undefined;
  #refusal = '';
  #refusedSince: Date | undefined;
  /** When the first of the calls was made that Slack has not answered. */
  #missedSince: Date | undefined;
  #isAway = false;
  /** The messages of the last minute, oldest first, and since when Slack has taken none; undefined when it took the last one. */
  readonly #messages: { readonly at: number; readonly isTaken: boolean }[] = [];
  #untakenSince: Date | undefined;
  /** A call was missed since the last question, which decides whatever other calls are answered meanwhile. */
  #isDoubted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ clock, log }: { readonly clock: () => Date; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Slack's word for why it refuses the token; `""` while it takes it. */
  get refusal(): string {
    return this.#refusal;
  }

  get refusedSince(): Date | undefined {
    return this.#refusedSince;
  }

  /** Since when Slack answers no call; undefined while it does. One call that fails is not enough. */
  get awaySince(): Date | undefined {
    return this.#isAway ? this.#missedSince : undefined;
  }

  /** How many messages of the last minute failed, and since when; undefined while Slack takes enough of them. */
  get untaken(): { readonly failed: number; readonly of: number; readonly since: Date } | undefined {
    this.#forgetMessages();
    const failed = this.#messages.filter(each => !each.isTaken).length;
    const of = this.#messages.length;
    if (!this.#untakenSince || failed < counted.least || failed <= counted.share * of) return undefined;
    return { failed, of, since: this.#untakenSince };
  }

  /**
   * Hears the outcome of a call: `ok`, Slack's word, `http_503`, `unreachable`, or `ratelimited` also where it was not made. A `response_url`
   * bears no token, and counts as a message alone.
   */
  heard(method: string, outcome: string): void {
    if (method === 'response_url' || method.startsWith('chat.')) this.#hearMessage(outcome);
    if (method === 'response_url' || outcome === 'ratelimited') return;
    if (outcome === 'unreachable' || outcome.startsWith('http_5')) this.#missed(method);
    else this.#answered(method);
    if (isTokenRefusal(outcome)) this.#refused(outcome);
    else if (method === 'auth.test' && outcome === 'ok') this.#restored();
  }

  /** What Slack refuses for its content or its place, such as an archived channel, it has taken as far as this watch goes. */
  #hearMessage(outcome: string): void {
    const isTaken = !isPassingWord(outcome) && !/^(?:rate_limited|http_429|http_5\d\d)$/.test(outcome);
    this.#untakenSince = isTaken ? undefined : (this.#untakenSince ?? this.#clock());
    this.#messages.push({ at: this.#clock().getTime(), isTaken });
    this.#forgetMessages();
  }

  #forgetMessages(): void {
    const from = this.#clock().getTime() - counted.within;
    while (this.#messages[0] && this.#messages[0].at < from) this.#messages.shift();
  }

  /** Asks from now on. What was refused before is logged now: until here the start itself tells it. */
  start(running: Running): void {
    this.#running = running;
    if (this.#refusal !== '') this.#tellRefusal();
    this.#askLater();
  }

  /** Asks at once. */
  async check(): Promise<void> {
    this.#isDoubted = false;
    // What failed is heard with the answer.
    await this.#running?.ask().catch(() => undefined);
  }

  stop(): void {
    this.#running = undefined;
    clearTimeout(this.#timer);
  }

  #askLater(): void {
    clearTimeout(this.#timer);
    if (!this.#running) return;
    this.#timer = setTimeout(() => void this.check().finally(() => this.#askLater()), this.#pause()).unref();
  }

  #pause(): number {
    if (this.#refusal !== '') return pauses.refused;
    if (this.#isAway) return pauses.away;
    return this.#missedSince ? pauses.doubtful : pauses.usual;
  }

  /** A call without an answer. While the bot starts, the start waits for Slack and tells so. */
  #missed(method: string): void {
    if (!this.#running) return;
    if (this.#missedSince === undefined) {
      this.#missedSince = this.#clock();
      this.#isDoubted = true;
      this.#askLater();
      return;
    }
    // Calls that were under way together fail together: the question that follows decides.
    if (this.#isAway || method !== 'auth.test') return;
    this.#isAway = true;
    this.#log.warn('slack: does not answer, so Muster keeps what is to be done in Slack');
  }

  /** Some calls may be answered while most are not: the question that was missed has to be answered. */
  #answered(method: string): void {
    if (this.#isAway && method !== 'auth.test') return;
    this.#missedSince = undefined;
    if (this.#isAway) {
      this.#isAway = false;
      this.#log.info('slack: answers again');
    }
    if (this.#refusal === '' && !this.#isDoubted) this.#askLater();
  }

  #refused(word: string): void {
    if (this.#refusal === word) return;
    const isFirst = this.#refusal === '';
    this.#refusal = word;
    if (!isFirst) return;
    this.#refusedSince = this.#clock();
    if (!this.#running) return;
    this.#tellRefusal();
    this.#askLater();
  }

  #tellRefusal(): void {
    this.#log.error(
      { reason: this.#refusal },
      'slack: refuses the bot token, so Muster keeps what is to be done in Slack; install the app again in the workspace, set SLACK_BOT_TOKEN if the token has changed, and start Muster again then',
    );
  }

  #restored(): void {
    if (this.#refusal === '') return;
    this.#refusal = '';
    this.#refusedSince = undefined;
    this.#log.info('slack: takes the bot token again');
    this.#askLater();
    this.#running?.onRestored();
  }
}

/** How a bot stands with Slack, from both directions. */
export function toStanding(
  watch: SlackWatch,
  way: {
    /** Since when Slack cannot reach the bot; undefined while it can. */
    lostSince(): Date | undefined;
    refusal(): string;
  },
): SlackStanding {
  const lostSince = way.lostSince();
  const { untaken } = watch;
  const sinces = [lostSince, watch.refusedSince, watch.awaySince, untaken?.since].filter(each => each !== undefined);
  return {
    isConnected: lostSince === undefined && watch.refusal === '',
    isAnswering: watch.awaySince === undefined,
    refusal: watch.refusal || way.refusal(),
    untaken,
    since: sinces.toSorted((one, other) => one.getTime() - other.getTime())[0],
  };
}

/** Asks at once when Slack says that tokens were revoked or the app was removed. Whether this token is meant, the answer says. */
export function watchRevocation(bolt: BoltApp, watch: SlackWatch): void {
  for (const event of revocationEvents) bolt.event(event, () => watch.check());
}

/** Slack's events that tell of it. */
const revocationEvents = ['app_uninstalled', 'tokens_revoked'] as const;
