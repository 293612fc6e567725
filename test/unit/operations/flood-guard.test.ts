import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openLog, toCause } from '../../../src/operations/log.ts';

/** A log whose minutes end when the test says so. */
function openFloodedLog() {
  const due: (() => void)[] = [];
  const records: { readonly level: string; readonly msg: string; readonly [name: string]: unknown }[] = [];
  const later = (work: () => void) => {
    due.push(work);
    return () => {};
  };
  const log = openLog('debug', { write: line => void records.push(JSON.parse(line)) }, later);
  return {
    log,
    /** What was written since it was last asked. */
    written: () => records.splice(0),
    endMinute: () => {
      for (const work of due.splice(0)) work();
    },
    isWaiting: () => due.length > 0,
  };
}

function repeat(times: number, work: (index: number) => void): void {
  for (let index = 0; index < times; index += 1) work(index);
}

test('a flood of one line is held back, and one line says how many came', () => {
  const { log, written, endMinute, isWaiting } = openFloodedLog();
  const err = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  repeat(500, index => log.warn({ err, delivery: `d${index}` }, 'journal: could not claim'));
  expect(written().map(each => each.msg)).toEqual(new Array(5).fill('journal: could not claim'));
  endMinute();
  expect(written()).toMatchObject([
    {
      level: 'warn',
      msg: 'journal: could not claim (said 495 times more in the last minute)',
      times: 495,
      err: { code: 'ECONNREFUSED' },
      delivery: 'd499',
    },
  ]);
  repeat(30, () => log.warn({ err }, 'journal: could not claim'));
  expect(written()).toHaveLength(1);
  endMinute();
  expect(written()).toMatchObject([{ times: 29 }]);
  endMinute();
  expect([written(), isWaiting()]).toEqual([[], false]);
  repeat(6, () => log.warn({ err }, 'journal: could not claim'));
  expect(written()).toHaveLength(5);
});

test('a line with another cause, level or message is another line', () => {
  const { log, written } = openFloodedLog();
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' });
  repeat(50, () => log.error({ err: new Error('away') }, 'call: failed'));
  expect(written()).toHaveLength(5);
  log.error({ err: full }, 'call: failed');
  log.error({ err: new Error('away', { cause: full }) }, 'call: failed');
  log.error({ reason: 'invalid_auth' }, 'call: failed');
  log.error({ status: 401, why: 'no' }, 'call: failed');
  log.error({ status: 503, why: 'no' }, 'call: failed');
  log.warn({ err: new Error('away') }, 'call: failed');
  log.error({ err: new Error('away') }, 'another: failed');
  log.error(new Error('away'));
  expect(written()).toHaveLength(8);
});

test('lines that tell of no trouble, and the last words of a process, are never held back', () => {
  const { log, written } = openFloodedLog();
  repeat(20, index => log.info({ incident: String(index) }, 'delivery: done'));
  repeat(20, () => log.fatal({ err: new Error('no') }, 'muster: ends'));
  expect(written()).toHaveLength(40);
  repeat(20, index => log.error({ err: new Error('no'), reference: `r${index}` }, 'request: failed'));
  expect(new Set(written().map(each => each.reference)).size).toBe(20);
  repeat(20, () => log.info({ reason: 'no_text' }, 'answer: refused'));
  expect(written()).toHaveLength(5);
});

test('the same cause is known again when it names other numbers, and causes without end are one', () => {
  expect(toCause({ err: new Error('No answer within 2000 ms.') })).toBe(
    toCause({ err: new Error('No answer within 17 ms.') }),
  );
  const { log, written, endMinute } = openFloodedLog();
  repeat(1000, index => log.warn({ reason: `word-${index}` }, 'hook: refused'));
  expect(written()).toHaveLength(25);
  endMinute();
  expect(written()).toMatchObject([{ times: 975 }]);
});

test('an error that is its own cause has a cause', () => {
  const error = new Error('round');
  error.cause = error;
  expect(toCause({ err: error })).toMatch(/^Error round Error round/);
});

test('lines without facts are counted too', () => {
  const { log, written, endMinute } = openFloodedLog();
  repeat(7, () => log.child({ part: 'receiver' }).warn('receiver: held back'));
  endMinute();
  expect(written().at(-1)).toMatchObject({
    part: 'receiver',
    msg: 'receiver: held back (said 2 times more in the last minute)',
  });
});

test('what was held back is said when the process ends', () => {
  const place = new URL('../../../src/operations/log.ts', import.meta.url);
  const program = `
    const { openLog } = await import(${JSON.stringify(place.href)});
    const log = openLog('warn');
    for (let n = 0; n < 9; n += 1) log.warn('slack: no');
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(6);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ times: 4 });
});

test('lines of many kinds with one cause are one flood; the first of an error is written all the same', () => {
  const { log, written, endMinute } = openFloodedLog();
  const err = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  repeat(20, index => log.warn({ err }, `part ${'abcdefghijklmnopqrst'[index]} failed`));
  repeat(3, () => log.error({ err }, 'a request failed'));
  log.warn({ err: new Error('disk I/O error') }, 'part a failed');
  expect(written().map(each => each.msg)).toEqual([
    ...['a', 'b', 'c', 'd', 'e', 'f'].map(each => `part ${each} failed`),
    'a request failed',
    'part a failed',
  ]);
  endMinute();
  expect(written().map(each => each.msg)).toEqual([
    'a request failed (said 2 times more in the last minute, and 14 other lines with the same cause)',
  ]);

  repeat(20, index => log.warn({ err }, `part ${'abcdefghijklmnopqrst'[index]} failed`));
  expect(written()).toHaveLength(1);
  endMinute();
  expect(written()).toHaveLength(1);
});
