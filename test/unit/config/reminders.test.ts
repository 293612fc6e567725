import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';

const http = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec' };
const read = (environment: Record<string, string>) => readConfig({ ...http, ...environment });

test.each([
  ['22:00-07:00', { from: 1320, to: 420 }],
  ['8:30 – 17:45', { from: 510, to: 1065 }],
  ['00:00-23:59', { from: 0, to: 1439 }],
  ['off', undefined],
])('QUIET_HOURS=%s', (value, wanted) => {
  expect(read({ QUIET_HOURS: value }).quietHours).toEqual(wanted);
});

test.each([
  ['30,60', { gravest: 30, below: 60 }],
  ['5 , 600', { gravest: 5, below: 600 }],
  ['off', undefined],
])('NEWS_AFTER=%s', (value, wanted) => {
  expect(read({ NEWS_AFTER: value }).newsAfter).toEqual(wanted);
});

test.each([
  ['QUIET_HOURS', '22-7'],
  ['QUIET_HOURS', '24:00-07:00'],
  ['QUIET_HOURS', '22:00-07:60'],
  ['QUIET_HOURS', '22:00'],
  ['QUIET_HOURS', '07:00-07:00'],
  ['NEWS_AFTER', '30'],
  ['NEWS_AFTER', '0,60'],
  ['NEWS_AFTER', 'critical:30'],
  ['REMINDERS', 'sometimes'],
])('%s=%s is refused with its name', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name);
});
