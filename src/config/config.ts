import { z } from 'zod';
import { type AccessRole, accessRoles } from '../contract/define.ts';
import { type LogLevel, logLevels } from '../operations/log.ts';
import { findAddressProblem } from '../service/webhooks/address.ts';
import { settings } from './settings.ts';

/** A token that may call the embedded API over HTTP, and what it may do. */
export interface TokenSetting {
  readonly token: string;
  readonly role: AccessRole;
}

/** An address that is told what happens to incidents, and the secret that signs what it is told. */
export interface WebhookSetting {
  readonly url: string;
  readonly secret: string;
}

/** Everything that is set from outside, checked. */
export interface Config {
  readonly slack:
    | { readonly kind: 'http'; readonly botToken: string; readonly signingSecret: string }
    | { readonly kind: 'socket'; readonly botToken: string; readonly appToken: string };
  readonly slackApiUrl: string;
  /** The Grafana whose API is used; undefined for the embedded service. */
  readonly grafana: { readonly url: string; readonly token: string; readonly pluginID: string } | undefined;
  readonly databaseUrl: string;
  readonly port: number;
  /** Where people reach this server, without a trailing slash; `""` when it is not said. */
  readonly publicUrl: string;
  readonly tokens: readonly TokenSetting[];
  /** Path of a JSON file with further options of the embedded service; `""` for none. */
  readonly serviceOptions: string;
  /** Who may read the pages of the embedded service: nobody, or everybody who reaches this server. */
  readonly pages: 'off' | 'open';
  readonly webhooks: readonly WebhookSetting[];
  readonly commandRoot: string;
  readonly severities: readonly string[];
  readonly channelPrefix: string;
  readonly announceChannel: string;
  readonly logLevel: LogLevel;
}

const webAddress = z
  .string()
  .refine(
    value => value === '' || (/^https?:\/\/[^\s/]/.test(value) && URL.canParse(value)),
    'must be an address that begins with http:// or https://',
  )
  .refine(value => !/^https?:\/\/[^/]*@/.test(value), 'must not carry a user or password')
  .transform(value => value.replace(/\/+$/, ''));

/** Goes into a header of each request. */
const headerText = z.string().regex(/^[\x21-\x7e]*$/, 'must not have spaces or letters outside ASCII');

const severities = z
  .string()
  .transform(value =>
    value
      .split(',')
      .map(each => each.trim())
      .filter(each => each !== ''),
  )
  .refine(all => all.length >= 1 && all.length <= 20, 'must name between 1 and 20 severities')
  .refine(all => all.every(each => each.length <= 60), 'must not have a name of more than 60 characters')
  .refine(all => new Set(all.map(each => each.toLowerCase())).size === all.length, 'must not name one twice');

const tokens = z.string().transform((value, context): readonly TokenSetting[] => {
  try {
    return readTokens(value.split(','));
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
    return [];
  }
});

const webhookUrls = z.string().transform((value, context): readonly string[] => {
  try {
    return readWebhookUrls(value);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
    return [];
  }
});

const Environment = z.object({
  SLACK_BOT_TOKEN: headerText.refine(value => value === '' || value.startsWith('xoxb-'), 'must begin with xoxb-'),
  SLACK_SIGNING_SECRET: z.string(),
  SLACK_APP_TOKEN: headerText.refine(value => value === '' || value.startsWith('xapp-'), 'must begin with xapp-'),
  SLACK_API_URL: webAddress,
  GRAFANA_URL: webAddress,
  GRAFANA_TOKEN: headerText,
  GRAFANA_PLUGIN_ID: z.string().regex(/^[a-z0-9-]+$/, 'must be a plugin id such as grafana-irm-app'),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:|postgres(ql)?:\/\/).+/, 'must be sqlite: and a file, or postgres://user:password@host/database'),
  PORT: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(65_535, 'must be at most 65535'),
  PUBLIC_URL: webAddress,
  SERVICE_TOKENS: tokens,
  SERVICE_OPTIONS: z.string(),
  WEBHOOK_URLS: webhookUrls,
  WEBHOOK_SECRET: z.string().max(200, 'must be at most 200 characters'),
  PAGES: z.enum(['off', 'open'], 'must be off or open'),
  COMMAND_ROOT: z
    .string()
    .regex(/^[a-z0-9_-]{1,31}$/, 'must be at most 31 lower-case letters, digits, - or _, without a slash'),
  SEVERITIES: severities,
  CHANNEL_PREFIX: z.string().regex(/^[a-z0-9_-]{0,20}$/, 'must be at most 20 lower-case letters, digits, - or _'),
  ANNOUNCE_CHANNEL: z
    .string()
    .regex(
      /^([CG][A-Z0-9]+)?$/,
      'must be a channel’s id such as C0123ABCD, not its name (in Slack: open the channel’s details, at the very bottom)',
    ),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`),
});

/** What is wrong with the settings: every problem at once, none of them showing a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(
      ['The settings cannot be used:', ...problems.map(each => `  ${each}`), 'The README lists every setting.'].join(
        '\n',
      ),
    );
  }
}

/** Reads names of severities, separated by commas, from mild to grave. Throws with a sentence on what is wrong with them. */
export function readSeverities(value: string): readonly string[] {
  const parsed = severities.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`SEVERITIES ${parsed.error.issues.map(issue => issue.message).join(', ')}.`);
}

/** Reads `token:Role` pairs, passing over blank ones. Throws naming the place of the first that is none, never its text. */
export function readTokens(pairs: readonly string[]): readonly TokenSetting[] {
  return pairs
    .map(each => each.trim())
    .filter(each => each !== '')
    .map((pair, index) => {
      const at = pair.lastIndexOf(':');
      const role = accessRoles.find(each => each === pair.slice(at + 1));
      if (at > 0 && role) return { token: pair.slice(0, at), role };
      throw new Error(`token ${index + 1} must be token:Role, with a role of ${accessRoles.join(', ')}`);
    });
}

/** Reads addresses separated by commas. Throws naming the place of the first that will not do, never its text. */
export function readWebhookUrls(list: string): readonly string[] {
  const urls = list
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '');
  for (const [index, url] of urls.entries()) {
    const problem = findAddressProblem(url);
    if (problem !== undefined) throw new Error(`address ${index + 1} ${problem}`);
  }
  return [...new Set(urls)];
}

/** Reads the settings from an environment. Throws {@link ConfigError}. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    settings.map(setting => [setting.name, environment[setting.name]?.trim() || setting.default]),
  );
  const parsed = Environment.safeParse(given);
  const problems = parsed.error?.issues.map(issue => `${issue.path.join('.')} ${issue.message}.`) ?? [];
  const missing = missingSettings(given);
  if (!parsed.success || missing.length > 0) throw new ConfigError([...problems, ...missing]);
  const env = parsed.data;
  return {
    slack: env.SLACK_APP_TOKEN
      ? { kind: 'socket', botToken: env.SLACK_BOT_TOKEN, appToken: env.SLACK_APP_TOKEN }
      : { kind: 'http', botToken: env.SLACK_BOT_TOKEN, signingSecret: env.SLACK_SIGNING_SECRET },
    slackApiUrl: env.SLACK_API_URL,
    grafana: env.GRAFANA_URL
      ? { url: env.GRAFANA_URL, token: env.GRAFANA_TOKEN, pluginID: env.GRAFANA_PLUGIN_ID }
      : undefined,
    databaseUrl: env.DATABASE_URL,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL,
    tokens: env.SERVICE_TOKENS,
    serviceOptions: env.SERVICE_OPTIONS,
    pages: env.PAGES,
    webhooks: env.WEBHOOK_URLS.map(url => ({ url, secret: env.WEBHOOK_SECRET })),
    commandRoot: env.COMMAND_ROOT,
    severities: env.SEVERITIES,
    channelPrefix: env.CHANNEL_PREFIX,
    announceChannel: env.ANNOUNCE_CHANNEL,
    logLevel: env.LOG_LEVEL,
  };
}

function missingSettings(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  const problems: string[] = [];
  if (!given.SLACK_BOT_TOKEN)
    problems.push('SLACK_BOT_TOKEN is not set: it is under “OAuth & Permissions” of the Slack app.');
  if (!given.SLACK_SIGNING_SECRET && !given.SLACK_APP_TOKEN) {
    problems.push(
      'Neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP mode) is set: both are under “Basic Information” of the Slack app.',
    );
  }
  if (given.GRAFANA_URL && !given.GRAFANA_TOKEN) {
    problems.push('GRAFANA_TOKEN is not set, and GRAFANA_URL is: make a service account token with the role Editor.');
  }
  if (given.WEBHOOK_URLS && !given.WEBHOOK_SECRET) {
    problems.push('WEBHOOK_SECRET is not set, and WEBHOOK_URLS is: make one with `openssl rand -hex 32`.');
  }
  return problems;
}
