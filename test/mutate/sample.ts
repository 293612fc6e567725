import { readFileSync } from 'node:fs';
import { Random } from '../soak/simulate/random.ts';

/** Draws `count` lines of code from files, always the same ones for a seed, in Stryker's form `file:line-line`. */
export function sampleLines(files: readonly string[], count: number, seed: number): string[] {
  const all = files.flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (isCode(line) ? [`${file}:${index + 1}-${index + 1}`] : [])),
  );
  const random = new Random(seed);
  return all
    .map(line => ({ line, rank: random.unit() }))
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, count)
    .map(({ line }) => line);
}

function isCode(line: string): boolean {
  return /\w/.test(line) && !/^\s*(\/\/|\/?\*|import |export \{)/.test(line);
}
