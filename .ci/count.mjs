import { readFileSync } from 'node:fs';

/*
 * Adds up the reports of .ci/reporter.mjs. It prints the seconds of each project, the slowest files, what tests note, and the tests
 * that passed at the second attempt alone, each with what its first attempt met. The last line is `N passed, N failed`, with
 * `, N skipped` where tests were. It exits with 1 unless every test ran and passed. These count as failed too: a file that could not
 * be loaded, an error outside any test, a report without any test, and tests that needed a second attempt, but for those that measure time.
 */

/** These measure how long people wait while the machine is kept busy (project attack), so they may need a second attempt. */
const timed = [
  'test/soak/attack/search.test.ts',
  'test/soak/chaos/outages.test.ts',
  'test/soak/hostile/fuzz.test.ts',
  'test/soak/hostile/hostile.test.ts',
];
const slowest = 15;

const reports = process.argv.slice(2).map(read);
const files = reports.flatMap(each => each.files);
const all = name => files.flatMap(each => each[name].map(one => ({ file: each.file, ...(one.name ? one : { name: one }) })));
const secondsOf = ({ begun, ended }) => (begun === undefined || ended === undefined ? 0 : (ended - begun) / 1000);

printTable(
  ['project', 'files', 'tests', 'seconds', 'seconds of its files'],
  [...Map.groupBy(files, each => each.project)].map(([project, own]) => {
    const ran = own.filter(each => secondsOf(each) > 0);
    const span = Math.max(0, ...ran.map(each => each.ended)) - Math.min(...ran.map(each => each.begun), Infinity);
    return [
      project,
      own.length,
      own.reduce((sum, each) => sum + each.passed.length + each.failed.length, 0),
      ran.length === 0 ? 0 : Math.round(span / 1000),
      Math.round(own.reduce((sum, each) => sum + secondsOf(each), 0)),
    ];
  }),
);
printTable(
  ['slowest file', 'project', 'seconds'],
  files
    .toSorted((one, other) => secondsOf(other) - secondsOf(one))
    .slice(0, slowest)
    .map(each => [each.file, each.project, secondsOf(each).toFixed(1)]),
);

for (const { file, name, note } of all('notes')) console.log(`Note: ${file}: ${name}: ${note}`);
const again = all('again');
for (const { file, name, error } of again) console.log(`Passed at the second attempt: ${file}: ${name}\n${error}\n`);
const races = again.filter(each => !timed.includes(each.file)).length;
if (races > 0) console.log(`${races} of them may not: they count as failed. Such a test has a race.`);

const passed = all('passed').length - races;
const skipped = all('skipped').length;
const failed =
  all('failed').length +
  files.filter(each => each.isBroken).length +
  reports.reduce((sum, each) => sum + each.unhandled + (each.files.length === 0 ? 1 : 0), 0) +
  races;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 && skipped === 0 ? 0 : 1;

/** A report; empty when the run ended before it was written. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { files: [], unhandled: 0 };
  }
}

/** Prints columns: words to the left, numbers to the right. */
function printTable(head, rows) {
  const cells = [head, ...rows].map(row => row.map(String));
  const widths = head.map((_, at) => Math.max(...cells.map(row => row[at].length)));
  const isNumber = at => rows.every(row => /^[\d.]+$/.test(String(row[at])));
  for (const row of cells)
    console.log(row.map((cell, at) => (isNumber(at) ? cell.padStart(widths[at]) : cell.padEnd(widths[at]))).join('  '));
  console.log('');
}
