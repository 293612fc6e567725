import { expect, test } from 'vitest';
import { features } from '../../../src/bot/features.ts';
import { targetName } from '../../../src/bot/incident/state/call-store.ts';
import { toManifest } from '../../../src/bot/manifest.ts';
import { readConfig } from '../../../src/config/config.ts';
import { settingNames } from '../../../src/config/settings.ts';
import { read } from '../../support/docs/files.ts';

const page = read('docs/running.md');

test('docs/running.md tells of every setting of calls, pages and reminders', () => {
  const names = settingNames.filter(name => /^(?:CALL|PAGER)|^REMINDERS$|^QUIET_HOURS$|_AFTER$/.test(name));
  expect(names).toHaveLength(8);
  expect(names.filter(name => !page.includes(`\`${name}\``))).toEqual([]);
});

test('the settings of docs/running.md are some that Muster takes', () => {
  const block = page.split('```ini\n')[1]?.split('```')[0] ?? '';
  const given = Object.fromEntries([...block.matchAll(/^([A-Z_]+)=(.+)$/gm)].map(([, name, value]) => [name, value]));
  const config = readConfig({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec', ...given });
  expect(config.call.map(each => each.targets.map(targetName))).toEqual([['@sre', '@sre-leads'], ['@payments']]);
});

test('every command of docs/running.md is there, and every scope is in the manifest', () => {
  const verbs = features.flatMap(feature => feature.verbs ?? []).map(({ noun, verb }) => `${noun} ${verb}`);
  const typed = [...page.matchAll(/`\/(incident \w+)/g)].map(match => match[1] ?? '');
  expect(typed.length).toBeGreaterThan(5);
  expect(typed.filter(each => !verbs.includes(each))).toEqual([]);
  const scopes = JSON.stringify(toManifest(features, { commandRoot: 'muster', publicUrl: '' }));
  const named = [...page.matchAll(/`(\w+:\w+)`/g)].map(match => match[1] ?? '');
  expect(named).toContain('usergroups:read');
  expect(named.filter(each => !scopes.includes(`"${each}"`))).toEqual([]);
});
