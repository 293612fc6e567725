import { expect, test } from 'vitest';
import { readConfig, readServiceConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { settingNames, settingOf } from '../../../src/config/settings.ts';

/** A token of twenty characters. */
const long = 'a'.repeat(20);
const http = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec' };

function problems(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

test('little is needed', () => {
  expect(readConfig(http)).toMatchObject({
    slack: { kind: 'http', botToken: 'xoxb-1', signingSecret: 'sec' },
    slackApiUrl: '',
    grafana: undefined,
    databaseUrl: 'sqlite:./data/muster.db',
    port: 3000,
    host: '',
    metricsPort: undefined,
    databasePool: 10,
    publicUrl: '',
    serviceTokens: [],
    commandRoot: 'muster',
    severities: ['pending', 'minor', 'major', 'critical'],
    channelPrefix: 'inc-',
    announceChannel: '',
    commanderRole: 'commander',
    archiveAfterDays: 0,
    reminders: 'on',
    quietHours: { from: 1320, to: 420 },
    newsAfter: { gravest: 30, below: 60 },
    roomsFor: [],
    severityMeanings: new Map(),
    logLevel: 'info',
  });
});

test('health and metrics get no port that is taken by the rest', () => {
  expect(readConfig({ ...http, METRICS_PORT: '9090' }).metricsPort).toBe(9090);
  expect(readConfig({ ...http, PORT: '0', METRICS_PORT: '0' }).metricsPort).toBe(0);
  const same = 'METRICS_PORT must differ from PORT.';
  expect(problems({ ...http, PORT: '9090', METRICS_PORT: '9090' })).toContain(same);
  expect(() => readServiceConfig({ PORT: '9090', METRICS_PORT: '9090' })).toThrow(same);
  const wrong = problems({ ...http, METRICS_PORT: 'x', DATABASE_POOL: '1' });
  for (const each of ['METRICS_PORT must be a number.', 'DATABASE_POOL must be at least 2.'])
    expect(wrong).toContain(each);
});

test('an app token means Socket Mode; blank means not set; addresses lose their last slashes', () => {
  const config = readConfig({
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_APP_TOKEN: ' xapp-1 ',
    PORT: ' ',
    PUBLIC_URL: 'https://muster.example.com//',
    GRAFANA_URL: 'https://acme.grafana.net/sub/',
    GRAFANA_TOKEN: 'glsa_x',
    SEVERITIES: ' low , high ',
    ROOMS_FOR: 'HIGH',
    SEVERITY_MEANINGS: 'HIGH: nothing works, for nobody; low : few notice;',
  });
  expect(config.slack).toEqual({ kind: 'socket', botToken: 'xoxb-1', appToken: 'xapp-1' });
  expect(config.port).toBe(3000);
  expect(config.publicUrl).toBe('https://muster.example.com');
  expect(config.grafana?.url).toBe('https://acme.grafana.net/sub');
  const { serviceTokens: tokens } = readConfig({ ...http, SERVICE_TOKENS: `${long}:b:Admin, ${long}c:Viewer,` });
  expect(tokens).toEqual([
    { token: `${long}:b`, role: 'Admin' },
    { token: `${long}c`, role: 'Viewer' },
  ]);
  expect(config.severities).toEqual(['low', 'high']);
  expect(config.roomsFor).toEqual(['high']);
  expect([...config.severityMeanings]).toEqual([
    ['high', 'nothing works, for nobody'],
    ['low', 'few notice'],
  ]);
});

test('every problem is told at once, in words, and no value is shown', () => {
  const wrong = {
    SLACK_BOT_TOKEN: 'SECRETVALUE1',
    SLACK_APP_TOKEN: 'SECRETVALUE2',
    SLACK_API_URL: 'SECRETVALUE3',
    GRAFANA_URL: 'https://[SECRETVALUE4',
    GRAFANA_TOKEN: 'SECRET VALUE5',
    GRAFANA_PLUGIN_ID: 'SECRETVALUE6',
    DATABASE_URL: 'SECRETVALUE7',
    PORT: 'SECRETVALUE8',
    PUBLIC_URL: 'https://me:SECRETVALUE9@example.com',
    SERVICE_TOKENS: 'SECRETVALUE10:Emperor',
    COMMAND_ROOT: '/SECRETVALUE11',
    SEVERITIES: ',',
    CHANNEL_PREFIX: 'SECRETVALUE12',
    ANNOUNCE_CHANNEL: '#secretvalue13',
    LOG_LEVEL: 'SECRETVALUE14',
  };
  const message = problems(wrong);
  for (const name of Object.keys(wrong)) expect(message).toContain(`  ${name} `);
  expect(message).not.toMatch(/secret.?value/i);
  expect(message).toMatch(/^The settings cannot be used:\n/);
  expect(message).toMatch(/docs\/settings\.md lists every setting\.$/);
  // One more: SERVICE_TOKENS is of no use with GRAFANA_URL, either.
  expect(message.split('\n')).toHaveLength(Object.keys(wrong).length + 3);
});

/** What a message asks one to write into `.env`, comments left out. */
const linesToWrite = (message: string) => message.split('\n').filter(line => /^[A-Z_]+=/.test(line));

test('without settings, the message ends with the three lines to write, each below where its value is found', () => {
  const message = problems({});
  expect(message).not.toContain('cannot be used');
  expect(message).toMatch(/^Muster cannot start without 2 more settings\. docs\/settings\.md lists every setting\.\n/);
  expect(message.split('\n').slice(-7)).toEqual([
    expect.stringMatching(/^# Slack app .*, OAuth & Permissions: Bot User OAuth Token$/),
    'SLACK_BOT_TOKEN=xoxb-…',
    expect.stringMatching(/^# Slack app, Basic Information: App-Level Tokens/),
    expect.stringMatching(/^# HTTP mode instead .* SLACK_SIGNING_SECRET=.*Basic Information: Signing Secret/),
    'SLACK_APP_TOKEN=xapp-…',
    expect.stringMatching(/^# Optional: .*Channel ID$/),
    '# ANNOUNCE_CHANNEL=C0123ABCD',
  ]);
  expect(linesToWrite(message)).toEqual(['SLACK_BOT_TOKEN=xoxb-…', 'SLACK_APP_TOKEN=xapp-…']);
});

test.each<[Record<string, string>, readonly string[], string]>([
  [{ SLACK_BOT_TOKEN: 'xoxb-1' }, ['SLACK_APP_TOKEN=xapp-…'], 'Basic Information: App-Level Tokens'],
  [{ SLACK_SIGNING_SECRET: 'sec' }, ['SLACK_BOT_TOKEN=xoxb-…'], 'Bot User OAuth Token'],
  [{ SLACK_APP_TOKEN: 'xapp-1', SLACK_BOT_TOKEN: ' ' }, ['SLACK_BOT_TOKEN=xoxb-…'], 'Bot User OAuth Token'],
  [{ ...http, GRAFANA_URL: 'https://acme.grafana.net' }, ['GRAFANA_TOKEN=glsa_…'], '# GRAFANA_URL needs it.'],
  [{ ...http, WEBHOOK_URLS: 'https://a.example' }, ['WEBHOOK_SECRET=5f2b…'], 'openssl rand -hex 32'],
])('with some settings missing, only those are to be written: %o', (environment, lines, source) => {
  const message = problems(environment);
  expect(message).toContain('Muster cannot start without one more setting.');
  expect(message).not.toContain('ANNOUNCE_CHANNEL');
  expect(linesToWrite(message)).toEqual(lines);
  expect(message).toContain(source);
});

test('both Slack modes at once are refused', () => {
  expect(problems({ ...http, SLACK_APP_TOKEN: 'xapp-1' })).toContain(
    'SLACK_APP_TOKEN and SLACK_SIGNING_SECRET must not both be set',
  );
});

test('when a setting is missing, one that is misspelt is named too, without its value', () => {
  const message = problems({ SLACK_BOT_TOKN: 'xoxb-hidden', SLACK_SIGNING_SECRET: 'sec' });
  expect(message).toContain('SLACK_BOT_TOKN is no setting, so it changes nothing. Is SLACK_BOT_TOKEN meant?');
  expect(message).not.toContain('hidden');
});

test('wrong settings come first and the lines to write last', () => {
  const message = problems({ PORT: '-1' });
  expect(message).toMatch(/^The settings cannot be used:\n {2}PORT must not be negative\.\n/);
  expect(message).toMatch(/\n# ANNOUNCE_CHANNEL=C0123ABCD$/);
});

test('every default and every example without an ellipsis is a value that the setting takes', () => {
  for (const name of settingNames) {
    const { default: fallback, example, format } = settingOf(name);
    expect(format.safeParse(fallback).success, `${name}=${fallback}`).toBe(true);
    if (!example.includes('…')) expect(format.safeParse(example).success, `${name}=${example}`).toBe(true);
  }
});

test.each([
  [{ ...http, PORT: '-1' }, 'PORT must not be negative.'],
  [{ ...http, PORT: '65536' }, 'PORT must be at most 65535.'],
  [{ ...http, PORT: '1.5' }, 'PORT must be a whole number.'],
  [{ ...http, HOST: 'http://localhost' }, 'HOST must be an address or name of this machine'],
  [{ ...http, HOST: '127.0.0.1:3000' }, 'HOST must not carry a port'],
  [{ ...http, SEVERITIES: 'a,A' }, 'SEVERITIES must not name one twice.'],
  [{ ...http, INCIDENT_RETENTION_DAYS: '-1' }, 'INCIDENT_RETENTION_DAYS must not be negative.'],
  [
    { ...http, GRAFANA_URL: 'https://acme.grafana.net', GRAFANA_TOKEN: 'glsa_x', INCIDENT_RETENTION_DAYS: '90' },
    'INCIDENT_RETENTION_DAYS and GRAFANA_URL must not both be set: Muster deletes nothing from a Grafana.',
  ],
  [
    { ...http, SEVERITIES: 'low,high', ROOMS_FOR: 'High, grave' },
    'ROOMS_FOR severity 2 must be one that SEVERITIES names.',
  ],
  [
    { ...http, SEVERITY_MEANINGS: 'minor: few notice; grave: all do' },
    'SEVERITY_MEANINGS severity 2 must be one that SEVERITIES names.',
  ],
  [{ ...http, SEVERITY_MEANINGS: 'minor' }, 'SEVERITY_MEANINGS severity 1 must be name: meaning'],
  [{ ...http, SEVERITY_MEANINGS: 'minor: a; Minor: b' }, 'SEVERITY_MEANINGS severity 2 is named twice.'],
  [
    { ...http, SEVERITY_MEANINGS: `minor: ${'x'.repeat(76)}` },
    'SEVERITY_MEANINGS severity 1 must have a meaning of at most 75 characters.',
  ],
  [
    { ...http, SERVICE_TOKENS: `${long}:Admin,y` },
    'SERVICE_TOKENS token 2 must be token:Role, with a role of Viewer, Editor, Admin.',
  ],
  [
    { ...http, SERVICE_TOKENS: `${long}:Admin,${long.slice(1)}:Admin` },
    'SERVICE_TOKENS token 2 must have at least 20 characters: make one with openssl rand -hex 20.',
  ],
  [{ ...http, LOG_LEVEL: 'zzz' }, 'LOG_LEVEL must be one of trace, debug,'],
  [{ ...http, PUBLIC_URL: 'ftp://x' }, 'PUBLIC_URL must be an address that begins with http:// or https://.'],
  [{ ...http, ANNOUNCE_CHANNEL: '#general' }, 'not its name'],
  [
    { ...http, GRAFANA_URL: 'https://a:b@acme.grafana.net', GRAFANA_TOKEN: 'x' },
    'GRAFANA_URL must not carry a user or password.',
  ],
])('%o', (environment, sentence) => {
  expect(problems(environment as Record<string, string>)).toContain(sentence);
});

test('every token pair that is none is named by its place', () => {
  const message = problems({ ...http, SERVICE_TOKENS: `${long}:Admin,:Admin,b:Boss` });
  expect(message).toContain('SERVICE_TOKENS token 2 must be token:Role');
  expect(message).toContain('SERVICE_TOKENS token 3 must be token:Role');
});

test('the service alone needs no Slack, and calls a setting as the caller does', () => {
  expect(readServiceConfig({ PORT: '0', SEVERITIES: 'low,high', SLACK_BOT_TOKEN: 'nonsense' })).toMatchObject({
    port: 0,
    databaseUrl: 'sqlite:./data/muster.db',
    severities: ['low', 'high'],
    serviceTokens: [],
    webhooks: [],
    logLevel: 'info',
  });
  expect(() => readServiceConfig({ PORT: 'x', PAGES: 'x' }, name => `--${name.toLowerCase()}`)).toThrow(
    '  --port must be a number.\n  --pages must be off, slack or open.\n',
  );
});

test('webhooks have addresses and one secret', () => {
  const given = { ...http, WEBHOOK_URLS: 'https://a.example/x?y=1, http://10.0.0.7:8080, https://a.example/x?y=1' };
  expect(readConfig({ ...given, WEBHOOK_SECRET: 'sec' }).webhooks).toEqual([
    { url: 'https://a.example/x?y=1', secret: 'sec' },
    { url: 'http://10.0.0.7:8080', secret: 'sec' },
  ]);
  expect(problems(given)).toContain('# WEBHOOK_URLS needs it. Make one: openssl rand -hex 32\nWEBHOOK_SECRET=');
  const bad = problems({
    ...http,
    WEBHOOK_URLS: 'https://a.example,https://me:hidden@b.example',
    WEBHOOK_SECRET: 'sec',
  });
  expect(bad).toContain('WEBHOOK_URLS address 2 must not hold a user name or password');
  expect(bad).not.toContain('hidden');
});
