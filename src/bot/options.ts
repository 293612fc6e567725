import type { Logger } from 'pino';
import type { Api } from '../contract/contract.ts';
import type { Database } from '../db/database.ts';
import type { Feature } from './dispatch/feature.ts';
import type { HouseRules } from './incident/house-rules.ts';
import { maxConcurrentLanes } from './journal/worker.ts';
import type { ObserveDelivery } from './slack/http-receiver.ts';
import type { ObserveWebApi } from './slack/web-fetch.ts';

/** Calls to the API that the bot makes at a time for intents that nobody waits for. */
export const maxConcurrentAttempts = maxConcurrentLanes;

/** How Slack reaches the bot: by HTTP requests signed with a secret, or over a socket that the bot opens. */
export type SlackMode =
  | { readonly kind: 'http'; readonly signingSecret: string }
  | { readonly kind: 'socket'; readonly appToken: string };

/** What the bot is made of. */
export interface BotOptions {
  readonly mode: SlackMode;
  readonly botToken: string;
  /** Base address of the Web API; `""` for Slack's own. */
  readonly slackApiUrl: string;
  readonly api: Api;
  readonly database: Database;
  readonly features: readonly Feature[];
  readonly house: HouseRules;
  /** Milliseconds that the API may take over one thing somebody wants. */
  readonly intentBudget: number;
  readonly clock: () => Date;
  /** Milliseconds of a clock that never steps; absent: the process's own. */
  readonly steady?: (() => number) | undefined;
  readonly log: Logger;
  readonly observeDelivery: ObserveDelivery;
  readonly observeWebApi: ObserveWebApi;
}
