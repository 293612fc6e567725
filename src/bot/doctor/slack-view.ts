import { askSlack, type SlackAnswer } from '../slack/ask-slack.ts';
import type { Installation } from './installation.ts';

/** What one call with the bot's token tells; several checks read it. */
export interface SlackView {
  readonly auth: SlackAnswer;
  /** When the answer came. */
  readonly askedAt: Date;
  /** The app of the bot's token; `""` when Slack does not tell. */
  readonly appId: string;
}

/** Asks Slack once who the bot is. Never throws: a refusal is a fact too. */
export async function readSlackView(installation: Installation, clock: () => Date): Promise<SlackView> {
  const { slackApiUrl, botToken } = installation;
  const auth = await askSlack(slackApiUrl, botToken, 'auth.test');
  const askedAt = clock();
  const botId = textOf(auth.body, 'bot_id');
  if (auth.error !== '' || botId === '') return { auth, askedAt, appId: '' };
  const { body } = await askSlack(slackApiUrl, botToken, 'bots.info', { bot: botId });
  return { auth, askedAt, appId: textOf(body.bot, 'app_id') };
}

/** A member's text; `""` when it is absent or no text. */
export function textOf(record: unknown, member: string): string {
  const value: unknown = typeof record === 'object' && record !== null ? Reflect.get(record, member) : undefined;
  return typeof value === 'string' ? value : '';
}
