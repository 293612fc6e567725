import { expect, test } from 'vitest';
import { readPasted } from '../../../src/bot/features/declare/feature.ts';
import { readSeverity, type Settings, splitSeverity } from '../../../src/bot/incident/state/settings.ts';
import { splitLabels } from '../../../src/bot/incident/state/title-and-labels.ts';

const settings = { severities: ['pending', 'minor', 'major', 'critical'] } as unknown as Settings;

test.each([
  ['sev1: all is down', 'critical', 'all is down'],
  ['SEV-2 emails fail', 'major', 'emails fail'],
  ['P1 checkout is down', 'critical', 'checkout is down'],
  ['p3 – slow pages', 'minor', 'slow pages'],
  ['S1: checkout is down', 'critical', 'checkout is down'],
  ['prio 2, orders hang', 'major', 'orders hang'],
  ['Major: orders hang', 'major', 'orders hang'],
  ['s3: access denied', undefined, 's3: access denied'],
  ['S3 is down', undefined, 'S3 is down'],
  ['S1 is a satellite', undefined, 'S1 is a satellite'],
  ['P99 latency is high', undefined, 'P99 latency is high'],
  ['sev9: what', undefined, 'sev9: what'],
  ['major outage of DNS', undefined, 'major outage of DNS'],
  ['api: errors', undefined, 'api: errors'],
  ['sev2', undefined, 'sev2'],
])('the title %s has the severity %s', (typed, severity, title) => {
  expect(splitSeverity(settings, typed)).toEqual({ severity, title });
});

test.each([
  ['critical', 'critical', ''],
  ['Major.', 'major', ''],
  ['SEV1!', 'critical', ''],
  ['p2', 'major', ''],
  ['s-3', 'minor', ''],
  ['sev 2', 'major', ''],
  ['sev 2 since noon', 'major', 'since noon'],
  ['critical because nobody can pay', 'critical', 'because nobody can pay'],
  ['critical: nobody can pay', 'critical', 'nobody can pay'],
  ['minor – few notice', 'minor', 'few notice'],
])('the severity %s is %s, and its reason “%s”', (typed, severity, why) => {
  expect(readSeverity(settings, typed)).toEqual({ severity, why });
});

test.each(['', 'bad', 'minor or major', 'major, no critical', 'very critical'])('%s is no one severity', typed => {
  expect(readSeverity(settings, typed)).toBeUndefined();
});

const url = 'https://g.example/a/1';
test.each([
  [`[FIRING:1] Errors ${url}`, 'Errors', url, ''],
  [`[FIRING:2] Errors\nvalue 31\n${url}`, 'Errors', url, `value 31\n${url}`],
  [`[RESOLVED] Errors <${url}|open>`, 'Errors', url, ''],
  [`[Alerting] Errors (${url}).`, 'Errors ( ).', url, ''],
  ['[no data: 3] Disk', 'Disk', '', ''],
  ['Disk is full\n\nsince noon', 'Disk is full', '', 'since noon'],
  [`${url}\nmore`, url, url, 'more'],
  ['', '', '', ''],
  [':rotating_light: *[FIRING:1] Payments fail in eu-west*', 'Payments fail in eu-west', '', ''],
  ['🚨 [FIRING:1] Payments fail\nsince noon', 'Payments fail', '', 'since noon'],
  ['⚠️ *Disk full*', 'Disk full', '', ''],
  ['*[P1]* Disk full', 'Disk full', '', ''],
  ['_*[Alerting]*_ :fire: Disk full', 'Disk full', '', ''],
  [':fire::fire: Disk full', 'Disk full', '', ''],
  [':fire:', ':fire:', '', ''],
  ['*', '*', '', ''],
  ['2 * 3 is 7', '2 * 3 is 7', '', ''],
  ['job_name_x is stuck', 'job_name_x is stuck', '', ''],
  ['[FIRING:1]', '[FIRING:1]', '', ''],
  [`see ${url}?a=1&b=2, please`, 'see , please', `${url}?a=1&b=2`, ''],
])('pasted: %s', (text, title, link, rest) => {
  expect(readPasted(text)).toEqual({ title, link, rest });
});

test('a title from pasted words is short, and what it lacks is kept', () => {
  const { title, rest } = readPasted('long '.repeat(60));
  expect(title.length).toBeLessThanOrEqual(150);
  expect(rest).toContain('long long');
});

test.each([
  ['db; prio:high #urgent', ['db', 'prio:high', 'urgent']],
  ['db, eu', ['db', 'eu']],
  ['#db #eu', ['db', 'eu']],
  ['needs review', ['needs review']],
  ['c#', ['c#']],
  ['issue #7', ['issue', '#7']],
  ['a;b;;c', ['a', 'b', '', 'c']],
  ['a\nb', ['a', 'b']],
  ['', ['']],
  ['key:value', ['key:value']],
])('the labels %s', (typed, labels) => {
  expect(splitLabels(typed)).toEqual(labels);
});
