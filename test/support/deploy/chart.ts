import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { filesBelow, read } from '../docs/files.ts';

/** Values of a chart. */
export type Values = Readonly<Record<string, unknown>>;

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [member: string]: unknown;
}

const folder = 'deploy/chart';

/** The chart's values, as they stand in its file. */
export const defaults: Values = parse(read(join(folder, 'values.yaml')));

/**
 * What `helm template` makes of the chart. This reads only what the chart uses of Helm's language: `if`, `if not`, `else`, `end`,
 * a value, `quote` and `toJson`. It throws at anything else, so that the chart stays that plain.
 */
export function renderChart(given: Values = {}): string {
  const values = { ...defaults, ...given };
  return filesBelow(join(folder, 'templates'), /\.yaml$/)
    .map(path => renderTemplate(read(path), values))
    .map(text => text.trim())
    .join('\n---\n');
}

/** The objects of a file with several documents. Throws when one is no YAML. */
export function toManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map(document => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS();
  });
}

function renderTemplate(text: string, values: Values): string {
  const open: { isTaken: boolean }[] = [];
  let rendered = '';
  let from = 0;
  const take = (piece: string) => {
    if (open.every(each => each.isTaken)) rendered += piece;
  };
  for (const match of text.matchAll(/\{\{(-?) (.+?) (-?)\}\}/g)) {
    const [whole, trimsBefore, action = '', trimsAfter] = match;
    if (trimsAfter) throw new Error(`The chart does without “-}}”: ${whole}`);
    const piece = text.slice(from, match.index);
    take(trimsBefore ? piece.trimEnd() : piece);
    from = match.index + whole.length;
    const block = open.at(-1);
    const condition = /^if (not )?(\S+)$/.exec(action);
    if (condition) open.push({ isTaken: isTrue(lookUp(condition[2] ?? '', values)) !== (condition[1] !== undefined) });
    else if (action === 'else' && block) block.isTaken = !block.isTaken;
    else if (action === 'end' && block) open.pop();
    else take(evaluate(action, values));
  }
  if (open.length > 0) throw new Error('An “if” of the chart has no “end”.');
  take(text.slice(from));
  return rendered;
}

function evaluate(action: string, values: Values): string {
  const json = /^toJson (\S+)$/.exec(action);
  if (json) return JSON.stringify(lookUp(json[1] ?? '', values));
  const [path = '', quote, ...others] = action.split(' | ');
  if (others.length > 0 || (quote !== undefined && quote !== 'quote')) throw new Error(`The chart says “${action}”.`);
  const text = String(lookUp(path, values));
  return quote ? JSON.stringify(text) : text;
}

/** Throws when there is no such value, where Helm would write nothing. */
function lookUp(path: string, values: Values): unknown {
  const [root, ...names] = path.split('.').slice(1);
  let found: unknown = root === 'Values' ? values : undefined;
  for (const name of names) found = (found as Values | undefined)?.[name];
  if (found === undefined) throw new Error(`The chart asks for ${path}, which has no value.`);
  return found;
}

/** What Go's templates take for true. */
function isTrue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}
