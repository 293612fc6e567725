import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { findMisspelt } from '../../../src/config/misspelt.ts';
import { settingNames } from '../../../src/config/settings.ts';

test.for([
  ['SEVERITES', 'SEVERITIES'],
  ['WEBHOOK_URL', 'WEBHOOK_URLS'],
  ['SLACK_BOT_TOKN', 'SLACK_BOT_TOKEN'],
  ['SLACK_BOT_TOKEN_FILES', 'SLACK_BOT_TOKEN_FILE'],
  ['MUSTER_PORT', 'PORT'],
  ['HOSTS', 'HOST'],
  ['Log_Level', 'LOG_LEVEL'],
] as const)('%s is told, and what it means: %s', ([name, meant]) => {
  expect(findMisspelt({ [name]: 'hidden' })).toEqual([
    `${name} is no setting, so it changes nothing. Is ${meant} meant?`,
  ]);
});

test('a name that begins as Muster’s do is told, though no setting is near', () => {
  expect(findMisspelt({ SLACK_SOMETHING_ELSE: 'hidden' })).toEqual([
    'SLACK_SOMETHING_ELSE is no setting, so it changes nothing. docs/settings.md lists every setting.',
  ]);
});

test('a setting that is gone is told, and Muster starts with it', () => {
  expect(findMisspelt({ BLOCKS: 'hidden' })).toEqual([
    expect.stringMatching(/^BLOCKS is no setting any more.*Take it out\.$/),
  ]);
  expect(readConfig({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec', BLOCKS: 'auto' }).warnings).toEqual([]);
});

test('settings, their files, and what others set are not told', () => {
  const names = [...settingNames, 'SLACK_BOT_TOKEN_FILE', 'SLACK_CONFIG_TOKEN'];
  const ofOthers = ['PATH', 'HOME', 'PAGER', 'LANG', 'TERM', 'NODE_OPTIONS', 'PWD', 'HOSTNAME', 'TMPDIR'];
  expect(findMisspelt(Object.fromEntries([...names, ...ofOthers].map(name => [name, 'x'])))).toEqual([]);
});

test('what Kubernetes says of a service with the same name is not told', () => {
  const service = { MUSTER_SERVICE_HOST: '10.0.0.1', MUSTER_SERVICE_PORT: '80', MUSTER_SERVICE_PORT_HTTP: '80' };
  expect(findMisspelt({ ...service, MUSTER_PORT: 'tcp://10.0.0.1:80', MUSTER_PORT_80_TCP_ADDR: '10.0.0.1' })).toEqual(
    [],
  );
});

test('one letter too few in a longer name is told, whichever letter it is', () => {
  const long = settingNames.filter(name => name.length > 6);
  const slip = fc.constantFrom(...long).chain(name => fc.tuple(fc.constant(name), fc.nat(name.length - 1)));
  fc.assert(
    fc.property(slip, ([name, at]) => {
      expect(findMisspelt({ [name.slice(0, at) + name.slice(at + 1)]: 'hidden' })).toHaveLength(1);
    }),
  );
});
