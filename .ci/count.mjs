import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/*
 * Adds up the reports of .ci/reporter.mjs, and holds them against .ci/budget.json, the price list. It prints the CPU seconds and the span of
 * each project, the dearest files, what tests note, and the tests that needed a second attempt. The last line is
 * `N passed, N failed`, with `, N skipped` where tests were. It exits with 1 unless every test ran and passed. These count as failed too: a
 * file that could not be loaded, an error outside any test, a report without any test, a test that needed a second attempt but for those of
 * files that measure real time, and a price that is too high:
 *
 * - a file at more than twice its price, or without a price;
 * - a project at more than 1.1 times its price.
 *
 * Prices are CPU seconds of a machine that does .ci/yardstick.mjs in `yardstick` seconds; YARDSTICK says how long this one takes.
 * `--write` makes the reports the new prices, in place of counting.
 */

const list = new URL('budget.json', import.meta.url);
/** These say how long people wait while the machine is kept busy (project attack), so they may need a second attempt. */
const timed = [
  'test/soak/attack/search.test.ts',
  'test/soak/chaos/outages.test.ts',
  'test/soak/hostile/fuzz.test.ts',
  'test/soak/hostile/hostile.test.ts',
];
/** No file is priced lower: below it, the first file of a worker pays for what it loads. */
const leastPrice = 1.5;
const dearest = 20;
/** Characters that are printed of an error. */
const mostOfError = 2000;

const isWriting = process.argv[2] === '--write';
const reports = process.argv.slice(isWriting ? 3 : 2).map(read);
const files = reports.flatMap(each => each.files);
const projects = Map.groupBy(files, each => each.project);
const yardstick = Number(process.env.YARDSTICK ?? Number.NaN);
const sum = numbers => numbers.reduce((all, each) => all + each, 0);
/** CPU seconds of a project, those of its servers among them. */
const priceOf = project => sum(projects.get(project).map(each => each.cpu)) + sum(reports.map(each => each.servers?.[project] ?? 0));

if (isWriting) write();
else count();

function count() {
  const all = name => files.flatMap(each => each[name].map(one => ({ file: each.file, ...(one.name ? one : { name: one }) })));
  const secondsOf = ({ begun, ended }) => (begun === undefined || ended === undefined ? 0 : (ended - begun) / 1000);
  printTable(
    ['project', 'files', 'tests', 'CPU s', 'seconds', 'seconds of its files'],
    [...projects].map(([project, own]) => {
      const ran = own.filter(each => secondsOf(each) > 0);
      const span = Math.max(0, ...ran.map(each => each.ended)) - Math.min(...ran.map(each => each.begun), Infinity);
      return [
        project,
        own.length,
        sum(own.map(each => each.passed.length + each.failed.length)),
        Math.round(priceOf(project)),
        ran.length === 0 ? 0 : Math.round(span / 1000),
        Math.round(sum(own.map(secondsOf))),
      ];
    }),
  );
  printTable(
    ['dearest file', 'project', 'CPU s', 'seconds'],
    files
      .toSorted((one, other) => other.cpu - one.cpu)
      .slice(0, dearest)
      .map(each => [each.file, each.project, each.cpu.toFixed(1), secondsOf(each).toFixed(1)]),
  );

  for (const { file, name, note } of all('notes')) console.log(`Note: ${file}: ${name}: ${note}`);
  const again = all('again');
  for (const { file, name, error } of again) console.log(`Passed at the second attempt: ${file}: ${name}\n${error}\n`);
  const races = again.filter(({ file }) => !timed.includes(file)).length;
  if (races > 0) console.log(`${races} tests that measure no time needed a second attempt. They count as failed.`);
  const tooDear = findTooDear();
  for (const each of tooDear) console.log(`Too dear: ${each}`);

  // The end of a long output is read first.
  for (const { file, name, error } of all('failed')) console.log(`Failed: ${file}: ${name}\n${error.slice(0, mostOfError)}\n`);
  for (const each of files.filter(({ isBroken }) => isBroken)) console.log(`Failed: ${each.file}`);

  const passed = all('passed').length - races;
  const skipped = all('skipped').length;
  const failed =
    all('failed').length +
    files.filter(each => each.isBroken).length +
    sum(reports.map(each => each.unhandled + (each.files.length === 0 ? 1 : 0))) +
    races +
    tooDear.length;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed === 0 && skipped === 0 ? 0 : 1;
}

/** What costs more than .ci/budget.json allows, in words. */
function findTooDear() {
  const { yardstick: usual, projects: ofProjects, files: ofFiles } = JSON.parse(readFileSync(list, 'utf8'));
  // A quick machine may be quick at the yardstick alone, so prices never fall.
  const pace = Number.isNaN(yardstick) ? 1 : Math.max(1, yardstick / usual);
  const words = (what, cpu, price) => `${what} took ${cpu.toFixed(1)} CPU seconds, and its price is ${(price * pace).toFixed(1)} on this machine.`;
  const dearFiles = files.flatMap(({ project, file, cpu }) => {
    const price = ofFiles[project]?.[file];
    if (price === undefined) return [`${file} has no price in the project ${project}: \`npm run prices\` writes it.`];
    return cpu > 2 * price * pace ? [words(`${file} (${project})`, cpu, price)] : [];
  });
  const dearProjects = [...projects.keys()].flatMap(project => {
    const price = ofProjects[project] ?? 0;
    return priceOf(project) > 1.1 * price * pace ? [words(`The project ${project}`, priceOf(project), price)] : [];
  });
  return [...dearFiles, ...dearProjects];
}

/** Makes the reports the new prices. A project that did not run keeps its own. */
function write() {
  const known = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : { projects: {}, files: {} };
  const upTo = (number, step) => Math.ceil(number / step) * step;
  const ofFiles = { ...known.files };
  const ofProjects = { ...known.projects };
  for (const [project, own] of projects) {
    const rows = own.map(({ file, cpu }) => [file, Math.max(leastPrice, Number(upTo(cpu, 0.5).toFixed(1)))]);
    ofFiles[project] = Object.fromEntries(rows.toSorted(([one], [other]) => (one < other ? -1 : 1)));
    ofProjects[project] = upTo(priceOf(project), 1);
  }
  writeFileSync(list, `${JSON.stringify({ yardstick, projects: ofProjects, files: ofFiles }, undefined, 2)}\n`);
}

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
