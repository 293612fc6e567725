import { z } from 'zod';
import type { PagerSetting } from '../bot/pager/pager.ts';
import { findAddressProblem } from '../contract/webhook-address.ts';
import { logLevels } from '../operations/log-levels.ts';
import { alertAgain, alertStorm, alertTokens } from './alert-formats.ts';
import {
  databaseUrl,
  headerText,
  listenAddress,
  optionalPort,
  poolSize,
  port,
  retentionDays,
  shortestToken,
  slackToken,
  someSeverities,
  splitList,
  text,
  tokens,
  webAddress,
  webhookUrls,
  workspaceID,
} from './formats.ts';
import { pageSettings } from './page-settings.ts';
import type { Setting } from './setting.ts';
import { teamSettings } from './team-settings.ts';

/** Without a source no alert comes in. */
const needsSources = (otherwise: 'refuse' | 'warn') =>
  [{ of: 'ALERTS', must: 'be set', otherwise, why: 'no tool may send alerts' }] as const;

/** The settings of the alerts that monitoring sends, in the order of docs/settings.md. */
const alertSettings = {
  ALERTS: {
    default: '',
    meaning:
      'the tools that may send alerts to `/hooks/alerts/<name>`: `name=token` pairs, separated by commas, each token of 20 characters or more. The same name twice gives a source two tokens, while they are changed',
    example: 'prometheus=4f1c…,grafana=9a0e…',
    isSecret: true,
    isList: true,
    source: 'Choose a name; make the token: openssl rand -hex 20',
    format: alertTokens,
  },
  ALERTS_SOURCES: {
    default: '',
    meaning: 'a JSON file with what a team decides of single sources (see docs/settings.md)',
    example: './alert-sources.json',
    worksOnly: needsSources('refuse'),
    format: text,
  },
  ALERTS_DECLARE: {
    default: '',
    meaning:
      'the severities, separated by commas, whose alerts declare an incident at once; empty for none: all others are offered in the channel',
    example: 'critical',
    isList: true,
    worksOnly: needsSources('refuse'),
    format: someSeverities,
  },
  ALERTS_END: {
    default: 'ask',
    meaning:
      'the end of an alert: `ask` leaves the incident to people, with a button; `auto` resolves an incident in which nobody ever acted',
    example: 'auto',
    worksOnly: needsSources('warn'),
    format: z.enum(['ask', 'auto'], 'must be ask or auto'),
  },
  ALERTS_AGAIN: {
    default: '30',
    meaning: 'the minutes after the end of an alert within which it is the same incident when it fires again',
    example: '60',
    worksOnly: needsSources('warn'),
    format: alertAgain,
  },
  ALERTS_STORM: {
    default: '5/10m',
    meaning:
      'the number and the time of a storm: more new alerts than `5` of one source within `10m` become one offer; `off` for none',
    example: '10/1h',
    worksOnly: needsSources('warn'),
    format: alertStorm,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Most pagers: each is a button of one row. */
const maxPagers = 20;

/**
 * `name=kind:…` pairs, separated by commas: `sre=pagerduty:<integration key>` with `|<signing secret>` where PagerDuty answers, and
 * `db=webhook:<address>|<secret>`. A complaint names the place of the wrong pair.
 */
const pagers = z.string().transform((value, context): readonly PagerSetting[] => {
  const all = splitList(value).flatMap((pair, index): readonly PagerSetting[] => {
    const read = readPager(pair);
    if (typeof read !== 'string') return [read];
    context.addIssue(`pager ${index + 1} ${read}`);
    return [];
  });
  for (const [index, { name }] of all.entries())
    if (all.findIndex(each => each.name === name) < index) context.addIssue(`pager ${index + 1} is named twice`);
  if (all.length > maxPagers) context.addIssue(`must name at most ${maxPagers} pagers`);
  return all;
});

/** A pager, or the problem of its pair. */
function readPager(pair: string): PagerSetting | string {
  const [, name = '', kind = '', rest = ''] = /^([^=]*)=(pagerduty|webhook):(.*)$/s.exec(pair) ?? [];
  if (kind === '') return 'must be name=pagerduty:… or name=webhook:…, such as sre=pagerduty:0123…';
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
    return 'must have a name of at most 40 lower-case letters, digits or hyphens, without a hyphen at its beginning';
  const end = rest.lastIndexOf('|');
  const [first, secret] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end + 1)];
  if (secret !== '' && !/^[\x21-\x7e]+$/.test(secret))
    return 'must have a secret without spaces or letters outside ASCII';
  const isShort = secret.length < shortestToken;
  if (kind === 'pagerduty') {
    if (!/^[A-Za-z0-9]{32}$/.test(first))
      return 'must have an integration key of 32 letters and digits, as PagerDuty shows it';
    if (isShort && end >= 0) return `must have a signing secret of at least ${shortestToken} characters, or none`;
    return { name, kind, routingKey: first, secret };
  }
  const problem = findAddressProblem(first);
  if (problem !== undefined) return `has an address that ${problem}`;
  if (isShort)
    return `must have a secret of at least ${shortestToken} characters behind |: make one with openssl rand -hex 20`;
  return { name, kind: 'webhook', url: first, secret };
}

const needsPagers = [{ of: 'PAGERS', must: 'be set', otherwise: 'warn', why: 'there is no pager' }] as const;

/** The settings of the team's pagers, in the order of docs/settings.md. */
const pagerSettings = {
  PAGERS: {
    default: '',
    meaning:
      'the pagers that `/incident page` reaches, separated by commas: `name=pagerduty:<integration key>` or `name=webhook:<address>`, each with its secret behind it (docs/pager.md)',
    example: 'sre=pagerduty:0123…',
    isSecret: true,
    isList: true,
    source: 'PagerDuty: a service, Integrations, Events API V2. The secret of a webhook: openssl rand -hex 20',
    format: pagers,
  },
  PAGERDUTY_URL: {
    default: 'https://events.pagerduty.com',
    meaning: 'where PagerDuty’s Events API is',
    example: 'https://events.eu.pagerduty.com',
    worksOnly: needsPagers,
    format: webAddress.refine(value => value !== '', 'must be an address'),
  },
  PAGER_GROUP: {
    default: '',
    meaning: 'the Slack group whose members alone may page, by its handle or its id; empty for every member',
    example: '@responders',
    worksOnly: needsPagers,
    format: z
      .string()
      .regex(/^(@?[\p{L}\p{N}._-]{1,100})?$/u, 'must be the handle of a Slack group, such as @responders, or its id')
      .transform(value => value.replace(/^@/, '')),
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** `22:00-07:00` as minutes of the day; `off` for never. */
const quietHours = z
  .string()
  .transform((value, context): { readonly from: number; readonly to: number } | undefined => {
    if (value === 'off') return undefined;
    const found = /^([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)$/.exec(value);
    if (!found) {
      context.addIssue('must be two times of the day such as 22:00-07:00, or off');
      return z.NEVER;
    }
    const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = found.slice(1).map(Number);
    const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
    if (hours.from === hours.to) context.addIssue('must end at another time than it begins; off for none');
    return hours;
  });

/** `30,60`: minutes for the gravest severity and for those below; `off` for never. */
const newsAfter = z
  .string()
  .transform((value, context): { readonly gravest: number; readonly below: number } | undefined => {
    if (value === 'off') return undefined;
    const [, gravest, below] = /^(\d{1,4})\s*,\s*(\d{1,4})$/.exec(value)?.map(Number) ?? [];
    if (gravest === undefined || below === undefined || gravest < 1 || below < 1) {
      context.addIssue('must be two numbers of minutes such as 30,60, or off');
      return z.NEVER;
    }
    return { gravest, below };
  });

/** After how many hours a task is reminded of; 0 for never. */
const taskAfter = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(720, 'must be at most 720');

/** The settings of reminders, in the order of docs/settings.md. */
const reminderSettings = {
  REMINDERS: {
    default: 'on',
    meaning:
      'who is reminded of what is owed, such as a promised update: `on` for the person who owes it, alone, and then the incident’s channel; `owner` for that person alone; `off` for nobody. `/incident reminders` sets it for one incident',
    example: 'owner',
    format: z.enum(['on', 'owner', 'off'], 'must be on, owner or off'),
  },
  QUIET_HOURS: {
    default: '22:00-07:00',
    meaning:
      'the hours in which nobody gets a reminder in a direct message, by the clock of each person in Slack; it comes at their end if it is still owed. An incident of the gravest severity that goes on knows none. `off` for none',
    example: '20:00-08:00',
    format: quietHours,
  },
  NEWS_AFTER: {
    default: '30,60',
    meaning:
      'the minutes of silence after which the person who leads an incident is reminded: of the gravest severity, and of those below; the mildest has none. Talk in the channel counts, and so does any act. `off` for never',
    example: '20,120',
    format: newsAfter,
  },
  TASK_AFTER: {
    default: '4',
    meaning:
      'the hours after which the person who has a task is reminded of it when it does not move, then once a day; 0 for never',
    example: '8',
    format: taskAfter,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** All settings, in the order of docs/settings.md. */
const settings = {
  SLACK_BOT_TOKEN: {
    default: '',
    meaning: 'the token of the Slack app’s bot',
    example: 'xoxb-…',
    isSecret: true,
    source: 'Slack app (https://api.slack.com/apps), OAuth & Permissions: Bot User OAuth Token',
    format: slackToken('xoxb-'),
  },
  SLACK_APP_TOKEN: {
    default: '',
    meaning: 'Socket Mode, which needs no public address',
    example: 'xapp-…',
    isSecret: true,
    source: 'Slack app, Basic Information: App-Level Tokens, one with the scope connections:write',
    worksOnly: [
      {
        of: 'SLACK_SIGNING_SECRET',
        must: 'not be set',
        otherwise: 'refuse',
        why: 'the first is for Socket Mode, the second for HTTP mode, and a Slack app uses one of them',
      },
    ],
    format: slackToken('xapp-'),
  },
  SLACK_SIGNING_SECRET: {
    default: '',
    meaning: 'HTTP mode: proves that requests come from Slack; not beside `SLACK_APP_TOKEN`',
    example: '8f74…',
    isSecret: true,
    source: 'Slack app, Basic Information: Signing Secret',
    format: text,
  },
  SLACK_API_URL: {
    default: '',
    meaning: 'base address of Slack’s Web API; empty for Slack’s own',
    example: 'https://slack-proxy.example.com/api',
    format: webAddress,
  },
  SLACK_WORKSPACE: {
    default: '',
    meaning:
      'for an app that a whole organisation of Slack (Enterprise Grid) has installed: the id of the workspace in which Muster makes the channels of incidents that began outside Slack. Empty: the first one that Slack lists',
    example: 'T0123ABCD',
    format: workspaceID,
  },
  GRAFANA_URL: {
    default: '',
    meaning: 'a Grafana with Incident (IRM); empty for the embedded service',
    example: 'https://acme.grafana.net',
    format: webAddress,
  },
  GRAFANA_TOKEN: {
    default: '',
    meaning: 'the token of a service account of Grafana',
    example: 'glsa_…',
    isSecret: true,
    source: 'Grafana, Administration: Service accounts, a token of one with the role Editor',
    option: '--token <token>',
    worksOnly: [
      { of: 'GRAFANA_URL', must: 'be set', otherwise: 'refuse', why: 'the embedded service would keep the incidents' },
    ],
    format: headerText,
  },
  GRAFANA_PLUGIN_ID: {
    default: 'grafana-irm-app',
    meaning: 'the id of Grafana’s incident plugin; `grafana-incident-app` on older Grafanas',
    example: 'grafana-incident-app',
    option: '--plugin-id <id>',
    worksOnly: [
      { of: 'GRAFANA_URL', must: 'be set', otherwise: 'refuse', why: 'the embedded service would keep the incidents' },
    ],
    format: z.string().regex(/^[a-z0-9-]+$/, 'must be a plugin id such as grafana-irm-app'),
  },
  DATABASE_URL: {
    default: 'sqlite:./data/muster.db',
    meaning:
      'the database: `sqlite:<file>` or `postgres://user:password@host/database`. On a command line, `env:NAME` keeps the password out: the address stands in the variable `NAME`, or in the file of `NAME_FILE`',
    example: 'postgres://muster:…@db.example.com/muster',
    isSecret: true,
    option: '--database <url>',
    format: databaseUrl,
  },
  DATABASE_POOL: {
    default: '10',
    meaning:
      'how many connections a process opens to Postgres for its work; three more are for single statements, three for searches and pages, and one hears the other processes',
    example: '5',
    option: '--database-pool <connections>',
    worksOnly: [{ of: 'DATABASE_URL', must: 'name a Postgres', otherwise: 'warn', why: 'SQLite has no use for it' }],
    format: poolSize,
  },
  DATABASE_STATEMENTS: {
    default: 'named',
    meaning:
      '`named`: a connection to Postgres parses each statement once; `unnamed` for a pooler between the two that gives connections away between transactions and knows no names, such as PgBouncer before 1.21',
    example: 'unnamed',
    option: '--database-statements <kind>',
    worksOnly: [{ of: 'DATABASE_URL', must: 'name a Postgres', otherwise: 'warn', why: 'SQLite has no use for it' }],
    format: z.enum(['named', 'unnamed'], 'must be named or unnamed'),
  },
  PORT: {
    default: '3000',
    meaning:
      'the port of the HTTP server, which serves the Slack endpoint, API, pages, health and metrics; 0 for a free one',
    example: '8080',
    option: '--port <port>',
    format: port,
  },
  HOST: {
    default: '',
    meaning:
      'the address of this machine on which the HTTP server listens; empty for all of them. `127.0.0.1` lets only this machine in, as behind a proxy on it',
    example: '127.0.0.1',
    option: '--host <address>',
    format: listenAddress,
  },
  METRICS_PORT: {
    default: '',
    meaning:
      'a port of their own for `/healthz`, `/readyz` and `/metrics`, which are then not at `PORT`; at the same address as `PORT`. Empty: they are at `PORT`; 0 for a free one',
    example: '9090',
    option: '--metrics-port <port>',
    format: optionalPort,
  },
  PAGES_PORT: pageSettings.PAGES_PORT,
  PUBLIC_URL: {
    default: '',
    meaning: 'the address under which people reach the HTTP server; short links and links to pages begin with it',
    example: 'https://muster.example.com',
    option: '--public-url <url>',
    format: webAddress,
  },
  SERVICE_TOKENS: {
    default: '',
    meaning:
      'tokens with which other clients may call the embedded API: `token:Role` pairs, separated by commas, each token of 20 characters or more. Timelines name them by place and role, as in “API 1 (Editor)”',
    example: 'glsa_…:Editor,glsa_…:Viewer',
    isSecret: true,
    isList: true,
    source: 'Make one: openssl rand -hex 20',
    option: '--token <token:Role>',
    worksOnly: [
      {
        of: 'GRAFANA_URL',
        must: 'not be set',
        otherwise: 'refuse',
        why: 'Grafana answers the API, with tokens of its own',
      },
    ],
    format: tokens,
  },
  WEBHOOK_URLS: {
    default: '',
    meaning: 'addresses, separated by commas, that receive an event for each change of an incident',
    example: 'https://example.com/hook',
    isSecret: true,
    isList: true,
    option: '--webhook-urls <urls>',
    worksOnly: [{ of: 'GRAFANA_URL', must: 'not be set', otherwise: 'refuse', why: 'Grafana sends its own webhooks' }],
    format: webhookUrls,
  },
  WEBHOOK_SECRET: {
    default: '',
    meaning: 'signs the events for `WEBHOOK_URLS`, so that a receiver can check that they come from Muster',
    example: '5f2b…',
    isSecret: true,
    source: 'Make one: openssl rand -hex 32',
    option: '--webhook-secret <secret>',
    worksOnly: [{ of: 'WEBHOOK_URLS', must: 'be set', otherwise: 'warn', why: 'nothing is sent that it could sign' }],
    format: z.string().max(200, 'must be at most 200 characters'),
  },
  INCIDENT_WEBHOOK_SECRET: {
    default: '',
    meaning:
      'proves that the events that arrive at `/hooks/incident` come from the incident API; with them, people see within seconds what others change there. Empty: Muster asks the API every ten seconds',
    example: '3c9a…',
    isSecret: true,
    source: 'Grafana, Incident, Settings, Integrations: Outgoing webhooks, the signing secret',
    worksOnly: [
      { of: 'GRAFANA_URL', must: 'be set', otherwise: 'warn', why: 'the embedded service sends Muster no webhooks' },
    ],
    format: z.string().max(200, 'must be at most 200 characters'),
  },
  PAGES: pageSettings.PAGES,
  SERVICE_OPTIONS: {
    default: '',
    meaning: 'a JSON file with further options of the embedded service (see docs/settings.md)',
    example: './service-options.json',
    option: '--options <file>',
    worksOnly: [
      { of: 'GRAFANA_URL', must: 'not be set', otherwise: 'refuse', why: 'they are of the embedded service' },
    ],
    format: text,
  },
  INCIDENT_RETENTION_DAYS: {
    default: '0',
    meaning:
      'for how many days the embedded service keeps an incident after it was resolved and last changed; then it is deleted with its timeline. 0: for ever',
    example: '730',
    option: '--incident-retention-days <days>',
    worksOnly: [
      { of: 'GRAFANA_URL', must: 'not be set', otherwise: 'refuse', why: 'Muster deletes nothing from a Grafana' },
    ],
    format: retentionDays,
  },
  ...teamSettings,
  ...reminderSettings,
  ...alertSettings,
  ...pagerSettings,
  LOG_LEVEL: {
    default: 'info',
    meaning: 'the lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    example: 'debug',
    option: '--log-level <level>',
    format: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`),
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The name of a setting, which is that of its environment variable. */
export type SettingName = keyof typeof settings;

/** The checked values of some settings, by name. */
export type SettingValues<Name extends SettingName = SettingName> = {
  readonly [Each in Name]: z.output<(typeof settings)[Each]['format']>;
};

/** All names, in the order of the list. */
export const settingNames = Object.keys(settings).filter((name): name is SettingName => name in settings);

/** The list's entry of a setting. */
export function settingOf(name: SettingName): Setting {
  return settings[name];
}

/** A list without an entry: its setting would silently change nothing, or switch something off. */
const separatorsAlone = /^[\s,;]+$/;

/**
 * Reads settings from text by their names; what is undefined or blank has its default. There are values when all could be read,
 * and otherwise a sentence for each problem. `label` says how a problem calls a setting: by its own name, unless it came from an
 * option.
 */
export function readSettings<Name extends SettingName>(
  names: readonly Name[],
  given: Readonly<Record<string, string | undefined>>,
  label: (name: SettingName) => string = name => name,
): { readonly values: SettingValues<Name> | undefined; readonly problems: readonly string[] } {
  const values: Partial<Record<Name, unknown>> = {};
  const problems: string[] = [];
  for (const name of names) {
    const { format, default: fallback } = settingOf(name);
    const text = given[name]?.trim() || fallback;
    const parsed = format.safeParse(text);
    if (separatorsAlone.test(text)) problems.push(`${label(name)} must name something, or be left out.`);
    else if (parsed.success) values[name] = parsed.data;
    else problems.push(...parsed.error.issues.map(issue => `${label(name)} ${issue.message}.`));
  }
  // Each value is what the setting's own format made of the text.
  return { values: problems.length === 0 ? (values as SettingValues<Name>) : undefined, problems };
}
