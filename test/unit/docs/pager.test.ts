import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { settingNames } from '../../../src/config/settings.ts';
import { read } from '../../support/docs/files.ts';

const page = read('docs/pager.md');

test('docs/pager.md tells of every setting of pagers', () => {
  const names = settingNames.filter(name => name.startsWith('PAGER'));
  expect(names).toHaveLength(2);
  expect(names.filter(name => !page.includes(name))).toEqual([]);
});

test('the settings of docs/pager.md are some that Muster takes', () => {
  const [, PAGERS = ''] = /^PAGERS='(.+)'$/m.exec(page) ?? [];
  const { pagers } = readConfig({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec', PAGERS });
  expect(pagers.map(({ name, kind }) => [name, kind])).toEqual([
    ['sre', 'pagerduty'],
    ['db', 'webhook'],
  ]);
  for (const { secret } of pagers) expect(secret.length).toBeGreaterThan(19);
});
