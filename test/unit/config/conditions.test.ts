import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readConfig, readServiceConfig } from '../../../src/config/config.ts';
import { settingNames, settingOf } from '../../../src/config/settings.ts';
import { givenValues, modes, type Settings } from '../../support/settings.ts';

const base = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec' };
const grafana = { GRAFANA_URL: 'https://acme.grafana.net', GRAFANA_TOKEN: 'glsa_x' };
const postgres = { DATABASE_URL: 'postgres://muster@db.example.com/muster' };

function refusal(settings: Settings): string {
  try {
    readConfig(settings);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test.each<[Settings, string, string]>([
  [{ GRAFANA_TOKEN: 'glsa_x' }, 'GRAFANA_TOKEN', 'GRAFANA_URL'],
  [{ GRAFANA_PLUGIN_ID: 'grafana-incident-app' }, 'GRAFANA_PLUGIN_ID', 'GRAFANA_URL'],
  [{ ...grafana, WEBHOOK_URLS: 'https://a.example', WEBHOOK_SECRET: 's' }, 'WEBHOOK_URLS', 'GRAFANA_URL'],
  [{ ...grafana, SERVICE_TOKENS: `${'a'.repeat(20)}:Admin` }, 'SERVICE_TOKENS', 'GRAFANA_URL'],
  [{ ...grafana, SERVICE_OPTIONS: './nowhere.json' }, 'SERVICE_OPTIONS', 'GRAFANA_URL'],
  [{ ...grafana, PAGES: 'open' }, 'PAGES', 'GRAFANA_URL'],
  [{ ...grafana, INCIDENT_RETENTION_DAYS: '9' }, 'INCIDENT_RETENTION_DAYS', 'GRAFANA_URL'],
  [{ SLACK_APP_TOKEN: 'xapp-1' }, 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'],
  [{ SEVERITIES: 'one' }, 'SEVERITIES', '“not yet known”'],
  [{ SEVERITIES: 'one,' }, 'SEVERITIES', '“not yet known”'],
  [{ TIMELINE_EMOJI: ',' }, 'TIMELINE_EMOJI', 'must name something'],
  [{ ROOMS_FOR: ' , ' }, 'ROOMS_FOR', 'must name something'],
  [{ SERVICE_TOKENS: ',,' }, 'SERVICE_TOKENS', 'must name something'],
  [{ WEBHOOK_URLS: ',', WEBHOOK_SECRET: 's' }, 'WEBHOOK_URLS', 'must name something'],
  [{ SEVERITY_MEANINGS: ';' }, 'SEVERITY_MEANINGS', 'must name something'],
])('%o is refused', (settings, name, other) => {
  const said = refusal({ ...base, ...settings });
  expect(said).toMatch(new RegExp(`  ${name} (and ${other} )?must`));
  expect(said).toContain(other);
});

test.each<[Settings, string, string]>([
  [{ PAGES: 'slack' }, 'PAGES', 'PUBLIC_URL'],
  [{ INCIDENT_WEBHOOK_SECRET: 's' }, 'INCIDENT_WEBHOOK_SECRET', 'GRAFANA_URL'],
  [{ WEBHOOK_SECRET: 's' }, 'WEBHOOK_SECRET', 'WEBHOOK_URLS'],
  [{ ...grafana, WEBHOOK_SECRET: 's' }, 'WEBHOOK_SECRET', 'WEBHOOK_URLS'],
  [{ DATABASE_POOL: '5' }, 'DATABASE_POOL', 'DATABASE_URL'],
  [{ DATABASE_STATEMENTS: 'unnamed' }, 'DATABASE_STATEMENTS', 'DATABASE_URL'],
])('%o starts with a warning', (settings, name, other) => {
  const { warnings } = readConfig({ ...base, ...settings });
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name}.*${other}`))]);
});

test.each<readonly [Settings, RegExp]>([
  [{ PAGES: 'open', PUBLIC_URL: 'https://muster.example.com' }, /PAGES=open.*PAGES_PORT/],
  [{ PAGES: 'slack', PUBLIC_URL: 'http://muster.example.com' }, /PAGES=slack.*https/],
])('%o starts with a word about the pages', (settings, words) => {
  expect(readConfig({ ...base, ...settings }).warnings).toEqual([expect.stringMatching(words)]);
});

test.each<Settings>([
  {},
  grafana,
  { ...grafana, ...postgres, DATABASE_POOL: '5', DATABASE_STATEMENTS: 'unnamed', INCIDENT_WEBHOOK_SECRET: 's' },
  { PAGES: 'slack', PUBLIC_URL: 'https://muster.example.com' },
  { PAGES: 'slack', PUBLIC_URL: 'http://localhost:3000' },
  { PAGES: 'open', PAGES_PORT: '8081', PUBLIC_URL: 'https://muster.example.com' },
  // What a setting is without it changes nothing either.
  { ...grafana, PAGES: 'off', INCIDENT_RETENTION_DAYS: '0' },
  { DATABASE_POOL: '10', DATABASE_STATEMENTS: 'named', GRAFANA_PLUGIN_ID: 'grafana-irm-app' },
])('%o starts without a word', settings => {
  expect(readConfig({ ...base, ...settings }).warnings).toEqual([]);
});

test('the service alone warns too, and calls a setting as the caller does', () => {
  const label = (name: string) => (name === 'DATABASE_POOL' ? '--database-pool' : name);
  const { warnings } = readServiceConfig({ DATABASE_POOL: '5', WEBHOOK_SECRET: 's' }, label);
  expect(warnings).toEqual([expect.stringMatching(/^--database-pool /), expect.stringMatching(/^WEBHOOK_SECRET /)]);
});

test('no sentence shows a value, whatever is set beside whatever', () => {
  const some = fc.subarray(settingNames.filter(name => givenValues[name] !== undefined));
  fc.assert(
    fc.property(fc.constantFrom(...modes), some, (mode, names) => {
      const settings = { ...mode.settings, ...Object.fromEntries(names.map(name => [name, givenValues[name] ?? ''])) };
      const said = refusal(settings) || readConfig(settings).warnings.join('\n');
      for (const [name, value] of Object.entries(settings))
        if (settingOf(name as 'PORT').isSecret) expect(said, name).not.toContain(value);
    }),
  );
});
