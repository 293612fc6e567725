import { expect, test } from 'vitest';
import { ConfigError, readConfig, readTokens } from '../../../src/config/config.ts';

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
    publicUrl: '',
    tokens: [],
    commandRoot: 'muster',
    severities: ['pending', 'minor', 'major', 'critical'],
    channelPrefix: 'inc-',
    announceChannel: '',
    logLevel: 'info',
  });
});

test('an app token means Socket Mode; blank means not set; addresses lose their last slashes', () => {
  const config = readConfig({
    ...http,
    SLACK_APP_TOKEN: ' xapp-1 ',
    PORT: ' ',
    PUBLIC_URL: 'https://muster.example.com//',
    GRAFANA_URL: 'https://acme.grafana.net/sub/',
    GRAFANA_TOKEN: 'glsa_x',
    SERVICE_TOKENS: 'a:b:Admin, c:Viewer,',
    SEVERITIES: ' low , high ',
  });
  expect(config.slack).toEqual({ kind: 'socket', botToken: 'xoxb-1', appToken: 'xapp-1' });
  expect(config.port).toBe(3000);
  expect(config.publicUrl).toBe('https://muster.example.com');
  expect(config.grafana?.url).toBe('https://acme.grafana.net/sub');
  expect(config.tokens).toEqual([
    { token: 'a:b', role: 'Admin' },
    { token: 'c', role: 'Viewer' },
  ]);
  expect(config.severities).toEqual(['low', 'high']);
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
  expect(message).toMatch(/The README lists every setting\.$/);
  expect(message.split('\n')).toHaveLength(Object.keys(wrong).length + 2);
});

test.each([
  [{}, 'SLACK_BOT_TOKEN is not set'],
  [{ SLACK_BOT_TOKEN: 'xoxb-1' }, 'Neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP mode) is set'],
  [{ ...http, GRAFANA_URL: 'https://acme.grafana.net' }, 'GRAFANA_TOKEN is not set, and GRAFANA_URL is'],
  [{ ...http, PORT: '-1' }, 'PORT must not be negative.'],
  [{ ...http, PORT: '65536' }, 'PORT must be at most 65535.'],
  [{ ...http, PORT: '1.5' }, 'PORT must be a whole number.'],
  [{ ...http, SEVERITIES: 'a,A' }, 'SEVERITIES must not name one twice.'],
  [
    { ...http, SERVICE_TOKENS: 'x:Admin,y' },
    'SERVICE_TOKENS token 2 must be token:Role, with a role of Viewer, Editor, Admin.',
  ],
  [{ ...http, ANNOUNCE_CHANNEL: '#general' }, 'not its name'],
  [
    { ...http, GRAFANA_URL: 'https://a:b@acme.grafana.net', GRAFANA_TOKEN: 'x' },
    'GRAFANA_URL must not carry a user or password.',
  ],
])('%o', (environment, sentence) => {
  expect(problems(environment as Record<string, string>)).toContain(sentence);
});

test('a token pair that is none is named by its place', () => {
  expect(() => readTokens(['a:Admin', ':Admin'])).toThrow('token 2 must be token:Role');
});

test('webhooks have addresses and one secret', () => {
  const given = { ...http, WEBHOOK_URLS: 'https://a.example/x?y=1, http://10.0.0.7:8080, https://a.example/x?y=1' };
  expect(readConfig({ ...given, WEBHOOK_SECRET: 'sec' }).webhooks).toEqual([
    { url: 'https://a.example/x?y=1', secret: 'sec' },
    { url: 'http://10.0.0.7:8080', secret: 'sec' },
  ]);
  expect(problems(given)).toContain('WEBHOOK_SECRET is not set, and WEBHOOK_URLS is');
  const bad = problems({
    ...http,
    WEBHOOK_URLS: 'https://a.example,https://me:hidden@b.example',
    WEBHOOK_SECRET: 'sec',
  });
  expect(bad).toContain('WEBHOOK_URLS address 2 must not hold a user name or password');
  expect(bad).not.toContain('hidden');
});
