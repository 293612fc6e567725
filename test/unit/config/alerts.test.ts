import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { openFolder } from '../../support/folder.ts';

const base = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'sec', ANNOUNCE_CHANNEL: 'C0123ABCD' };
const [one, two, three] = ['1', '2', '3'].map(each => each.repeat(20)) as [string, string, string];

async function write(content: unknown): Promise<string> {
  const name = join(await openFolder(), 'alert-sources.json');
  await writeFile(name, typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

function refusal(settings: Readonly<Record<string, string>>): string {
  try {
    readConfig({ ...base, ...settings });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}

const read = (settings: Readonly<Record<string, string>>) => readConfig({ ...base, ...settings });

test('without settings no tool may send alerts', () => {
  expect(read({})).toMatchObject({
    alerts: [],
    alertsEnd: 'ask',
  });
});

test('a source has its name and one token or two', () => {
  const { alerts: sources } = read({ ALERTS: ` prometheus=${one}, grafana=${two}=:/+ ,prometheus=${three},` });
  expect(sources.map(({ name, tokens }) => [name, tokens])).toEqual([
    ['prometheus', [one, three]],
    ['grafana', [`${two}=:/+`]],
  ]);
  expect(sources[0]).toEqual({
    ...{ name: 'prometheus', tokens: [one, three], mapping: undefined, channel: '' },
    ...{ severities: new Map(), labels: [], declares: [] },
  });
});

test.each([
  [{ ALERTS_DECLARE: 'MAJOR, critical' }, { declares: ['major', 'critical'] }],
  [{ SEVERITIES: 'unknown,Sev2,Sev1', ALERTS_DECLARE: 'sev1' }, { declares: ['Sev1'] }],
])('%o: alerts of these severities declare', (settings, wanted) => {
  expect(read({ ALERTS: `a=${one}`, ...settings }).alerts).toMatchObject([wanted]);
});

test.each([[{ ALERTS_END: 'auto' }, { alertsEnd: 'auto' }]])('%o', (settings, wanted) => {
  expect(read({ ALERTS: `a=${one}`, ...settings })).toMatchObject(wanted);
});

test.each([
  [{ ALERTS: one }, 'ALERTS source 1 must be name=token'],
  [{ ALERTS: `=${one}` }, 'ALERTS source 1 must be name=token'],
  [{ ALERTS: `a=${one},b=` }, 'ALERTS source 2 must be name=token'],
  [{ ALERTS: `A=${one}` }, 'ALERTS source 1 must have a name of at most 40'],
  [{ ALERTS: `-a=${one}` }, 'ALERTS source 1 must have a name of at most 40'],
  [{ ALERTS: `a/b=${one}` }, 'ALERTS source 1 must have a name of at most 40'],
  [{ ALERTS: `${'a'.repeat(41)}=${one}` }, 'ALERTS source 1 must have a name of at most 40'],
  [{ ALERTS: 'a=1234567890123456789' }, 'ALERTS source 1 must have a token of at least 20 characters'],
  [{ ALERTS: `a=${one} x` }, 'ALERTS source 1 must have a token without spaces'],
  [{ ALERTS: `a=${one}ü` }, 'ALERTS source 1 must have a token without spaces'],
  [{ ALERTS: `a=${one},a=${one}` }, 'ALERTS source 2 is named twice'],
  [{ ALERTS: `a=${one},a=${two},a=${three}` }, 'ALERTS source 3 must not have a third token'],
  [{ ALERTS: ',' }, 'ALERTS must name something, or be left out.'],
  [
    { ALERTS: `a=${one}`, ALERTS_DECLARE: 'major,grave' },
    'ALERTS_DECLARE severity 2 must be one that SEVERITIES names.',
  ],
  [{ ALERTS: `a=${one}`, ALERTS_END: 'never' }, 'ALERTS_END must be ask or auto.'],
  [
    { ALERTS: `a=${one}`, ANNOUNCE_CHANNEL: '' },
    'ALERTS source 1 needs a channel for its alerts: set ANNOUNCE_CHANNEL',
  ],
  [{ ALERTS_DECLARE: 'major' }, 'ALERTS_DECLARE must not be set without ALERTS'],
  [{ ALERTS_SOURCES: './x.json' }, 'ALERTS_SOURCES must not be set without ALERTS'],
])('%o is refused: %s', (settings, why) => {
  const said = refusal(settings);
  expect(said).toContain(why);
  for (const token of [one, two, three]) expect(said).not.toContain(token);
});

test('what needs a source, and is none, is warned of', () => {
  const settings = { ALERTS_END: 'auto' };
  const { warnings } = readConfig({ ...base, ...settings });
  expect(warnings).toEqual(
    Object.keys(settings).map(name => expect.stringContaining(`${name} is of no use without ALERTS`)),
  );
});

test('the file of ALERTS_SOURCES decides of single sources', async () => {
  const content = {
    kuma: {
      channel: 'C0999ZZZZ',
      severities: { Page: 'CRITICAL', ticket: 'minor' },
      labels: ['team'],
      declare: ['Major', 'critical'],
      paths: { key: 'monitor.id', title: ['monitor.name', "$['name']"], state: 'heartbeat.status', ended: ['1', 'UP'] },
    },
  };
  const settings = { ALERTS: `a=${one},kuma=${two}`, ALERTS_SOURCES: await write(content), ALERTS_DECLARE: 'critical' };
  const { alerts: sources } = read({ ...settings, ANNOUNCE_CHANNEL: 'C0123ABCD' });
  expect(sources[0]).toMatchObject({ name: 'a', channel: '', mapping: undefined, declares: ['critical'] });
  expect(sources[1]).toMatchObject({
    channel: 'C0999ZZZZ',
    severities: new Map([
      ['page', 'critical'],
      ['ticket', 'minor'],
    ]),
    labels: ['team'],
    declares: ['critical', 'major'],
    mapping: { key: 'monitor.id', ended: ['1', 'up'] },
  });
  // One source without a channel is one too many.
  expect(refusal({ ...settings, ANNOUNCE_CHANNEL: '' })).toContain('ALERTS source 1 needs a channel');
  expect(refusal({ ...settings, ANNOUNCE_CHANNEL: '' })).not.toContain('ALERTS source 2');
});

const paths = { key: 'a', title: 'b', state: 'c', ended: ['ok'] };
test.each([
  ['{', 'it is not JSON.'],
  [[], 'must be an object of sources by their names.'],
  [{ b: {} }, 'b is no source that ALERTS names.'],
  [{ a: { chanel: 'C1' } }, '"chanel"'],
  [{ a: { channel: '#alerts' } }, 'a.channel: must be a channel’s id'],
  [{ a: { severities: { page: 'grave' } } }, 'a.severities.page must be one that SEVERITIES names.'],
  [{ a: { declare: ['major', 'grave'] } }, 'a.declare.1 must be one that SEVERITIES names.'],
  [{ a: { labels: 'team' } }, 'a.labels: '],
  [{ a: { paths: { ...paths, key: undefined } } }, 'a.paths.key: '],
  [{ a: { paths: { ...paths, ended: [] } } }, 'a.paths.ended: '],
  [{ a: { paths: { ...paths, titel: 'x' } } }, '"titel"'],
  [{ a: { paths: { ...paths, key: 'alerts[*].id' } } }, 'a.paths.key: that is no path to one member'],
  [{ a: { paths: { ...paths, key: ['a', '$..b'] } } }, 'a.paths.key: that is no path to one member'],
  [{ a: { paths: { ...paths, key: [] } } }, 'a.paths.key: must be a path or a list of paths.'],
  [{ a: { paths: { ...paths, key: '' } } }, 'a.paths.key: that is no path to one member'],
  [{ a: { paths: { ...paths, summary: 'a b' } } }, 'a.paths.summary: that is no path to one member'],
  [{ a: { paths: { ...paths, severity: 5 } } }, 'a.paths.severity: must be a path or a list of paths.'],
  [{ a: { paths: { ...paths, links: { rules: 'x' } } } }, '"rules"'],
  [{ a: { paths: { ...paths, links: { rule: 'x[' } } } }, 'a.paths.links.rule: that is no path'],
  [
    { a: { paths: { ...paths, labels: `a${'.a'.repeat(300)}` } } },
    'a.paths.labels: a path has at most 500 characters.',
  ],
])('the file %j is refused: %s', async (content, why) => {
  const name = await write(content);
  const said = refusal({ ALERTS: `a=${one}`, ALERTS_SOURCES: name });
  expect(said).toContain(`ALERTS_SOURCES: ${name}`);
  expect(said).toContain(why);
});

test('a file that is not there is refused', () => {
  const said = refusal({ ALERTS: `a=${one}`, ALERTS_SOURCES: '/nowhere/at-all.json' });
  expect(said).toContain('ALERTS_SOURCES: /nowhere/at-all.json cannot be used: it cannot be read.');
});

test('the mappings of deploy/alerts can be used as they are', async () => {
  const folder = 'deploy/alerts';
  const files = readdirSync(folder).filter(each => each.endsWith('.json'));
  const names = files.map(each => each.replace(/\.json$/, ''));
  expect(names.toSorted()).toEqual(['any', 'cloudwatch', 'datadog', 'gatus', 'sentry', 'uptime-kuma']);
  const content = names.map(name => [name, JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))]);
  const ALERTS_SOURCES = await write(Object.fromEntries(content));
  const { alerts: sources } = read({ ALERTS: names.map(name => `${name}=${one}`).join(), ALERTS_SOURCES });
  for (const { name, mapping } of sources) expect(mapping?.ended, name).not.toHaveLength(0);
});
