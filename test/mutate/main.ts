import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { areas } from './areas.ts';
import { sampleLines } from './sample.ts';
import { toSurvivors } from './survivors.ts';

/*
 * Changes the code one token at a time and counts what the tests notice: `npm run mutate`, or for one folder or file
 * `npm run mutate -- src/bot/people`. `--sample 100 --seed 7` mutates a hundred lines drawn from them.
 */

const enough = 95;

const print = (text: string) => process.stdout.write(`${text}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '2' },
  },
});

/** Mutates one area with its own tests. */
async function mutate(folder: string, tests: readonly string[], files: readonly string[]): Promise<MutantResult[]> {
  process.env.MUTATE_TESTS = tests.join(' ');
  const lines =
    values.sample === undefined ? [...files] : sampleLines(files, Number(values.sample), Number(values.seed));
  const options: PartialStrykerOptions = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutate/vitest.config.ts', related: false },
    mutate: lines,
    concurrency: Number(values.concurrency),
    coverageAnalysis: 'perTest',
    ignoreStatic: false,
    reporters: ['progress-append-only'],
    // A mutant that never ends counts as noticed, and so does one that a busy machine lets wait as long as this.
    timeoutMS: 40_000,
    timeoutFactor: 3,
    tempDirName: '.stryker',
    // TypeScript 7 has no API with which Stryker could read this file, and nothing in it concerns a run.
    tsconfigFile: 'none',
    allowConsoleColors: false,
  };
  print(`${folder}: ${tests.join(', ')}`);
  return await new Stryker(options).runMutationTest();
}

const results: MutantResult[] = [];
for (const [folder, tests] of Object.entries(areas)) {
  const files = globSync(`${folder}/**/*.ts`)
    .toSorted()
    .filter(file => positionals.length === 0 || positionals.some(each => file.startsWith(each)));
  if (files.length > 0) results.push(...(await mutate(folder, tests, files)));
}

const counted = results.filter(each => !['Ignored', 'CompileError', 'RuntimeError', 'Pending'].includes(each.status));
const survivors = toSurvivors(counted);
const gaps = survivors.filter(each => each.why === undefined);
for (const { file, line, mutator, code, becomes } of gaps) {
  print(`\n${file}:${line} ${mutator}\n- ${code}\n+ ${becomes}`);
}
const noticed = counted.length - survivors.length;
const timedOut = counted.filter(each => each.status === 'Timeout').length;
const score = (100 * noticed) / Math.max(1, counted.length - (survivors.length - gaps.length));
print(
  `\n${counted.length} mutants: ${noticed} noticed (${timedOut} by running out of time), ${gaps.length} not noticed, ${survivors.length - gaps.length} explained. Score ${score.toFixed(1)} %.`,
);
process.exitCode = counted.length > 0 && score >= enough ? 0 : 1;
