import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type AlertGroup, alertLengths as lengths } from '../../../../src/bot/incident/state/alert-group.ts';
import { escapeMrkdwn, toOneLine } from '../../../../src/bot/text/words.ts';
import { bearer, openDoor, toBody, tokens } from '../../../support/alerts/open-door.ts';
import { readList } from '../../../support/table.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const alert = (more: object = {}) => ({ status: 'firing', labels: { alertname: 'x' }, fingerprint: 'f', ...more });
const deep = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);

/** What a hostile sender with a good token sends, and what it is answered. */
const bodies: readonly (readonly [string, number, () => string | Buffer])[] = [
  ['10 MB', 413, () => Buffer.alloc(10_000_000, ' ')],
  ['10 MB of one label', 413, () => toBody({ commonLabels: { x: 'x'.repeat(10_000_000) } })],
  ['10,000 alerts', 200, () => toBody({ alerts: Array.from({ length: 10_000 }, () => alert()) })],
  ['300,000 nothings for alerts', 400, () => `{"groupKey":"x","alerts":[${'0,'.repeat(300_000)}0]}`],
  ['lists 100,000 deep', 400, () => deep(100_000)],
  ['objects 100,000 deep', 400, () => deep(100_000, '{"a":', '}').replace('}', '1}')],
  ['lists 500,000 deep that do not close', 400, () => '['.repeat(500_000)],
  ['labels 100,000 deep', 400, () => `{"groupKey":"x","commonLabels":${deep(100_000)},"alerts":[{}]}`],
  ['values 20 deep', 400, () => `{"groupKey":"x","alerts":[{"values":{"a":${deep(20)}}}]}`],
  ['brackets in a text, which are no levels', 200, () => toBody({ groupKey: `\\"${'['.repeat(100_000)}` })],
  ['a backslash at the end of a text', 400, () => `{"groupKey":"\\`],
  ['values 14 deep', 200, () => `{"groupKey":"x","alerts":[{"values":{"a":${deep(14)}}}]}`],
  [
    'a number of a million digits',
    200,
    () => `{"groupKey":"x","truncatedAlerts":${'9'.repeat(1_000_000)},"alerts":[{}]}`,
  ],
  ['60,000 labels', 400, () => toBody({ commonLabels: Object.fromEntries(numbered(60_000)) })],
  [
    'half a surrogate pair and NUL',
    200,
    () => `{"groupKey":"\\ud800\\u0000","alerts":[{"labels":{"\\udfff":"\\u0000"}}]}`,
  ],
];

function numbered(count: number): readonly (readonly [string, string])[] {
  return Array.from({ length: count }, (_, index) => [`l${index}`, 'x'] as const);
}

test.each(bodies)('%s: the answer is %d, and Muster goes on', async (_what, status, toHostile) => {
  const { send, heard } = await openDoor();
  const hostile = toHostile();
  const answer = await send({ body: hostile });
  expect(answer.status).toBe(status);
  expect(answer.body.length).toBeLessThan(300);
  for (const each of heard) expectBounded(each.group);
  expect((await send()).status).toBe(200);
});

test('without a token the same is refused for the token alone', async () => {
  const { send, heard } = await openDoor();
  for (const [, , toHostile] of bodies) {
    expect((await send({ body: toHostile(), headers: bearer('nope') })).status).toBe(401);
  }
  expect(heard).toEqual([]);
});

/** Words that notify people, format, or lead somewhere, if Slack is given them as they are. */
const words = [
  ...['<!channel>', '<!here|here>', '<!everyone>', '<!subteam^S1>', '<@U0ADA000001>', '<#C0GENERAL01>'],
  ...[
    '<https://evil.example|Sign in>',
    '&lt;!channel&gt;',
    '*bold* ~gone~ `code`',
    '</script><script>alert(1)</script>',
  ],
  ...['line\none\u2028two\r\n```', '\u202egnp.exe\u202c', '\ufeff\u0000\u0007x'],
];

test.each(words)('%j in every member is plain text on one line, and reaches Slack escaped', async word => {
  const { send, heard } = await openDoor();
  const texts = { alertname: word, severity: word, instance: word, [word]: word, summary: word, runbook_url: word };
  const every = {
    ...{ groupKey: word, receiver: word, externalURL: word, version: word, truncatedAlerts: word },
    ...{ groupLabels: texts, commonLabels: texts, commonAnnotations: { ...texts, description: word } },
    alerts: [
      {
        ...{ status: 'firing', labels: texts, annotations: texts, startsAt: word, endsAt: word, generatorURL: word },
        ...{ fingerprint: word, silenceURL: word, dashboardURL: word, panelURL: word, valueString: word },
        values: { [word]: word },
      },
    ],
  };
  expect((await send({ body: JSON.stringify(every) })).status).toBe(200);
  const [group] = heard.map(each => each.group);
  if (!group) throw new Error('Nothing was heard.');
  expectBounded(group);
  expect(group.links).toEqual([]);
  expect([group.startedAt, group.newestStartAt, group.endedAt]).toEqual(['', '', '']);
  for (const text of linesOf(group)) {
    expect(toOneLine(text)).toBe(text);
    expect(escapeMrkdwn(text)).not.toMatch(/[<>]/);
  }
});

const addresses = [
  ...[
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
  ],
  ...readList(`
    vbscript:x | file:///etc/passwd | slack://open | //evil.example | https:evil.example | https:// | http:// x
  `),
  ...['https://x\n<!channel>', `https://x/${'x'.repeat(3000)}`, 'https://[::1', 'ftp://x', 'mailto:x@y.z'],
];

test.each(addresses)('%j is no link', async address => {
  const { send, heard } = await openDoor();
  const links = { generatorURL: address, silenceURL: address, dashboardURL: address, panelURL: address };
  const body = toBody({
    ...{ externalURL: address, commonAnnotations: { runbook_url: address } },
    alerts: [alert({ ...links, annotations: { runbook_url: address } })],
  });
  expect((await send({ body })).status).toBe(200);
  expect(heard[0]?.group.links).toEqual([]);
});

test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
  'a member called %s changes no object',
  async name => {
    const { send, heard } = await openDoor();
    const evil = `{"polluted":true,"severity":"critical","alertname":"evil","state":"x"}`;
    const labels = `{"${name}":${evil},"alertname":"x"}`;
    const body = `{"${name}":${evil},"groupKey":"k","commonLabels":${labels},"groupLabels":{"${name}":"x"},
      "alerts":[{"${name}":${evil},"labels":${labels},"annotations":${labels},"values":${labels}}]}`;
    expect((await send({ body })).status).toBe(200);
    expect(heard[0]?.group).toMatchObject({ title: 'x', severity: '' });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Reflect.get(heard[0]?.group.labels ?? {}, 'polluted')).toBeUndefined();
  },
);

test('a thousand hostile deliveries leave nothing in memory', async () => {
  const { send } = await openDoor({ keeps: false });
  const small = (body: string | Buffer) => body.length < 300_000;
  const own = bodies.map(([, , toHostile]) => toHostile()).filter(small);
  const round = async (times: number) => {
    for (let index = 0; index < times; index += 1) {
      const headers = index % 3 === 0 ? bearer(`nope-${index}`) : bearer(tokens.prod);
      await send({ body: own[index % own.length] ?? '', headers });
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await round(100);
  const after = await round(1000);
  expect(after - before).toBeLessThan(20_000_000);
});

test('while nothing can be stored, what waits has a bounded size, and the rest is to be sent again', async () => {
  const stored = Promise.withResolvers<void>();
  const { send } = await openDoor({ keeps: false, hear: async () => await stored.promise });
  const large = toBody({ commonAnnotations: { summary: 'x'.repeat(1_000_000) }, groupKey: 'k'.repeat(20_000) });
  collect();
  const before = process.memoryUsage().heapUsed;
  const sent = Array.from({ length: 60 }, () => send({ body: large }));
  const refused = Promise.withResolvers<void>();
  let statuses: number[] = [];
  for (const each of sent) {
    void each.then(({ status }) => {
      statuses = [...statuses, status];
      if (statuses.length === 44) refused.resolve();
    });
  }
  await refused.promise;
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000);
  expect(new Set(statuses)).toEqual(new Set([503]));
  stored.resolve();
  const all = (await Promise.all(sent)).map(each => each.status);
  expect(all.filter(status => status === 200).length).toBeGreaterThanOrEqual(8);
  expect((await send()).status).toBe(200);
});

/** Every text of a group that is shown on one line. */
function linesOf({ title, severity, labels, alerts }: AlertGroup): readonly string[] {
  return [title, severity, ...Object.entries(labels).flat(), ...alerts.flatMap(each => [each.name, each.value])];
}

function expectBounded(group: AlertGroup): void {
  expect(group.key.length).toBeLessThanOrEqual(lengths.key);
  expect(group.title.length).toBeLessThanOrEqual(lengths.title);
  expect(group.summary.length).toBeLessThanOrEqual(lengths.summary);
  expect(group.alerts.length).toBeLessThanOrEqual(10);
  expect(Object.keys(group.labels).length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(group).length).toBeLessThan(50_000);
}
