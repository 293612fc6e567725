import { readFileSync } from 'node:fs';

/*
 * Adds up vitest's JSON reports, prints `N passed, N failed`, and exits with 1 unless every test ran and passed. A file that
 * could not be loaded counts as one failure, and so does a report without any test. Before that it names the tests that passed at
 * the second attempt alone, each with what its first attempt met: a race to be mended.
 */

let passed = 0;
let failed = 0;
let skipped = 0;
for (const file of process.argv.slice(2)) {
  const report = read(file);
  const files = report.testResults ?? [];
  const broken = files.filter(
    each => each.status === 'failed' && !each.assertionResults.some(test => test.status === 'failed'),
  );
  for (const { assertionResults, name } of files) {
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status !== 'passed' || failureMessages.length === 0) continue;
      console.log(`Passed at the second attempt: ${name}: ${fullName}\n${failureMessages[0]}\n`);
    }
  }
  passed += report.numPassedTests ?? 0;
  failed += (report.numFailedTests ?? 0) + broken.length + (files.length === 0 ? 1 : 0);
  skipped += (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
}
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 && skipped === 0 ? 0 : 1;

/** A report; empty when the run ended before it was written. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
