import type { App as BoltApp } from '@slack/bolt';
import type { Logger } from 'pino';
import { isTokenRefusal } from './clients.ts';

/** The pause between questions whether the token works, in milliseconds: while it works, and while Slack refuses it. */
const usualPause = 300_000;
const refusedPause = 5000;

/** What a watch needs. */
interface TokenWatchDeps {
  /** Asks Slack who the bot is; what Slack answers is heard as every other answer is. */
  readonly ask: () => Promise<unknown>;
  /** The token works again. */
  readonly onRestored: () => void;
}

/**
 * Watches whether Slack takes the bot's token. Once Slack has refused it, no call goes out but the question whether it works again:
 * the answer to all others is known. The question is also asked now and then, since nothing else tells it in quiet times.
 */
export class TokenWatch {
  readonly #log: Logger;
  #deps: TokenWatchDeps | undefined;
  #refusal = '';
  #timer: NodeJS.Timeout | undefined;

  constructor({ log }: { readonly log: Logger }) {
    this.#log = log;
  }

  /** Slack's word for why it refuses the token; `""` while it takes it. */
  get refusal(): string {
    return this.#refusal;
  }

  /** Hears the outcome of a call with the token: `ok` or Slack's word. */
  heard(method: string, outcome: string): void {
    if (isTokenRefusal(outcome)) this.#refused(outcome);
    else if (method === 'auth.test' && outcome === 'ok') this.#restored();
  }

  /** Asks from now on. */
  start(deps: TokenWatchDeps): void {
    this.#deps = deps;
    this.#askLater();
  }

  /** Asks at once. */
  async check(): Promise<void> {
    // What failed is heard with the answer; that Slack is away says nothing about the token.
    await this.#deps?.ask().catch(() => undefined);
  }

  stop(): void {
    this.#deps = undefined;
    clearTimeout(this.#timer);
  }

  #askLater(): void {
    clearTimeout(this.#timer);
    if (!this.#deps) return;
    const pause = this.#refusal === '' ? usualPause : refusedPause;
    this.#timer = setTimeout(() => void this.check().finally(() => this.#askLater()), pause).unref();
  }

  #refused(word: string): void {
    if (this.#refusal === word) return;
    const isFirst = this.#refusal === '';
    this.#refusal = word;
    if (!isFirst) return;
    this.#log.error(
      { reason: word },
      'slack: refuses the bot token, so Muster keeps what is to be done in Slack; install the app again in the workspace, set SLACK_BOT_TOKEN if the token has changed, and start Muster again then',
    );
    this.#askLater();
  }

  #restored(): void {
    if (this.#refusal === '') return;
    this.#refusal = '';
    this.#log.info('slack: takes the bot token again');
    this.#askLater();
    this.#deps?.onRestored();
  }
}

/** Asks at once when Slack says that tokens were revoked or the app was removed. Whether this token is meant, the answer says. */
export function watchRevocation(bolt: BoltApp, watch: Pick<TokenWatch, 'check'>): void {
  for (const event of revocationEvents) bolt.event(event, () => watch.check());
}

/** Slack's events that tell of it. */
export const revocationEvents = ['app_uninstalled', 'tokens_revoked'] as const;
