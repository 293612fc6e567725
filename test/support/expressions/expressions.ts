import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAst } from 'vitest/node';
import { root } from '../docs/files.ts';
import { below, type Node } from '../dust.ts';
import { lastLanding } from '../landings/landings.ts';

/** A regular expression of the code, and the file that has it, as `src/app.ts`. */
export interface Expression {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

/** The expressions that stand in a file's text. */
export function expressionsIn(path: string, text: string): readonly Expression[] {
  return below(parseAst(text, { lang: 'ts' }, path)).flatMap(node => {
    const { pattern, flags } = (node.regex ?? {}) as { readonly pattern?: string; readonly flags?: string };
    return pattern === undefined || flags === undefined ? [] : [{ path, source: pattern, flags }];
  });
}

/** Whether a function of a file makes expressions of text while it runs. */
export function makesExpressions(path: string, text: string): boolean {
  const isFunction = ({ type }: Node) => /Function/.test(type);
  const isMaking = (node: Node) =>
    node.type === 'NewExpression' && (node.callee as { name?: string }).name === 'RegExp';
  return below(parseAst(text, { lang: 'ts' }, path)).some(node => isFunction(node) && below(node.body).some(isMaking));
}

/** The expressions that the code makes of text: see main.ts. */
export async function madeExpressions(): Promise<readonly Expression[]> {
  const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout);
}

const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] });

/** The texts at the last landing of those files that changed since, by path; undefined when its commit is not in the history. */
export function changedSince(): ReadonlyMap<string, string> | undefined {
  try {
    const paths = git('diff', '--name-only', '--no-renames', lastLanding.commit, '--', 'src').split('\n');
    const there = new Set(git('ls-tree', '-r', '--name-only', lastLanding.commit, 'src').split('\n'));
    const textOf = (path: string) => (there.has(path) ? git('show', `${lastLanding.commit}:${path}`) : '');
    return new Map(paths.filter(path => path.endsWith('.ts')).map(path => [path, textOf(path)]));
  } catch {
    return undefined;
  }
}
