import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  queryValue,
  readDashboardAddress,
  toDashboardPath,
  writtenWindow,
} from '../../../../../src/bot/features/dash/address.ts';

const settings = {
  webUrl: 'https://ops.example.com/grafana',
  dashboardHosts: ['muster.example.com', 'localhost:3000'],
};

function read(typed: string) {
  const address = readDashboardAddress(typed, settings);
  if (address.kind === 'none') return address.problem;
  if (address.kind === 'short') return `short ${address.uid} ${address.url}`;
  return toDashboardPath(address, { from: 1, to: 2 });
}

test.each([
  [
    'https://ops.example.com/grafana/d/abc/my-board?orgId=1&var-db=a%20b&viewPanel=4&from=now-1h&to=now',
    'd/abc/my-board?orgId=1&var-db=a%20b&viewPanel=4&from=1&to=2',
  ],
  ['HTTPS://OPS.example.com:443/grafana/d/abc', 'd/abc?from=1&to=2'],
  ['http://localhost:3000/d/abc/x#panel', 'd/abc/x?from=1&to=2'],
  ['localhost:3000/d/abc/x', 'd/abc/x?from=1&to=2'],
  ['muster.example.com/d/abc/', 'd/abc?from=1&to=2'],
  ['/d/abc/x?var-a=1&var-a=2', 'd/abc/x?var-a=1&var-a=2&from=1&to=2'],
  ['d/abc/x', 'd/abc/x?from=1&to=2'],
  ['4GFbkOsZk', 'd/4GFbkOsZk?from=1&to=2'],
  ['abc?from=now-2h', 'd/abc?from=1&to=2'],
  [
    '/d/abc/x?var-path=../etc&var-u=https://a.b/c&var-name=größe',
    'd/abc/x?var-path=..%2Fetc&var-u=https://a.b/c&var-name=gr%C3%B6%C3%9Fe&from=1&to=2',
  ],
  ['/d/abc/x?time=10&time.window=4&refresh=5s', 'd/abc/x?refresh=5s&from=1&to=2'],
  ['/d/abc/%C3%BCber', 'd/abc?from=1&to=2'],
  ['https://muster.example.com/goto/a1b2?orgId=1', 'short a1b2 https://muster.example.com/goto/a1b2?orgId=1'],
  ['/goto/a1b2', 'short a1b2 '],
  ['/grafana/d/abc/x', 'd/abc/x?from=1&to=2'],
])('%s is taken', (typed, expected) => {
  expect(read(typed)).toBe(expected);
});

test.each([
  ['', 'Which dashboard?'],
  [
    'https://evil.example.net/d/abc',
    'That link is of evil.example.net. I shorten links of ops.example.com, muster.example.com, localhost:3000 only',
  ],
  ['https://ops.example.com.evil.net/grafana/d/abc', 'of ops.example.com.evil.net'],
  ['//evil.com', 'of evil.com'],
  ['//evil.com/d/abc', 'of evil.com'],
  ['https:///evil.com/d/abc', 'not a whole address'],
  ['https:evil.com/d/abc', 'not a whole address'],
  ['\\\\evil.com\\d', 'a backslash'],
  ['javascript:alert(1)', '“javascript:” is not a web address'],
  ['data:text/html,x', 'is not a web address'],
  ['file:///etc/passwd', 'is not a web address'],
  ['https://alice:secret@ops.example.com/grafana/d/abc', 'a name or password'],
  ['https://ops.example.com@evil.com/d/abc', 'a name or password'],
  ['/d/../admin', 'A path with “..”'],
  ['/d/abc/%2e%2e/x', 'A path with “..”'],
  ['/d/abc/..', 'A path with “..”'],
  ['https://ops.example.com/grafana/d/abc/../../x', 'A path with “..”'],
  ['https://ops.example.com/grafana/../d/abc', 'A path with “..”'],
  ['https://ops.example.com/d/abc', 'are below /grafana/'],
  ['/d/abc%2Fx', 'characters that no dashboard’s has'],
  ['/d/abc%0a', 'characters that no dashboard’s has'],
  ['/d/abc\u0000', 'a control character'],
  ['/d/abc\nx', 'a line break'],
  ['/d/%zz', 'characters that no dashboard’s has'],
  ['/d/', 'is not a uid'],
  [`/d/${'a'.repeat(41)}`, 'is not a uid: it has at most 40'],
  ['/explore?left=x', 'not the address of a dashboard'],
  ['/d/abc/x/y', 'not the address of a dashboard'],
  ['how are you', 'a line break'],
  [`/d/abc?var-a=${'x'.repeat(9000)}`, 'at most 8192'],
])('%s is refused with words', (typed, words) => {
  expect(read(typed)).toContain(words);
});

test('where no host is set up, paths and uids are the way', () => {
  const address = readDashboardAddress('https://ops.example.com/d/abc', { webUrl: '', dashboardHosts: [] });
  expect(address).toMatchObject({ problem: expect.stringContaining('No host is set up here') });
});

test('values and windows are read decoded', () => {
  const address = readDashboardAddress('abc?from=now-1h%2Fh&to=now&var-x=a+b&empty&time=100', settings);
  if (address.kind !== 'dashboard') throw new Error(address.kind);
  expect(writtenWindow(address.query)).toEqual({ from: 'now-1h/h', to: 'now' });
  expect(queryValue(address.query, 'var-x')).toBe('a b');
  expect(queryValue(address.query, 'empty')).toBe('');
  expect(
    writtenWindow([
      { name: 'time', raw: 'time=1000' },
      { name: 'time.window', raw: 'time.window=200' },
    ]),
  ).toEqual({ from: '900', to: '1100' });
});

test('whatever is typed, nothing leads anywhere but to a dashboard of ours', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '/',
      '..',
      '%2e',
      '//',
      '\\',
      'd',
      '@',
      ':',
      '?',
      '#',
      'https:',
      'ops.example.com',
      '/grafana',
      'evil.com',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const address = readDashboardAddress(pieces.join(''), settings);
      if (address.kind !== 'dashboard') return;
      const path = toDashboardPath(address, { from: 1, to: 2 });
      const root = 'https://ops.example.com/grafana/';
      expect(new URL(root + path).href.startsWith(`${root}d/${address.uid}`)).toBe(true);
      expect(path).not.toMatch(/\.\.\/|[\s\\]|^\//);
    }),
    { numRuns: 500 },
  );
});
