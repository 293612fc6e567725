import { toObject } from '../../json-object.ts';
import { askSlack, type SlackAnswer } from '../slack/ask-slack.ts';
import type { Installation } from './installation.ts';

/** What the first calls with the bot's token tell; several checks read it. */
export interface SlackView {
  readonly auth: SlackAnswer;
  /** When the answer came. */
  readonly askedAt: Date;
  /** The app of the bot's token; `""` when Slack does not tell. */
  readonly appId: string;
  /** The workspaces of an organisation whose token it is, as `auth.teams.list` tells; undefined for a token of one workspace. */
  readonly teams: SlackAnswer | undefined;
}

/** Asks Slack once who the bot is, and where it is installed. Never throws: a refusal is a fact too. */
export async function readSlackView(installation: Installation, clock: () => Date): Promise<SlackView> {
  const { botToken } = installation;
  const auth = await askSlack(installation, botToken, 'auth.test');
  const askedAt = clock();
  const botId = textOf(auth.body, 'bot_id');
  if (auth.error !== '' || botId === '') return { auth, askedAt, appId: '', teams: undefined };
  const args = { bot: botId, team_id: textOf(auth.body, 'team_id') };
  const isOfAll = auth.body.is_enterprise_install === true;
  const [{ body }, teams] = await Promise.all([
    askSlack(installation, botToken, 'bots.info', args),
    isOfAll ? askSlack(installation, botToken, 'auth.teams.list', { limit: '1000' }) : undefined,
  ]);
  return { auth, askedAt, appId: textOf(body.bot, 'app_id'), teams };
}

/** A member's text; `""` when it is absent or no text. */
export function textOf(record: unknown, member: string): string {
  const value = toObject(record)[member];
  return typeof value === 'string' ? value : '';
}
