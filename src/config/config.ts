import type { PagerSetting } from '../bot/pager/pager.ts';
import type { LogLevel } from '../operations/log-levels.ts';
import type { PagesMode } from '../service/call/options.ts';
import { type AlertConfig, readAlerts } from './alert-sources.ts';
import type { CallChain } from './call-formats.ts';
import { ConfigError, type MissingSetting } from './config-error.ts';
import type { EmojiMeaning, TokenSetting } from './formats.ts';
import { findMisspelt } from './misspelt.ts';
import { findPageWarnings, findSamePort } from './page-settings.ts';
import type { Condition } from './setting.ts';
import { readSettings, type SettingName, type SettingValues, settingNames, settingOf } from './settings.ts';

/** An address that receives an event for each change of an incident, and the secret that signs it. */
interface WebhookSetting {
  readonly url: string;
  readonly secret: string;
}

/** The settings of the embedded service and the server it runs in, checked. */
export interface ServiceConfig {
  readonly databaseUrl: string;
  /** Connections to Postgres for work, without those for searches. */
  readonly databasePool: number;
  /** Connections to Postgres parse a statement only once. */
  readonly namesStatements: boolean;
  /** 0 for a free one. */
  readonly port: number;
  /** The address to listen on; `""` for all. */
  readonly host: string;
  /** The port of health and metrics, 0 for a free one; undefined when they are at `port`. */
  readonly metricsPort: number | undefined;
  /** The address under which people reach the server, without a trailing slash; `""` when it is not set. */
  readonly publicUrl: string;
  readonly tokens: readonly TokenSetting[];
  /** Path of a JSON file with further options of the embedded service; `""` for none. */
  readonly serviceOptions: string;
  /** Who may read the pages of the embedded service: nobody, the people of Slack, or everybody who can reach the server. */
  readonly pages: PagesMode;
  /** The port of the pages, 0 for a free one; undefined when they are at `port`. */
  readonly pagesPort: number | undefined;
  readonly webhooks: readonly WebhookSetting[];
  /** For how many days resolved incidents are kept; 0 for ever. */
  readonly incidentRetentionDays: number;
  /** From mild to grave. */
  readonly severities: readonly string[];
  readonly logLevel: LogLevel;
  /** A sentence for each setting that is set and changes nothing. */
  readonly warnings: readonly string[];
}

/** All settings, checked. */
export interface Config extends ServiceConfig {
  readonly slack:
    | { readonly kind: 'http'; readonly botToken: string; readonly signingSecret: string }
    | { readonly kind: 'socket'; readonly botToken: string; readonly appToken: string };
  readonly slackApiUrl: string;
  /** The workspace of an organisation for incidents that began outside Slack; `""` for the first one. */
  readonly workspace: string;
  /** The Grafana whose API is used; undefined for the embedded service. */
  readonly grafana: { readonly url: string; readonly token: string; readonly pluginID: string } | undefined;
  /** Signs the webhooks that the incident API sends to Muster; `""` when it sends none. */
  readonly incidentWebhookSecret: string;
  readonly commandRoot: string;
  readonly channelPrefix: string;
  readonly announceChannel: string;
  readonly commanderRole: string;
  /** What reactions do, by the emoji's name. */
  readonly timelineEmoji: ReadonlyMap<string, EmojiMeaning>;
  /** Names of the severities whose incidents get a room at once when they began elsewhere, as `severities` spells them. */
  readonly receipts: 'channel' | 'thread' | 'quiet';
  readonly linesPerHour: number;
  readonly archiveAfterDays: number;
  /** How people are reminded of what is owed: minutes of the day, minutes of silence, and hours of a task. */
  readonly reminders: {
    readonly mode: 'on' | 'owner' | 'off';
    readonly quietHours: { readonly from: number; readonly to: number } | undefined;
    readonly newsAfter: { readonly gravest: number; readonly below: number } | undefined;
    readonly taskAfter: number;
  };
  readonly roomsFor: readonly string[];
  /** What severities mean, by their names as `severities` spells them. */
  readonly severityMeanings: ReadonlyMap<string, string>;
  /** Who is called without being asked for; severities are as `severities` spells them. */
  readonly callChains: readonly CallChain[];
  /** In minutes. */
  readonly callAfter: number;
  /** The handle of the group whose members may call; `""` for everybody. */
  readonly callers: string;
  /** Guests see every incident that is not private. */
  readonly guestsSeeAll: boolean;
  /** Incidents are shown in channels that are shared with other organisations. */
  readonly showsInShared: boolean;
  /** `classic`: Slack's newer blocks are never sent. */
  readonly blocks: 'auto' | 'classic';
  /** Asks the author before it stores a text that looks like a secret. */
  readonly guardsSecrets: boolean;
  readonly alerts: AlertConfig;
  readonly paging: {
    readonly pagers: readonly PagerSetting[];
    readonly pagerDutyUrl: string;
    /** Handle or id of the Slack group whose members alone may page; `""`: every member. */
    readonly group: string;
  };
}

/** The settings that {@link readServiceConfig} reads. */
export const serviceSettings = [
  'PORT',
  'HOST',
  'METRICS_PORT',
  'PAGES_PORT',
  'DATABASE_URL',
  'DATABASE_POOL',
  'DATABASE_STATEMENTS',
  'SERVICE_TOKENS',
  'PUBLIC_URL',
  'PAGES',
  'WEBHOOK_URLS',
  'WEBHOOK_SECRET',
  'SEVERITIES',
  'SERVICE_OPTIONS',
  'INCIDENT_RETENTION_DAYS',
  'LOG_LEVEL',
] as const satisfies readonly SettingName[];

/** Settings as text, by name; what is undefined or blank has its default. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads all settings from an environment. Throws {@link ConfigError}. */
export function readConfig(environment: Environment): Config {
  const { values: env, problems } = readSettings(settingNames, environment);
  const { refused, warnings } = findVain(settingNames, environment);
  const missing = [...findMissingOfSlack(environment), ...(refused.length > 0 ? [] : findMissingPartners(environment))];
  if (env === undefined || missing.length > 0 || refused.length > 0) {
    throw new ConfigError([...problems, ...refused, ...findMisspelt(environment)], missing);
  }
  const { alerts, problems: ofAlerts } = readAlerts(env, name => findSeverity(env, name));
  const strangers = [...findStrangers(env), ...findSamePort(env), ...ofAlerts];
  if (strangers.length > 0) throw new ConfigError(strangers);
  const ofPages = findPageWarnings({
    mode: env.PAGES,
    publicUrl: env.PUBLIC_URL,
    takesSlack: !env.SLACK_APP_TOKEN,
    hasOwnPort: env.PAGES_PORT !== undefined,
  });
  return {
    ...toServiceConfig(env, [...warnings, ...ofPages]),
    slack: env.SLACK_APP_TOKEN
      ? { kind: 'socket', botToken: env.SLACK_BOT_TOKEN, appToken: env.SLACK_APP_TOKEN }
      : { kind: 'http', botToken: env.SLACK_BOT_TOKEN, signingSecret: env.SLACK_SIGNING_SECRET },
    slackApiUrl: env.SLACK_API_URL,
    workspace: env.SLACK_WORKSPACE,
    grafana: env.GRAFANA_URL
      ? { url: env.GRAFANA_URL, token: env.GRAFANA_TOKEN, pluginID: env.GRAFANA_PLUGIN_ID }
      : undefined,
    incidentWebhookSecret: env.INCIDENT_WEBHOOK_SECRET,
    commandRoot: env.COMMAND_ROOT,
    channelPrefix: env.CHANNEL_PREFIX,
    announceChannel: env.ANNOUNCE_CHANNEL,
    commanderRole: env.COMMANDER_ROLE,
    timelineEmoji: env.TIMELINE_EMOJI,
    receipts: env.RECEIPTS,
    linesPerHour: env.LINES_PER_HOUR,
    archiveAfterDays: env.ARCHIVE_AFTER_DAYS,
    reminders: {
      mode: env.REMINDERS,
      quietHours: env.QUIET_HOURS,
      newsAfter: env.NEWS_AFTER,
      taskAfter: env.TASK_AFTER,
    },
    roomsFor: env.ROOMS_FOR.flatMap(each => findSeverity(env, each) ?? []),
    severityMeanings: new Map(
      [...env.SEVERITY_MEANINGS].map(([name, meaning]) => [findSeverity(env, name) ?? name, meaning]),
    ),
    callChains: env.CALL.map(each =>
      each.at === 'label' ? each : { ...each, name: findSeverity(env, each.name) ?? each.name },
    ),
    callAfter: env.CALL_AFTER,
    callers: env.CALLERS,
    guestsSeeAll: env.GUESTS === 'all',
    showsInShared: env.SHARED_CHANNELS === 'all',
    blocks: env.BLOCKS,
    guardsSecrets: env.SECRETS_GUARD === 'on',
    alerts,
    paging: toPaging(env),
  };
}

/**
 * Reads the settings of the embedded service alone. `label` says how a setting is called in a complaint: its option, say. Throws
 * {@link ConfigError}.
 */
export function readServiceConfig(given: Environment, label?: (name: SettingName) => string): ServiceConfig {
  const { values, problems } = readSettings(serviceSettings, given, label);
  const missing = findMissingPartners({ WEBHOOK_URLS: given.WEBHOOK_URLS, WEBHOOK_SECRET: given.WEBHOOK_SECRET });
  if (values === undefined || missing.length > 0) throw new ConfigError(problems, missing);
  const collisions = findSamePort(values);
  const away =
    values.PAGES === 'slack'
      ? [`${label?.('PAGES') ?? 'PAGES'} must be off or open here: slack needs the bot, which runs with muster start.`]
      : [];
  if (collisions.length + away.length > 0) throw new ConfigError([...collisions, ...away]);
  return toServiceConfig(values, findVain(serviceSettings, given, label).warnings);
}

/** The settings that {@link readAlertConfig} reads. */
const settingsOfAlerts = [
  ...(['ALERTS', 'ALERTS_SOURCES', 'ALERTS_DECLARE', 'ALERTS_END', 'ALERTS_AGAIN', 'ALERTS_STORM'] as const),
  ...(['ANNOUNCE_CHANNEL', 'SEVERITIES', 'HOST', 'PORT'] as const),
] as const satisfies readonly SettingName[];

/** Reads the sources of alerts, and where the server is that they send to. Throws {@link ConfigError}. */
export function readAlertConfig(given: Environment): Pick<Config, 'alerts' | 'host' | 'port'> {
  const { values, problems } = readSettings(settingsOfAlerts, given);
  if (values === undefined) throw new ConfigError(problems);
  const { alerts, problems: ofAlerts } = readAlerts(values, name => findSeverity(values, name));
  if (ofAlerts.length > 0) throw new ConfigError(ofAlerts);
  return { alerts, host: values.HOST, port: values.PORT };
}

/** Reads the pagers of the team. Throws {@link ConfigError}. */
export function readPagerConfig(given: Environment): Config['paging'] {
  const { values, problems } = readSettings(['PAGERS', 'PAGERDUTY_URL', 'PAGER_GROUP'], given);
  if (values === undefined) throw new ConfigError(problems);
  return toPaging(values);
}

function toPaging(env: Pick<SettingValues, 'PAGERS' | 'PAGERDUTY_URL' | 'PAGER_GROUP'>): Config['paging'] {
  return { pagers: env.PAGERS, pagerDutyUrl: env.PAGERDUTY_URL, group: env.PAGER_GROUP };
}

function toServiceConfig(
  env: SettingValues<(typeof serviceSettings)[number]>,
  warnings: readonly string[],
): ServiceConfig {
  return {
    warnings,
    databaseUrl: env.DATABASE_URL,
    databasePool: env.DATABASE_POOL,
    namesStatements: env.DATABASE_STATEMENTS === 'named',
    port: env.PORT,
    host: env.HOST,
    metricsPort: env.METRICS_PORT,
    pagesPort: env.PAGES_PORT,
    publicUrl: env.PUBLIC_URL,
    tokens: env.SERVICE_TOKENS,
    serviceOptions: env.SERVICE_OPTIONS,
    pages: env.PAGES,
    webhooks: env.WEBHOOK_URLS.map(url => ({ url, secret: env.WEBHOOK_SECRET })),
    incidentRetentionDays: env.INCIDENT_RETENTION_DAYS,
    severities: env.SEVERITIES,
    logLevel: env.LOG_LEVEL,
  };
}

/**
 * The missing Slack settings, in the order in which an operator meets them. When nothing of Slack is set, the announcement
 * channel is suggested too.
 */
function findMissingOfSlack(environment: Environment): readonly MissingSetting[] {
  const isMissing = (name: SettingName) => !environment[name]?.trim();
  const needsBot = isMissing('SLACK_BOT_TOKEN');
  const needsMode = isMissing('SLACK_APP_TOKEN') && isMissing('SLACK_SIGNING_SECRET');
  const http = { name: 'SLACK_SIGNING_SECRET', when: 'HTTP mode instead of Socket Mode:' } as const;
  return [
    ...(needsBot ? [{ name: 'SLACK_BOT_TOKEN' } as const] : []),
    ...(needsMode ? [{ name: 'SLACK_APP_TOKEN', instead: http } as const] : []),
    ...(needsBot && needsMode && isMissing('ANNOUNCE_CHANNEL')
      ? [{ name: 'ANNOUNCE_CHANNEL', isOptional: true } as const]
      : []),
  ];
}

/** Settings that another one makes necessary. */
function findMissingPartners(environment: Environment): readonly MissingSetting[] {
  const partners = [
    ['GRAFANA_URL', 'GRAFANA_TOKEN'],
    ['WEBHOOK_URLS', 'WEBHOOK_SECRET'],
  ] as const;
  return partners
    .filter(([name, partner]) => environment[name]?.trim() && !environment[partner]?.trim())
    .map(([because, name]) => ({ name, because }));
}

/** The severity as `SEVERITIES` spells it; undefined for a name that is none. */
function findSeverity({ SEVERITIES }: Pick<SettingValues, 'SEVERITIES'>, name: string): string | undefined {
  return SEVERITIES.find(each => each.toLowerCase() === name.toLowerCase());
}

/** A sentence for each name in a setting that another setting does not have: a severity, or the pager of a chain. */
function findStrangers(env: SettingValues): readonly string[] {
  const { ROOMS_FOR, ALERTS_DECLARE } = env;
  const CALL = env.CALL.flatMap(({ at, name }) => (at === 'severity' ? [name] : []));
  const named = { ROOMS_FOR, ALERTS_DECLARE, SEVERITY_MEANINGS: [...env.SEVERITY_MEANINGS.keys()], CALL };
  const severities = Object.entries(named).flatMap(([setting, names]) =>
    names.flatMap((each, index) =>
      findSeverity(env, each) === undefined
        ? [`${setting} severity ${index + 1} must be one that SEVERITIES names.`]
        : [],
    ),
  );
  return [...severities, ...findUnknownPagers(env)];
}

function findUnknownPagers({ CALL, PAGERS }: SettingValues): readonly string[] {
  const named = CALL.flatMap(({ targets }) => targets.flatMap(each => (each.kind === 'pager' ? [each.name] : [])));
  const unknown = new Set(named.filter(name => PAGERS.every(each => each.name !== name)));
  return [...unknown].map(name => `CALL pager ${name} must be one that PAGERS names.`);
}

/** Sentences on settings that are set where they have no effect. None shows a value. */
interface Vain {
  /** Muster does not start with these. */
  readonly refused: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Finds the settings that are set and have no effect, by the conditions of the list of settings. One with its default counts as not set.
 * A condition on a setting that is not among `names` does not apply: `muster service` knows no Grafana. `label` says how a sentence
 * calls a setting.
 */
function findVain(
  names: readonly SettingName[],
  given: Environment,
  label: (name: SettingName) => string = name => name,
): Vain {
  const textOf = (name: SettingName) => given[name]?.trim() || settingOf(name).default;
  const vain = names.flatMap(name => {
    const { worksOnly = [], default: fallback } = settingOf(name);
    if (textOf(name) === fallback) return [];
    const broken = worksOnly.filter(each => {
      const of = names.find(other => other === each.of);
      return of !== undefined && !holds(each, textOf(of));
    });
    // The gravest alone: the others may be gone with it.
    const first = broken.find(each => each.otherwise === 'refuse') ?? broken[0];
    return first ? [{ otherwise: first.otherwise, sentence: toSentence(label(name), first) }] : [];
  });
  const saying = (otherwise: Condition['otherwise']) =>
    vain.filter(each => each.otherwise === otherwise).map(each => each.sentence);
  return { refused: saying('refuse'), warnings: saying('warn') };
}

function holds({ must }: Condition, text: string): boolean {
  if (must === 'name a Postgres') return /^postgres(ql)?:/.test(text);
  return (text !== '') === (must === 'be set');
}

function toSentence(name: string, { of, must, otherwise, why }: Condition): string {
  if (must === 'name a Postgres') return `${name} changes nothing, since ${of} names no Postgres: ${why}. Take it out.`;
  const verb = otherwise === 'refuse' ? 'must not be set' : 'is of no use';
  if (must === 'be set') return `${name} ${verb} without ${of}: ${why}. Set ${of}, or take ${name} out.`;
  return `${name} and ${of} must not both be set: ${why}. Take one of the two out.`;
}
