import fs from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAtLeast } from '../../../src/config/log-levels.ts';
import { openLog } from '../../../src/operations/log.ts';

function openLines() {
  const lines: string[] = [];
  return { lines, log: openLog('debug', { write: line => void lines.push(line) }) };
}

const slackToken = ['xoxb', '12-34', 'abcDEF'].join('-');

test('a secret is left out wherever it stands in a record', () => {
  const { lines, log } = openLines();
  const secret = 'do-not-show';
  log.info({ token: secret, botToken: secret, response_url: secret }, 'one');
  log.info({ config: { slack: { signingSecret: secret, appToken: secret }, grafana: { token: secret } } }, 'two');
  log.info({ request: { headers: { authorization: secret, 'x-slack-signature': secret, cookie: secret } } }, 'three');
  log.child({ trigger_id: secret, triggerId: secret }).info('four');
  log.child({ config: { slack: { signingSecret: secret } } }).info({ delivery: '7' }, 'five');
  expect(lines).toHaveLength(5);
  expect(lines.join()).not.toContain(secret);
});

test.each([
  slackToken,
  ['xapp', '1-A0-99', 'deadbeef'].join('-'),
  'glsa_abcDEF123_99',
  'Bearer abc.def-ghi',
  'https://hooks.slack.com/commands/T1/2/abcDEF',
])('what looks like a token is taken out of sentences and errors too: %#', text => {
  const { lines, log } = openLines();
  log.info(`it failed with ${text}`);
  log.info(
    { err: new Error(`it failed with ${text}`, { cause: new Error(text) }), deep: { er: { and: { deeper: text } } } },
    'no',
  );
  const secretPart = text.replace(/^Bearer |^https:\/\//, '');
  expect(lines.join()).not.toContain(secretPart);
  expect(lines.join()).toContain('[secret]');
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});

test('an error is logged with what failed and why, never with what it was called with', () => {
  const { lines, log } = openLines();
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', config: { body: 'what alice wrote' } });
  const error = Object.assign(new Error('the call failed', { cause }), {
    code: 'unavailable',
    status: 503,
    method: 'IncidentsService.GetIncident',
    data: { text: 'what alice wrote' },
    body: 'what alice wrote',
  });
  log.warn({ err: error }, 'no');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'no',
    err: {
      type: 'Error',
      message: 'the call failed',
      code: 'unavailable',
      status: 503,
      method: 'IncidentsService.GetIncident',
      cause: { message: 'refused', code: 'ECONNREFUSED' },
    },
  });
  expect(lines[0]).not.toContain('alice');
});

test('an error that is its own cause, and a thrown thing that is no error, are logged', () => {
  const { lines, log } = openLines();
  const error = new Error('round');
  error.cause = error;
  log.warn({ err: error }, 'no');
  log.warn({ err: { text: 'what alice wrote' } }, 'no');
  log.warn({ err: 'a word' }, 'no');
  expect(lines).toHaveLength(3);
  expect(lines.join()).not.toContain('alice');
  expect(lines[2]).toContain('a word');
});

test('a line names its level', () => {
  const { lines, log } = openLines();
  log.child({ part: 'client' }).warn('no');
  log.fatal('the end');
  const records = lines.map(line => JSON.parse(line));
  expect(records).toMatchObject([
    { level: 'warn', part: 'client' },
    { level: 'fatal', msg: 'the end' },
  ]);
  expect(records.map(record => isAtLeast(record, 'error'))).toEqual([false, true]);
  expect([isAtLeast({ level: 'error' }, 'error'), isAtLeast({ level: 50 }, 'trace')]).toEqual([true, false]);
});

test('a key stands once in a line, also when a record names what its child logger is bound to', () => {
  const { lines, log } = openLines();
  log.child({ intent: 3, incident: '2' }).child({ incident: '2' }).warn({ incident: '7', step: 'topic' }, 'room: no');
  expect(lines).toHaveLength(1);
  expect(lines[0]?.match(/"incident"/g)).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ intent: 3, incident: '7', step: 'topic', msg: 'room: no' });
  expect(lines[0]).toMatch(/^[^\n]*\n$/);
});

test('a line keeps its level, time and message, whatever a record names so', () => {
  const { lines, log } = openLines();
  log.child({ time: 'noon' }).warn({ level: 'high', time: 'now', msg: 'boo' }, 'room: no');
  for (const key of ['level', 'time', 'msg']) expect(lines[0]?.match(new RegExp(`"${key}"`, 'g'))).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    time: expect.stringMatching(/Z$/),
    msg: 'room: no',
  });
});

test('an error alone is logged under its own message, with what its child logger is bound to', () => {
  const { lines, log } = openLines();
  log.child({ intent: 3 }).warn(new Error('it broke'));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ intent: 3, msg: 'it broke', err: { message: 'it broke' } });
});

test('a line is written at once, lines right behind it in one write, and none waits for trouble or for the end', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const writes: string[] = [];
  const written = vi.spyOn(fs, 'writeSync').mockImplementation((_file: number, lines: unknown) => {
    writes.push(String(lines));
    return Buffer.byteLength(String(lines));
  });
  onTestFinished(() => written.mockRestore());
  const log = openLog('info');
  const words = () =>
    writes.map(lines =>
      lines
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).msg)
        .join(' '),
    );
  log.info('first');
  expect(words()).toEqual(['first']);
  log.info('second');
  log.info('third');
  expect(words()).toEqual(['first']);
  vi.advanceTimersByTime(10);
  expect(words()).toEqual(['first', 'second third']);
  log.info('fourth');
  log.warn('fifth');
  expect(words()).toEqual(['first', 'second third', 'fourth fifth']);
  log.info('sixth');
  process.emit('exit', 0);
  expect(words().at(-1)).toBe('sixth');
});

test('the time of a line is that of its writing, to the millisecond', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { lines, log } = openLines();
  for (const time of ['2026-11-28T23:59:59.007Z', '2026-11-28T23:59:59.999Z', '2026-11-29T00:00:00.000Z']) {
    vi.setSystemTime(new Date(time));
    log.info('now');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ time });
  }
});
