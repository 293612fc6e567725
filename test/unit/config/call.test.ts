import { expect, test } from 'vitest';
import { targetName } from '../../../src/bot/incident/state/call-store.ts';
import { readConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';

const http = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'secret' };
const read = (CALL: string) => readConfig({ ...http, CALL }).call;
const sre = `sre=webhook:https://pager.example.com/|${'s'.repeat(20)}`;
const targets = (CALL: string) =>
  readConfig({ ...http, CALL, PAGERS: sre }).call.map(each => each.targets.map(targetName));

test('chains are read as they are written', () => {
  expect(read('critical:@sre>@sre-leads; major:@checkout; label payments:@payments')).toEqual([
    {
      at: 'severity',
      name: 'critical',
      targets: [
        { kind: 'group', handle: 'sre' },
        { kind: 'group', handle: 'sre-leads' },
      ],
    },
    { at: 'severity', name: 'major', targets: [{ kind: 'group', handle: 'checkout' }] },
    { at: 'label', name: 'payments', targets: [{ kind: 'group', handle: 'payments' }] },
  ]);
  expect(read('')).toEqual([]);
});

test.each([
  ['CRITICAL : @sre', [['@sre']]],
  ['critical:@sre > @b.c_d > @e;', [['@sre', '@b.c_d', '@e']]],
  ['label team:web: @web', [['@web']]],
  [';critical:@sre;;', [['@sre']]],
  [
    'critical:@a>pager:sre; major: pager:sre > @b',
    [
      ['@a', 'pager sre'],
      ['pager sre', '@b'],
    ],
  ],
  ['label two words:@a; Label Three:@b', [['@a'], ['@b']]],
])('“%s” is read', (typed, expected) => {
  expect(targets(typed)).toEqual(expected);
});

test('a severity is as SEVERITIES spells it, a label as it was typed', () => {
  expect(read('CRITICAL:@a; label team:Web:@b').map(each => each.name)).toEqual(['critical', 'team:Web']);
});

test.each([
  ['critical', 'CALL chain 1 must be severity:@group'],
  ['critical:sre', 'CALL chain 1 must be severity:@group'],
  [':@sre', 'CALL chain 1 must be severity:@group'],
  ['label :@sre', 'CALL'],
  [
    'major:@a; critical:@sre>>@b',
    'CALL chain 2 must name groups by their handles, and pagers behind pager: – target 2',
  ],
  ['critical:@sre>leads', 'CALL chain 1 must name groups by their handles, and pagers behind pager: – target 2'],
  ['critical:@sre>pager:', 'CALL chain 1 must name groups by their handles, and pagers behind pager: – target 2'],
  ['critical:pager:S R E', 'CALL chain 1 must name groups by their handles, and pagers behind pager: – target 1'],
  ['critical:@sre>pager:db', 'CALL pager db must be one that PAGERS names'],
  ['critical:@sre,@leads', 'CALL chain 1 must name groups by their handles, and pagers behind pager: – target 1'],
  ['critical:@a; CRITICAL:@b', 'CALL must not name the severity of a chain twice'],
  ['label x:@a; label X:@b', 'CALL must not name the label of a chain twice'],
  ['grave:@a', 'CALL severity 1 must be one that SEVERITIES names'],
  [`critical:${'@a>'.repeat(10)}@a`, 'CALL chain 1 must have at most 10 groups and pagers'],
  [';', 'CALL must name something'],
])('“%s” is refused', (CALL, complaint) => {
  expect(() => readConfig({ ...http, CALL })).toThrow(ConfigError);
  expect(() => readConfig({ ...http, CALL })).toThrow(complaint);
});

test.each([
  ['0', 'at least 1'],
  ['121', 'at most 120'],
  ['1.5', 'whole number'],
  ['soon', 'a number'],
])('CALL_AFTER=%s is refused', (CALL_AFTER, complaint) => {
  expect(() => readConfig({ ...http, CALL: 'critical:@a', CALL_AFTER })).toThrow(complaint);
});

test('CALLERS is a handle, with or without its @', () => {
  expect(readConfig({ ...http, CALLERS: '@leads' }).callers).toBe('leads');
  expect(readConfig(http).callers).toBe('');
  expect(() => readConfig({ ...http, CALLERS: 'two words' })).toThrow('CALLERS must be the handle');
});
