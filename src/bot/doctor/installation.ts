import type { Deadlines } from '../../deadlines.ts';
import type { SlackMode } from '../slack/connection.ts';

/** What the settings say beyond Slack, for the checks of the doctor. */
export interface Surroundings {
  /** The incident API: a Grafana's, or the embedded service's. */
  readonly apiKind: 'grafana' | 'embedded';
  /** Host and port of a Grafana, for words. */
  readonly apiHost?: string | undefined;
  readonly pages: 'off' | 'slack' | 'open';
  /** Where people reach the HTTP server, without a trailing slash; `""` when it is not set. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  /** Whether Muster takes the webhooks of the incident API. */
  readonly takesWebhooks: boolean;
  /** Names of the sources of alerts. */
  readonly alertSources: readonly string[];
  /** Names of the team's pagers. */
  readonly pagers: readonly string[];
}

/** What the settings say about an installation, and how long the checks of it may wait. */
export interface Installation extends Surroundings {
  readonly mode: SlackMode;
  readonly botToken: string;
  /** Base address of the Web API; `""` for Slack's own. */
  readonly slackApiUrl: string;
  /** The workspace of an organisation for incidents that began outside Slack; `""` for the first one. */
  readonly workspace: string;
  /** The slash command that carries every verb, without its slash. */
  readonly commandRoot: string;
  /** Id of the channel where incidents are announced; `""` for none. */
  readonly announceChannel: string;
  readonly deadlines: Deadlines;
}

/** The installation that these settings describe. */
export function toInstallation(options: {
  readonly mode: SlackMode;
  readonly botToken: string;
  readonly slackApiUrl: string;
  readonly workspace?: string | undefined;
  readonly settings: Pick<Installation, 'commandRoot' | 'announceChannel'>;
  readonly surroundings: Surroundings;
  readonly deadlines: Deadlines;
}): Installation {
  const { mode, botToken, slackApiUrl, workspace = '', settings, surroundings, deadlines } = options;
  const { commandRoot, announceChannel } = settings;
  return { ...surroundings, mode, botToken, slackApiUrl, workspace, commandRoot, announceChannel, deadlines };
}
