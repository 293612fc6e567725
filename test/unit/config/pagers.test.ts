import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { pagerSettings } from '../../../src/config/pager-settings.ts';
import { pickValues } from '../../../src/config/setting.ts';

const base = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec' };
const key = '0123456789abcdef0123456789ABCDEF';
const secret = 'secret-of-twenty-chars';
const hook = `https://pager.example.com/hook?team=a%2Cb`;

const read = (settings: Readonly<Record<string, string>>) =>
  pickValues(pagerSettings, readConfig({ ...base, ...settings }));

function refusal(PAGERS: string, more: Readonly<Record<string, string>> = {}): string {
  try {
    read({ PAGERS, ...more });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}

test('without settings there is no pager', () => {
  expect(read({})).toEqual({ pagers: [], pagerGroup: '' });
});

test('a pager has its name, its kind, and what reaches it', () => {
  const PAGERS = ` sre=pagerduty:${key}, night=pagerduty:${key}@https://events.eu.pagerduty.com/|${secret} ,db=webhook:${hook}|${secret},`;
  expect(read({ PAGERS, PAGER_GROUP: '@on-call.team' })).toEqual({
    pagers: [
      { name: 'sre', kind: 'pagerduty', url: 'https://events.pagerduty.com', routingKey: key, secret: '' },
      { name: 'night', kind: 'pagerduty', url: 'https://events.eu.pagerduty.com', routingKey: key, secret },
      { name: 'db', kind: 'webhook', url: hook, secret },
    ],
    pagerGroup: 'on-call.team',
  });
});

test.each([
  ['sre', /pager 1 must be name=/],
  [`sre=opsgenie:${key}`, /pager 1 must be name=/],
  [`=pagerduty:${key}`, /pager 1 must have a name/],
  [`SRE=pagerduty:${key}`, /pager 1 must have a name/],
  [`-sre=pagerduty:${key}`, /pager 1 must have a name/],
  [`${'a'.repeat(41)}=pagerduty:${key}`, /pager 1 must have a name/],
  ['sre=pagerduty:short', /pager 1 must have an integration key/],
  [`sre=pagerduty:${key}@events.pagerduty.com`, /pager 1 must have a web address/],
  [`sre=pagerduty:${key}@`, /pager 1 must have a web address/],
  [`sre=pagerduty:${key}|`, /pager 1 must have a signing secret/],
  [`sre=pagerduty:${key}|short`, /pager 1 must have a signing secret/],
  [`sre=pagerduty:${key},db=webhook:${hook}`, /pager 2 .*must/],
  [`db=webhook:${hook}|short`, /pager 1 must have a secret of at least 20/],
  [`db=webhook:${hook}|with space ${secret}`, /pager 1 must have a secret without spaces/],
  [`db=webhook:ftp://x|${secret}`, /pager 1 has an address that must begin with http/],
  [`db=webhook:https://user:pass@x/|${secret}`, /pager 1 has an address that must not hold/],
  [`sre=pagerduty:${key},sre=webhook:${hook}|${secret}`, /pager 2 is named twice/],
  [Array.from({ length: 21 }, (_, at) => `p${at}=pagerduty:${key}`).join(','), /at most 20 pagers/],
])('%s is refused by its place alone', (PAGERS, why) => {
  const said = refusal(PAGERS);
  expect(said).toMatch(why);
  for (const hidden of [key, secret, 'user:pass']) expect(said).not.toContain(hidden);
});

test('an address or a group that is none is refused', () => {
  const PAGERS = `sre=pagerduty:${key}`;
  expect(refusal(PAGERS, { PAGERDUTY_URL: 'https://events.eu.pagerduty.com' })).toContain('PAGERDUTY_URL');
  expect(refusal(PAGERS, { PAGER_GROUP: 'two words' })).toContain('PAGER_GROUP');
});
