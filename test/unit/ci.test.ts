import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { suites, suitesFor } from '../../.ci/suites.ts';
import { filesBelow, root } from '../support/docs/files.ts';
import { openFolder } from '../support/folder.ts';

const count = fileURLToPath(new URL('../../.ci/count.mjs', import.meta.url));
const budget: Budget = JSON.parse(readFileSync(new URL('../../.ci/budget.json', import.meta.url), 'utf8'));

/** `.ci/budget.json`: CPU seconds by project, and by project and file, on a machine that does the yardstick in so many. */
interface Budget {
  readonly yardstick: number;
  readonly projects: Readonly<Record<string, number>>;
  readonly files: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const file = 'test/unit/ci.test.ts';
const price = budget.files.unit?.[file] ?? expect.fail('This file has no price');
const whole = {
  ...{ project: 'unit', file, begun: 1000, ended: 3500, isBroken: false, cpu: price / 2 },
  ...{ passed: ['adds', 'takes off'], failed: [], skipped: [], again: [], notes: [] },
};
const again = (where: string, ...names: string[]) => ({
  ...whole,
  file: where,
  passed: names,
  again: names.map(name => ({ name, error: `${name} met a race` })),
});

const divides = { name: 'divides', error: 'By zero' };

/** What the count prints of these reports, and its exit code, on a machine that is so many times as slow as the one of the prices. */
async function countOf(reports: readonly object[], slowness = 1): Promise<{ code: number; lines: string[] }> {
  const folder = await openFolder();
  const files = await Promise.all(
    reports.map(async (report, index) => {
      const path = join(folder, `${index}.json`);
      await writeFile(path, JSON.stringify(report));
      return path;
    }),
  );
  const env = { ...process.env, YARDSTICK: String(budget.yardstick * slowness) };
  return await new Promise(resolve => {
    execFile(
      process.execPath,
      [count, ...files, ...(reports.length === 0 ? [join(folder, 'none.json')] : [])],
      { env },
      (error, text) => resolve({ code: error ? 1 : 0, lines: text.trimEnd().split('\n') }),
    );
  });
}

test('the count adds reports up, and says how long each project took and what each of the dearest files cost', async () => {
  const [[other = '', dear = 0] = []] = Object.entries(budget.files.soak ?? {});
  const slow = {
    ...whole,
    ...{ project: 'soak', file: other, ended: 21_000, cpu: dear },
    notes: [{ name: 'adds', note: 'look' }],
  };
  const { code, lines } = await countOf([
    { files: [whole], unhandled: 0 },
    { files: [slow], unhandled: 0, servers: { soak: 7 } },
  ]);
  expect(code).toBe(0);
  expect(lines.at(-1)).toBe('4 passed, 0 failed');
  const words = lines.map(each => each.replaceAll(/ +/g, ' ').trim());
  expect(words).toContain(`unit 1 2 ${Math.round(price / 2)} 3 3`);
  expect(words).toContain(`soak 1 2 ${Math.round(dear + 7)} 20 20`);
  expect(words).toContain(`${other} soak ${dear.toFixed(1)} 20.0`);
  expect(words).toContain(`Note: ${other}: adds: look`);
});

test.each([
  ['a test fails', [{ files: [{ ...whole, failed: [divides] }], unhandled: 0 }], '2 passed, 1 failed'],
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
  ['a test needed a second attempt', [{ files: [again(file, 'a')], unhandled: 0 }], '0 passed, 1 failed'],
  [
    'a file costs more than twice its price',
    [{ files: [{ ...whole, cpu: 2.1 * price }], unhandled: 0 }],
    '2 passed, 1 failed',
  ],
  [
    'a file has no price',
    [{ files: [{ ...whole, file: 'test/unit/new.test.ts' }], unhandled: 0 }],
    '2 passed, 1 failed',
  ],
  [
    'a project costs more than 1.1 times its price',
    [{ files: [whole], unhandled: 0, servers: { unit: 1.2 * (budget.projects.unit ?? 0) } }],
    '2 passed, 1 failed',
  ],
])('the count fails where %s', async (_, reports, last) => {
  const { code, lines } = await countOf(reports);
  expect([code, lines.at(-1)]).toEqual([1, last]);
});

test('the last lines name the tests that failed, with their errors', async () => {
  const { lines } = await countOf([{ files: [{ ...whole, failed: [divides] }], unhandled: 0 }]);
  expect(lines.slice(-4)).toEqual([`Failed: ${file}: divides`, 'By zero', '', '2 passed, 1 failed']);
});

test('on a slower machine prices are higher', async () => {
  const { code } = await countOf([{ files: [{ ...whole, cpu: 2.1 * price }], unhandled: 0 }], 1.5);
  expect(code).toBe(0);
});

test('a test that measures real time may need a second attempt, and is named', async () => {
  const [timed = ''] = Object.keys(budget.files.attack ?? {});
  const { code, lines } = await countOf([
    { files: [{ ...again(timed, 'a'), project: 'attack', cpu: 0.1 }], unhandled: 0 },
  ]);
  expect([code, lines.at(-1)]).toEqual([0, '1 passed, 0 failed']);
  expect(lines).toContain(`Passed at the second attempt: ${timed}: a`);
  expect(lines).toContain('a met a race');
});

const tests = filesBelow('test', /\.test\.ts$/);
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');

test('each price is that of a file, and all together are within the ten minutes', () => {
  for (const [project, files] of Object.entries(budget.files))
    for (const path of Object.keys(files)) expect(tests, `${project}: ${path}`).toContain(path);
  const { unit = 0, stories = 0, ...others } = budget.projects;
  // Alone, `npm test` costs a sixth less than together with the lane that waits: 110.
  expect(unit + stories).toBeLessThanOrEqual(130);
  const suites = Object.values(others).reduce((sum, each) => sum + each, unit + stories);
  expect(suites).toBeLessThanOrEqual(1350);
});

test('a change needs the suites that watch it; the database, packages and what nobody knows need all', () => {
  const all = Object.keys(suites);
  expect(suitesFor(['src/bot/features/task/feature.ts', 'docs/journal.md', 'test/unit/ci.test.ts'])).toEqual([]);
  expect(suitesFor(['test/soak/simulate/world.ts'])).toEqual(['broken']);
  expect(suitesFor(['README.md', 'deploy/README.md'])).toEqual(['readme', 'deploy']);
  for (const path of [
    'src/db/sqlite.ts',
    'src/contract/fields.ts',
    'package.json',
    '.ci/run',
    'vitest.config.ts',
    'new/thing',
  ])
    expect(suitesFor([path]), path).toEqual(all);
  // Whatever a suite watches is there, and each suite has tests.
  for (const { tests: own, watches } of Object.values(suites)) {
    for (const each of own) expect(tests.some(path => each.test(path))).toBe(true);
    for (const each of watches)
      expect(
        tracked.some(path => each.test(path)),
        String(each),
      ).toBe(true);
  }
});
