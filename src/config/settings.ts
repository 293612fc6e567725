import { z } from 'zod';
import { alertRules, alertSettings } from './alert-settings.ts';
import {
  databaseUrl,
  headerText,
  listenAddress,
  optionalPort,
  poolSize,
  port,
  retentionDays,
  slackToken,
  text,
  tokens,
  webAddress,
  webhookUrls,
  workspaceID,
} from './formats.ts';
import { logLevels } from './log-levels.ts';
import { pageSettings } from './page-settings.ts';
import { pagerSettings } from './pager-settings.ts';
import { memberName, type Setting, type SettingTable, type ValuesOf } from './setting.ts';
import { teamSettings } from './team-settings.ts';

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
    meaning: 'HTTP mode: proves that requests come from Slack; not with `SLACK_APP_TOKEN`',
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
      'the database: `sqlite:<file>` or `postgres://user:password@host/database`. On a command line, `env:NAME` keeps the password out: the variable `NAME` holds the address, or the file of `NAME_FILE` does',
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
      'for how many days the embedded service keeps an incident after it was resolved and last changed; then it is deleted with its timeline. 0: never',
    example: '730',
    option: '--incident-retention-days <days>',
    worksOnly: [
      { of: 'GRAFANA_URL', must: 'not be set', otherwise: 'refuse', why: 'Muster deletes nothing from a Grafana' },
    ],
    format: retentionDays,
  },
  ...teamSettings,
  ...alertSettings,
  ...alertRules,
  ...pagerSettings,
  LOG_LEVEL: {
    default: 'info',
    meaning: 'the lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    example: 'debug',
    option: '--log-level <level>',
    format: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`),
  },
} as const satisfies SettingTable;

/** The name of a setting, which is that of its environment variable. */
export type SettingName = keyof typeof settings;

/** The checked values of some settings. */
export type SettingValues<Name extends SettingName = SettingName> = ValuesOf<typeof settings, Name>;

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
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of names) {
    const { format, default: fallback } = settingOf(name);
    const text = given[name]?.trim() || fallback;
    const parsed = format.safeParse(text);
    if (separatorsAlone.test(text)) problems.push(`${label(name)} must name something, or be left out.`);
    else if (parsed.success) values[memberName(name)] = parsed.data;
    else problems.push(...parsed.error.issues.map(issue => `${label(name)} ${issue.message}.`));
  }
  // Each value is what the setting's own format made of the text.
  return { values: problems.length === 0 ? (values as SettingValues<Name>) : undefined, problems };
}
