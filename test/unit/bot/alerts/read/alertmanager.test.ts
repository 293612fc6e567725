import { expect, test } from 'vitest';
import { readAlertmanager } from '../../../../../src/bot/alerts/read/alertmanager.ts';

const alert = {
  labels: { alertname: 'DiskFull', instance: 'db-1' },
  startsAt: '2026-01-31T12:00:00Z',
  status: 'firing',
};
const read = (members: object, ...alerts: readonly object[]) =>
  readAlertmanager({ groupKey: '{}:{}', alerts: alerts.length > 0 ? alerts : [alert], ...members });

test('values that are no text are left out', () => {
  const values = { A: 97.5, B: { toString: 1 }, C: [{ valueOf: 1, toString: 1 }], D: 'NaN', E: null };
  expect(read({}, { ...alert, values }).alerts[0]?.value).toBe('A=97.5, D=NaN');
});

test('two groups with long keys stay two', () => {
  const keys = ['a', 'b', '\u0000a', '\ud800'].map(end => read({ groupKey: `${'x'.repeat(1000)}${end}` }).key);
  expect(new Set(keys).size).toBe(4);
  for (const key of keys) expect(key).toMatch(/^x+… [0-9a-f]{64}$/);
  expect(Math.max(...keys.map(each => each.length))).toBeLessThanOrEqual(1000);
  expect(read({ groupKey: '{}:{a="\u0000"}' }).key).not.toContain('\u0000');
});

test('without common labels, those are common that all alerts have', () => {
  const two = ['db-1', 'db-2'].map(instance => ({ ...alert, labels: { ...alert.labels, instance, team: 'storage' } }));
  expect(read({}, ...two)).toMatchObject({ title: 'DiskFull', labels: { team: 'storage' } });
  expect(read({}, ...two).labels).toEqual({ team: 'storage' });
});

test('a group is as grave as the gravest alert that fires', () => {
  const of = (severity: string, status = 'firing') => ({ ...alert, status, labels: { severity } });
  expect(read({}, of('warning'), of('critical'), of('info')).severity).toBe('critical');
  expect(read({}, of('warning'), of('critical', 'resolved')).severity).toBe('warning');
  expect(read({ status: 'resolved' }, of('warning', 'resolved'), of('P1', 'resolved')).severity).toBe('P1');
  expect(read({ commonLabels: { severity: 'page' } }).severity).toBe('page');
  expect(read({}).severity).toBe('');
});

test.each([
  ['DatasourceNoData', 'Latency: no data'],
  ['DatasourceError', 'Latency: the query failed'],
])('%s of Grafana names its rule', (alertname, title) => {
  expect(read({}, { ...alert, labels: { alertname, rulename: 'Latency' } }).title).toBe(title);
  expect(read({}, { ...alert, labels: { alertname } }).title).toBe(alertname);
});

test.each([
  ['https://a.example/x', true],
  ['http://a.example/x?q=%20a', true],
  ['javascript:alert(1)', false],
  ['JAVASCRIPT:alert(1)', false],
  ['data:text/html,x', false],
  ['//a.example', false],
  ['/relative', false],
  ['https://a.example/\u0000x', false],
  ['https://a.example/\u202ex', false],
  ['https://a.example/a b', false],
  ['https://', false],
  [`https://a.example/${'x'.repeat(2000)}`, false],
] as const)('%j is an address of the web: %s', (externalURL, isOne) => {
  const { links } = read({ externalURL });
  expect(links.filter(each => each.what === 'tool')).toEqual(isOne ? [{ what: 'tool', url: externalURL }] : []);
});

test('Alertmanager’s silence is made of the labels of the group; Grafana sends its own', () => {
  const members = {
    externalURL: 'https://am.example/base/',
    groupLabels: { alertname: 'Disk "C" full', team: 'a\\b' },
  };
  const silence = (body: object) => read(body).links.find(each => each.what === 'silence')?.url ?? '';
  expect(decodeURIComponent(silence(members))).toBe(
    'https://am.example/base/#/silences/new?filter={alertname="Disk \\"C\\" full", team="a\\\\b"}',
  );
  expect(silence({ externalURL: 'https://am.example' })).toBe('');
  expect(silence({ ...members, orgId: 1 })).toBe('');
  const { links } = read({ ...members, orgId: 1 }, { ...alert, silenceURL: 'https://g.example/alerting/silence/new' });
  expect(links).toContainEqual({ what: 'silence', url: 'https://g.example/alerting/silence/new' });
});

test('a moment that cannot be is none', () => {
  for (const startsAt of ['0001-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', 'soon', '', 7e15, null, {}])
    expect(read({}, { ...alert, startsAt })).toMatchObject({ startedAt: '', newestStartAt: '' });
  expect(read({}, { ...alert, startsAt: '2026-01-31T12:00:00.123456789+02:00' }).startedAt).toBe(
    '2026-01-31T10:00:00.123Z',
  );
});

test('alerts that fire come before those that ended; ten are named, all are counted', () => {
  const ended = Array.from({ length: 8 }, (_, at) => ({
    ...alert,
    status: 'resolved',
    labels: { instance: `e${at}` },
  }));
  const firing = Array.from({ length: 7 }, (_, at) => ({ ...alert, labels: { instance: `f${at}` } }));
  const group = read({ status: 'firing', truncatedAlerts: 5 }, ...ended, ...firing);
  expect(group).toMatchObject({ firing: 12, resolved: 8, state: 'firing', endedAt: '' });
  expect(group.alerts.map(each => each.name)).toEqual([...'0123456'].map(n => `f${n}`).concat('e0', 'e1', 'e2'));
});

test('labels of the tool itself are none of the group', () => {
  const commonLabels = JSON.parse('{"__alert_rule_uid__":"x","__proto__":"y","constructor":"z","team":"a","empty":""}');
  expect(read({ commonLabels }).labels).toEqual({ constructor: 'z', team: 'a' });
  expect({}).not.toHaveProperty('y');
});
