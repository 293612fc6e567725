import { readFileSync } from 'node:fs';
import type { MutantResult } from '@stryker-mutator/api/core';
import { type Explained, explained } from './explained.ts';

/** A mutant that no test noticed. */
export interface Survivor {
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  readonly code: string;
  readonly becomes: string;
  readonly why: string | undefined;
}

/** The mutants that survived, each with its explanation when there is one. Files are relative to the working directory. */
export function toSurvivors(results: readonly MutantResult[]): Survivor[] {
  return results
    .filter(each => each.status === 'Survived' || each.status === 'NoCoverage')
    .map(each => {
      const file = each.fileName.replace(`${process.cwd()}/`, '');
      const code = cut(file, each.location);
      const becomes = each.replacement ?? '';
      const line = lineOf(file, each.location.start.line);
      const known = explained.find(one => fits(one, { file, line, code, becomes }));
      return { file, line: each.location.start.line, mutator: each.mutatorName, code, becomes, why: known?.why };
    });
}

function fits(one: Explained, mutant: Omit<Required<Explained>, 'why'>): boolean {
  return (
    one.file === mutant.file &&
    one.code === mutant.code &&
    (one.line ?? mutant.line) === mutant.line &&
    (one.becomes ?? mutant.becomes) === mutant.becomes
  );
}

function lineOf(file: string, number: number): string {
  return readFileSync(file, 'utf8').split('\n')[number - 1]?.trim() ?? '';
}

/** The text at a place; lines and columns count from 1 and 1, as Stryker reports them. */
function cut(file: string, { start, end }: MutantResult['location']): string {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column - 1);
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  return lines.join('\n');
}
