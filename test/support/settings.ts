import type { SettingName } from '../../src/config/settings.ts';

/** Settings by name, as an operator writes them. */
export type Settings = Readonly<Record<string, string>>;

/** A value of each setting that is not its default, and that it takes. */
export const givenValues: Readonly<Record<SettingName, string>> = {
  SLACK_BOT_TOKEN: 'xoxb-given',
  SLACK_APP_TOKEN: 'xapp-given',
  SLACK_SIGNING_SECRET: 'signing-given',
  SLACK_API_URL: 'https://slack-proxy.example.com/api',
  SLACK_WORKSPACE: 'T0123ABCD',
  GRAFANA_URL: 'https://given.grafana.net',
  GRAFANA_TOKEN: 'glsa_given',
  GRAFANA_PLUGIN_ID: 'grafana-incident-app',
  DATABASE_URL: 'sqlite:./given.db',
  DATABASE_POOL: '5',
  DATABASE_STATEMENTS: 'unnamed',
  PORT: '8080',
  HOST: '127.0.0.1',
  METRICS_PORT: '9090',
  PAGES_PORT: '8081',
  PUBLIC_URL: 'https://muster.example.com',
  SERVICE_TOKENS: 'glsa_given_to_the_service:Editor',
  WEBHOOK_URLS: 'https://example.com/hook',
  WEBHOOK_SECRET: 'webhook-given',
  INCIDENT_WEBHOOK_SECRET: 'hook-given',
  PAGES: 'open',
  SERVICE_OPTIONS: './service-options.json',
  INCIDENT_RETENTION_DAYS: '730',
  COMMAND_ROOT: 'ir',
  SEVERITIES: 'unknown,minor,major',
  SEVERITY_MEANINGS: 'minor: few notice',
  CHANNEL_PREFIX: 'incident-',
  COMMANDER_ROLE: 'incident lead',
  TIMELINE_EMOJI: 'memo:note',
  ANNOUNCE_CHANNEL: 'C0123ABCD',
  ROOMS_FOR: 'major',
  ARCHIVE_AFTER_DAYS: '7',
  CALL: 'major:@sre>@sre-leads; label payments:@payments',
  CALL_AFTER: '10',
  CALLERS: '@incident-leads',
  GUESTS: 'all',
  SHARED_CHANNELS: 'all',
  SECRETS_GUARD: 'off',
  REMINDERS: 'owner',
  QUIET_HOURS: '20:00-08:00',
  NEWS_AFTER: '20,120',
  ALERTS: 'prometheus=token_given_to_prometheus',
  ALERTS_SOURCES: './alert-sources.json',
  ALERTS_DECLARE: 'major',
  ALERTS_END: 'auto',
  PAGERS: 'sre=pagerduty:0123456789abcdef0123456789abcdef',
  PAGER_GROUP: 'responders',
  LOG_LEVEL: 'debug',
};

/** Each way in which Muster can be set up: how Slack reaches it, who answers the API, where it keeps its data. */
export const modes: readonly { readonly name: string; readonly settings: Settings }[] = [
  ['HTTP', { SLACK_SIGNING_SECRET: 'signing-of-mode' }] as const,
  ['Socket Mode', { SLACK_APP_TOKEN: 'xapp-of-mode' }] as const,
].flatMap(([slack, ofSlack]) =>
  [
    ['a Grafana', { GRAFANA_URL: 'https://mode.grafana.net', GRAFANA_TOKEN: 'glsa_of_mode' }] as const,
    ['the embedded service', {}] as const,
  ].flatMap(([api, ofApi]) =>
    [
      ['SQLite', { DATABASE_URL: 'sqlite:./mode.db' }] as const,
      ['Postgres', { DATABASE_URL: 'postgres://muster:password-of-mode@db.example.com/muster' }] as const,
    ].map(([database, ofDatabase]) => ({
      name: `${slack}, ${api}, ${database}`,
      settings: { SLACK_BOT_TOKEN: 'xoxb-of-mode', ...ofSlack, ...ofApi, ...ofDatabase },
    })),
  ),
);
