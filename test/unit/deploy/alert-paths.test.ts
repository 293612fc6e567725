import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readAlert } from '../../../src/bot/alerts/read/read.ts';
import { mappedTools, mappingOf } from '../../support/alerts/bodies.ts';
import { read } from '../../support/docs/files.ts';

const page = read('deploy/alerts/README.md');

/** The block of code of a section, by its language. */
function blockOf(section: string, language: string): string {
  const text = page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? '';
}

test('each file has a section, or is for programs of one’s own', () => {
  const files = readdirSync('deploy/alerts').filter(each => each.endsWith('.json'));
  expect(files.toSorted()).toEqual(mappedTools.map(each => `${each}.json`));
  const sections = [...page.matchAll(/^## (.+)$/gm)].map(match => (match[1] ?? '').toLowerCase().replace(' ', '-'));
  expect(sections.map(each => (each === 'anything-else' ? 'any' : each)).toSorted()).toEqual([...mappedTools]);
});

test('the body of Gatus is read with its paths', () => {
  const body: string = parse(blockOf('Gatus', 'yaml')).alerting.custom.body;
  const of = (state: string) => {
    const values: Readonly<Record<string, string>> = {
      ...{ ENDPOINT_GROUP: 'core', ENDPOINT_NAME: 'front-end', ALERT_TRIGGERED_OR_RESOLVED: state },
      ...{ ALERT_DESCRIPTION: 'health check failed', RESULT_ERRORS: '', ENDPOINT_URL: 'https://shop.example.com/' },
    };
    const filled = body.replaceAll(/\[([A-Z_]+)\]/g, (whole, name: string) => values[name] ?? whole);
    return readAlert(mappingOf('gatus'), JSON.parse(filled));
  };
  expect(of('TRIGGERED')).toMatchObject({
    ...{ key: 'core/front-end', title: 'front-end of core', state: 'firing', summary: 'health check failed' },
    links: [{ what: 'tool', url: 'https://shop.example.com/' }],
  });
  expect(of('RESOLVED')).toMatchObject({ key: 'core/front-end', state: 'resolved' });
});

test('the payload of Datadog is read with its paths', () => {
  const values: Readonly<Record<string, string>> = {
    ...{ AGGREG_KEY: '9bd4ac', ALERT_TITLE: '[Triggered] CPU', ALERT_TRANSITION: 'Recovered', ALERT_PRIORITY: 'P2' },
    ...{ ALERT_TYPE: 'success', DATE: '1406662672000', TEXT_ONLY_MSG: 'CPU is high', TAGS: 'env:prod' },
    ...{ LINK: 'https://app.datadoghq.com/monitors/1' },
  };
  const payload = blockOf('Datadog', 'json').replaceAll(/\$([A-Z_]+)/g, (whole, name: string) => values[name] ?? whole);
  expect(readAlert(mappingOf('datadog'), JSON.parse(payload))).toMatchObject({
    ...{ key: '9bd4ac', title: '[Triggered] CPU', state: 'resolved', severity: 'P2', summary: 'CPU is high' },
    ...{ endedAt: '2014-07-29T19:37:52.000Z', labels: { env: 'prod' } },
    links: [{ what: 'rule', url: 'https://app.datadoghq.com/monitors/1' }],
  });
});

test('the body of the curl line has each member that any.json reads', () => {
  const body = JSON.parse(/-d '(\{.*\})'/.exec(blockOf('Anything else', 'sh'))?.[1] ?? '');
  expect(readAlert(mappingOf('any'), body)).toMatchObject({
    ...{ key: 'backup', title: 'The backup failed', state: 'firing', severity: 'major' },
    ...{ summary: 'pg_dump: connection refused', labels: { team: 'storage' } },
    links: [{ what: 'tool', url: 'https://ci.example.com/jobs/17' }],
  });
});
