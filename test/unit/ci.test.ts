import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openFolder } from '../support/folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const count = join(root, '.ci/count.mjs');
const whole = {
  ...{ project: 'unit', file: 'test/unit/a.test.ts', begun: 1000, ended: 3500, isBroken: false },
  ...{ passed: ['adds', 'takes off'], failed: [], skipped: [], again: [], notes: [] },
};
const again = (file: string) => ({ ...whole, file, again: [{ name: 'adds', error: 'met a race' }] });

/** What the count prints of these reports, and its exit code. */
async function countOf(...reports: object[]): Promise<{ code: number; lines: string[] }> {
  const folder = await openFolder();
  const files = await Promise.all(
    reports.map(async (report, index) => {
      const file = join(folder, `${index}.json`);
      await writeFile(file, JSON.stringify(report));
      return file;
    }),
  );
  return await new Promise(resolve => {
    execFile(
      process.execPath,
      [count, ...files, ...(reports.length === 0 ? [join(folder, 'none.json')] : [])],
      (error, text) => resolve({ code: error ? 1 : 0, lines: text.trimEnd().split('\n') }),
    );
  });
}

test('the count adds reports up, and says how long each project and the slowest files took', async () => {
  const slow = {
    ...whole,
    project: 'soak',
    file: 'test/soak/b.test.ts',
    ended: 21_000,
    notes: [{ name: 'adds', note: 'look' }],
  };
  const { code, lines } = await countOf({ files: [whole], unhandled: 0 }, { files: [slow], unhandled: 0 });
  expect(code).toBe(0);
  expect(lines.at(-1)).toBe('4 passed, 0 failed');
  const words = lines.map(each => each.replaceAll(/ +/g, ' ').trim());
  expect(words).toContain('unit 1 2 3 3');
  expect(words).toContain('soak 1 2 20 20');
  expect(words.indexOf('test/soak/b.test.ts soak 20.0')).toBeLessThan(words.indexOf('test/unit/a.test.ts unit 2.5'));
  expect(words).toContain('Note: test/soak/b.test.ts: adds: look');
});

test.each([
  ['a test fails', [{ files: [{ ...whole, failed: ['divides'] }], unhandled: 0 }], '2 passed, 1 failed'],
  [
    'a test is skipped',
    [{ files: [{ ...whole, skipped: ['divides'] }], unhandled: 0 }],
    '2 passed, 0 failed, 1 skipped',
  ],
  [
    'a file could not be loaded',
    [{ files: [{ ...whole, passed: [], isBroken: true }], unhandled: 0 }],
    '0 passed, 1 failed',
  ],
  ['an error is nobody’s', [{ files: [whole], unhandled: 1 }], '2 passed, 1 failed'],
  ['a report has no test', [{ files: [], unhandled: 0 }], '0 passed, 1 failed'],
  ['a report is missing', [], '0 passed, 1 failed'],
  ['a test needed a second attempt', [{ files: [again(whole.file)], unhandled: 0 }], '1 passed, 1 failed'],
])('the count fails where %s', async (_, reports, last) => {
  const { code, lines } = await countOf(...reports);
  expect([code, lines.at(-1)]).toEqual([1, last]);
});

test('those that measure time may need a second attempt, and are named', async () => {
  const timed = globSync(['test/soak/{attack,hostile}/*.test.ts', 'test/soak/chaos/outages.test.ts'], { cwd: root });
  expect(timed).toHaveLength(4);
  const { code, lines } = await countOf({ files: timed.map(again), unhandled: 0 });
  expect([code, lines.at(-1)]).toEqual([0, '8 passed, 0 failed']);
  for (const file of timed) expect(lines).toContain(`Passed at the second attempt: ${file}: adds`);
  expect(lines).toContain('met a race');
});
