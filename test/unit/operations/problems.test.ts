import { expect, test } from 'vitest';
import { toProblems } from '../../../src/operations/health.ts';

const now = new Date('2026-11-22T12:00:00Z');
const slack = {
  isConnected: true,
  isAnswering: true,
  refusal: '',
  untaken: undefined,
  since: undefined,
  missingScopes: [],
};
const well: Parameters<typeof toProblems>[0] = {
  slack,
  isDatabaseUp: true,
  api: { state: 'closed', failingSince: undefined, lastFailure: undefined },
  journal: [{ state: 'pending', count: 1, since: '2026-11-22T11:55:00Z' }],
  now,
};

test('an installation that is well has no problems', () => {
  expect(toProblems(well)).toEqual([]);
});

test('a process without a bot speaks of its database alone', () => {
  const alone = { slack: undefined, api: undefined, journal: undefined, now };
  expect(toProblems({ ...alone, isDatabaseUp: true })).toEqual([]);
  expect(toProblems({ ...alone, isDatabaseUp: false })).toHaveLength(1);
});

test.each([
  { state: 'pending', count: 9, since: '2026-11-22T11:52:00Z' },
  { state: 'pending', count: 1000, since: '2026-11-22T11:58:30Z' },
] as const)('%o is no problem: it is being done', row => {
  expect(toProblems({ ...well, journal: [row] })).toEqual([]);
});

test.each([
  [
    { slack: { ...slack, isConnected: false, since: now } },
    `does not reach Muster since ${now.toISOString()}`,
    'muster doctor',
  ],
  [{ slack: { ...slack, isAnswering: false, since: now } }, `calls since ${now.toISOString()}`, 'slack-status.com'],
  [
    { slack: { ...slack, untaken: { failed: 45, of: 47 }, since: now } },
    `messages since ${now.toISOString()}: 45 of the 47 of the last minute failed`,
    'slack-status.com',
  ],
  [{ isDatabaseUp: false, journal: undefined }, 'The database does not answer', 'DATABASE_URL'],
  [
    { api: { state: 'open', failingSince: now.getTime() - 60_000, lastFailure: 'x' } },
    'does not answer since 2026-11-22T11:59:00.000Z',
    'GRAFANA_URL',
  ],
  [
    { journal: [{ state: 'pending', count: 1, since: '2026-11-22T11:40:00Z' }] },
    '1 intent waits, the oldest since 2026-11-22T11:40:00Z',
    'muster journal list',
  ],
  [
    { journal: [{ state: 'pending', count: 25, since: '2026-11-22T11:52:00Z' }] },
    '25 intents wait, the oldest since 2026-11-22T11:52:00Z',
    'muster journal list',
  ],
  [
    { slack: { ...slack, refusal: 'token_revoked' } },
    'Slack refuses a token of Muster’s (token_revoked)',
    'Install the app again',
  ],
  [
    { slack: { ...slack, missingScopes: ['pins:write'] } },
    'lacks the scope pins:write, so this is left out: the pinned card',
    'install the app again',
  ],
] as const)('%o is told in words, with what to do', (different, found, fix) => {
  const problems = toProblems({ ...well, ...different });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(found);
  expect(problems[0]).toContain(fix);
});
