import { type AlertSource, readAlertSources } from './alert-sources.ts';
import { ConfigError, type MissingSetting } from './config-error.ts';
import { findMisspelt, findMoved } from './misspelt.ts';
import { findPageWarnings, findSamePort } from './page-settings.ts';
import { pagerSettings } from './pager-settings.ts';
import type { Condition, ValuesOf } from './setting.ts';
import { readSettings, type SettingName, type SettingValues, settingNames, settingOf } from './settings.ts';

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

/** Settings that have no member of their own: one member of {@link ServiceConfig} or {@link Config} comes from several of them. */
type JoinedName =
  | ('SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN' | 'SLACK_SIGNING_SECRET')
  | ('GRAFANA_URL' | 'GRAFANA_TOKEN' | 'GRAFANA_PLUGIN_ID')
  | ('WEBHOOK_URLS' | 'WEBHOOK_SECRET')
  | ('ALERTS' | 'ALERTS_SOURCES' | 'ALERTS_DECLARE');

/** The settings of the embedded service and the server it runs in, checked. */
export interface ServiceConfig extends SettingValues<Exclude<(typeof serviceSettings)[number], JoinedName>> {
  /** The addresses that receive an event for each change of an incident, and the secret that signs it. */
  readonly webhooks: readonly { readonly url: string; readonly secret: string }[];
  /** A sentence for each setting that is set and changes nothing. */
  readonly warnings: readonly string[];
}

/** All settings, checked. Names of severities are as `severities` spells them. */
export interface Config extends ServiceConfig, SettingValues<Exclude<SettingName, JoinedName>> {
  readonly slack:
    | { readonly kind: 'http'; readonly botToken: string; readonly signingSecret: string }
    | { readonly kind: 'socket'; readonly botToken: string; readonly appToken: string };
  /** The Grafana whose API is used; undefined for the embedded service. */
  readonly grafana: { readonly url: string; readonly token: string; readonly pluginID: string } | undefined;
  /** The sources of alerts, in the order of `ALERTS`; none where it is not set. */
  readonly alerts: readonly AlertSource[];
}

/** Settings as text, by name; what is undefined or blank has its default. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads all settings from an environment. Throws {@link ConfigError}. */
export function readConfig(environment: Environment): Config {
  const { values, problems } = readSettings(settingNames, environment);
  const { refused, warnings } = findIneffective(settingNames, environment);
  const missing = [...findMissingOfSlack(environment), ...(refused.length > 0 ? [] : findMissingPartners(environment))];
  if (values === undefined || missing.length > 0 || refused.length > 0) {
    throw new ConfigError([...problems, ...refused, ...findMisspelt(environment)], missing);
  }
  const { sources, problems: ofAlerts } = readAlertSources(values, name => findSeverity(values, name));
  const strangers = [...findStrangers(values), ...findSamePort(values), ...ofAlerts, ...findMoved(environment)];
  if (strangers.length > 0) throw new ConfigError(strangers);
  const { slackBotToken: botToken, slackAppToken: appToken, slackSigningSecret: signingSecret } = values;
  const { grafanaUrl: url, grafanaToken: token, grafanaPluginId: pluginID } = values;
  const spell = (name: string) => findSeverity(values, name) ?? name;
  return {
    ...values,
    slack: appToken ? { kind: 'socket', botToken, appToken } : { kind: 'http', botToken, signingSecret },
    grafana: url ? { url, token, pluginID } : undefined,
    webhooks: toWebhooks(values),
    alerts: sources,
    roomsFor: values.roomsFor.map(spell),
    severityMeanings: new Map([...values.severityMeanings].map(([name, meaning]) => [spell(name), meaning])),
    call: values.call.map(each => (each.at === 'label' ? each : { ...each, name: spell(each.name) })),
    warnings: [...warnings, ...findPageWarnings({ ...values, takesSlack: !appToken })],
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
    values.pages === 'slack'
      ? [`${label?.('PAGES') ?? 'PAGES'} must be off or open here: slack needs the bot, which runs with muster start.`]
      : [];
  if (collisions.length + away.length > 0) throw new ConfigError([...collisions, ...away]);
  return { ...values, webhooks: toWebhooks(values), warnings: findIneffective(serviceSettings, given, label).warnings };
}

function toWebhooks(values: SettingValues<'WEBHOOK_URLS' | 'WEBHOOK_SECRET'>): ServiceConfig['webhooks'] {
  return values.webhookUrls.map(url => ({ url, secret: values.webhookSecret }));
}

/** The settings that {@link readAlertConfig} reads. */
const settingsOfAlerts = [
  ...(['ALERTS', 'ALERTS_SOURCES', 'ALERTS_DECLARE', 'ALERTS_END'] as const),
  ...(['ANNOUNCE_CHANNEL', 'SEVERITIES', 'HOST', 'PORT'] as const),
] as const satisfies readonly SettingName[];

/** Reads the sources of alerts, and where the server is that they send to. Throws {@link ConfigError}. */
export function readAlertConfig(
  given: Environment,
): SettingValues<'HOST' | 'PORT'> & { readonly alerts: readonly AlertSource[] } {
  const { values, problems } = readSettings(settingsOfAlerts, given);
  if (values === undefined) throw new ConfigError(problems);
  const { sources, problems: ofAlerts } = readAlertSources(values, name => findSeverity(values, name));
  if (ofAlerts.length > 0) throw new ConfigError(ofAlerts);
  return { alerts: sources, host: values.host, port: values.port };
}

/** Reads the pagers of the team. Throws {@link ConfigError}. */
export function readPagerConfig(given: Environment): ValuesOf<typeof pagerSettings> {
  const names = settingNames.filter((name): name is keyof typeof pagerSettings => name in pagerSettings);
  const { values, problems } = readSettings(names, given);
  const moved = findMoved(given);
  if (values === undefined || moved.length > 0) throw new ConfigError([...problems, ...moved]);
  return values;
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
function findSeverity({ severities }: SettingValues<'SEVERITIES'>, name: string): string | undefined {
  return severities.find(each => each.toLowerCase() === name.toLowerCase());
}

/** A sentence for each name in a setting that another setting does not have: a severity, or the pager of a chain. */
function findStrangers(values: SettingValues): readonly string[] {
  const named: Partial<Record<SettingName, readonly string[]>> = {
    ROOMS_FOR: values.roomsFor,
    ALERTS_DECLARE: values.alertsDeclare,
    SEVERITY_MEANINGS: [...values.severityMeanings.keys()],
    CALL: values.call.flatMap(({ at, name }) => (at === 'severity' ? [name] : [])),
  };
  const severities = Object.entries(named).flatMap(([setting, names]) =>
    names.flatMap((each, index) =>
      findSeverity(values, each) === undefined
        ? [`${setting} severity ${index + 1} must be one that SEVERITIES names.`]
        : [],
    ),
  );
  return [...severities, ...findUnknownPagers(values)];
}

function findUnknownPagers({ call, pagers }: SettingValues): readonly string[] {
  const named = call.flatMap(({ targets }) => targets.flatMap(each => (each.kind === 'pager' ? [each.name] : [])));
  const unknown = new Set(named.filter(name => pagers.every(each => each.name !== name)));
  return [...unknown].map(name => `CALL pager ${name} must be one that PAGERS names.`);
}

/**
 * Sentences on settings that are set and have no effect, by the conditions of the list of settings; Muster does not start with those that
 * are `refused`. None shows a value. A setting with its default counts as not set. A condition on a setting that is not among `names` does
 * not apply: `muster service` knows no Grafana. `label` says how a sentence calls a setting.
 */
function findIneffective(
  names: readonly SettingName[],
  given: Environment,
  label: (name: SettingName) => string = name => name,
) {
  const textOf = (name: SettingName) => given[name]?.trim() || settingOf(name).default;
  const vain = names.flatMap(name => {
    const { worksOnly = [], default: fallback } = settingOf(name);
    if (textOf(name) === fallback) return [];
    const broken = worksOnly.filter(each => {
      const of = names.find(other => other === each.of);
      return of !== undefined && !holds(each, textOf(of));
    });
    // The most severe alone: the others may be gone with it.
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
