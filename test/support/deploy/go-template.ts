import { createHash } from 'node:crypto';

/**
 * What a chart uses of Go's text/template and of Helm's functions: `if`, `else if`, `else`, `range $name, $value :=`, `define`, comments,
 * pipelines, parentheses, and the functions below. Anything else is an error, so that the chart stays that plain.
 */

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly words: readonly string[] }
  | {
      readonly kind: 'if';
      readonly branches: readonly { readonly words: readonly string[]; readonly body: readonly Node[] }[];
    }
  | {
      readonly kind: 'range';
      readonly names: readonly [string, string];
      readonly words: readonly string[];
      readonly body: readonly Node[];
    };

interface Scope {
  readonly dot: unknown;
  readonly variables: ReadonlyMap<string, unknown>;
  readonly defined: Map<string, readonly Node[]>;
}

const word = /"(?:[^"\\]|\\.)*"|:=|[(),|]|\$?\w*(?:\.\w+)+|\$\w+|[$.]|\w+/g;

/** Renders templates together, each with what the others define. `dot` is what their `.` is. */
export function renderTemplates(texts: readonly string[], dot: unknown): readonly string[] {
  const defined = new Map<string, readonly Node[]>();
  const parsed = texts.map(text => parse(text, defined));
  return parsed.map(nodes => write(nodes, { dot, variables: new Map(), defined }));
}

/** A block that is not closed yet. */
interface Open {
  readonly words: readonly string[];
  readonly branches: { readonly words: readonly string[]; readonly body: Node[] }[];
}

function parse(text: string, defined: Map<string, readonly Node[]>): readonly Node[] {
  const top: Node[] = [];
  const open: Open[] = [];
  const body = () => open.at(-1)?.branches.at(-1)?.body ?? top;
  let from = 0;
  let trims = false;
  const take = (end: number, trimsEnd: boolean) => {
    const piece = text.slice(from, end);
    const begun = trims ? piece.trimStart() : piece;
    body().push({ kind: 'text', text: trimsEnd ? begun.trimEnd() : begun });
  };
  for (const match of text.matchAll(/\{\{(- )?\s*(\/\*.*?\*\/|.+?)\s*( -)?\}\}/gs)) {
    const [whole, before, action = '', after] = match;
    take(match.index, before !== undefined);
    from = match.index + whole.length;
    trims = after !== undefined;
    if (!action.startsWith('/*')) read(action.match(word) ?? [], whole);
  }
  if (open.length > 0) throw new Error('A block of the chart has no “end”.');
  take(text.length, false);
  return top;

  function read(words: readonly string[], whole: string): void {
    const [first = '', second, ...rest] = words;
    const last = open.at(-1);
    if (['if', 'range', 'define'].includes(first)) {
      open.push({ words, branches: [{ words: words.slice(1), body: [] }] });
    } else if (first === 'else') {
      if (last?.words[0] !== 'if') throw new Error(`No “if” stands before ${whole}`);
      last.branches.push({ words: second === 'if' ? rest : ['true'], body: [] });
    } else if (first === 'end') {
      open.pop();
      close(last, whole);
    } else {
      body().push({ kind: 'print', words });
    }
  }

  function close(block: Open | undefined, whole: string): void {
    const [branch] = block?.branches ?? [];
    if (!block || !branch) throw new Error(`Nothing is open before ${whole}`);
    const [kind = '', name = '', comma, other = '', sign, ...words] = block.words;
    if (kind === 'if') body().push({ kind, branches: block.branches });
    else if (kind === 'define') defined.set(JSON.parse(name), branch.body);
    else if (comma === ',' && sign === ':=')
      body().push({ kind: 'range', names: [name, other], words, body: branch.body });
    else throw new Error(`The chart does without such a range: ${block.words.join(' ')}`);
  }
}

function write(nodes: readonly Node[], scope: Scope): string {
  return nodes.map(node => writeOne(node, scope)).join('');
}

function writeOne(node: Node, scope: Scope): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'print':
      return toText(evaluate(node.words, scope));
    case 'if':
      return write(node.branches.find(each => isTrue(evaluate(each.words, scope)))?.body ?? [], scope);
    case 'range': {
      const entries = Object.entries((evaluate(node.words, scope) as object | null) ?? {}).toSorted(byName);
      const { body, names } = node;
      const within = ([name, value]: [string, unknown]) =>
        write(body, {
          ...scope,
          dot: value,
          variables: new Map([...scope.variables, [names[0], name], [names[1], value]]),
        });
      return entries.map(within).join('');
    }
  }
}

/** The value of a pipeline. What is left of a “|” is the last argument of what is right of it. */
function evaluate(words: readonly string[], scope: Scope): unknown {
  let piped: readonly unknown[] = [];
  for (const step of splitAt(words, '|')) piped = [call(step, piped, scope)];
  return piped[0];
}

function call(words: readonly string[], piped: readonly unknown[], scope: Scope): unknown {
  const [first = '', ...rest] = words;
  const name = /^[a-zA-Z]\w*$/.test(first) && first !== 'true' ? first : undefined;
  const values = toArguments(name === undefined ? words : rest, scope);
  if (name === undefined && values.length === 1 && piped.length === 0) return values[0];
  if (name === 'include') {
    const [template, dot] = [...values, ...piped];
    const body = scope.defined.get(String(template));
    if (!body) throw new Error(`The chart defines no ${String(template)}.`);
    return write(body, { ...scope, dot, variables: new Map() });
  }
  const run = functions[name ?? ''];
  if (!run) throw new Error(`The chart says “${words.join(' ')}”.`);
  return run(...values, ...piped);
}

function toArguments(words: readonly string[], scope: Scope): readonly unknown[] {
  const values: unknown[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const each = words[at] ?? '';
    if (each === '(') {
      const end = words.indexOf(')', at);
      values.push(evaluate(words.slice(at + 1, end), scope));
      at = end;
    } else values.push(toValue(each, scope));
  }
  return values;
}

function toValue(text: string, { dot, variables }: Scope): unknown {
  if (text.startsWith('"')) return JSON.parse(text);
  if (text === 'true') return true;
  if (/^\d+$/.test(text)) return Number(text);
  const [root = '', ...path] = text.split('.');
  if (text === '.') return dot;
  let found: unknown = root === '' ? dot : variables.get(root);
  if (root !== '' && !variables.has(root)) throw new Error(`The chart asks for ${text}, which it does not set.`);
  for (const name of path) {
    const inner: unknown = (found as Readonly<Record<string, unknown>> | null)?.[name];
    if (inner === undefined) throw new Error(`The chart asks for ${text}, which has no value.`);
    found = inner;
  }
  return found;
}

const functions: Readonly<Record<string, (...given: readonly unknown[]) => unknown>> = {
  quote: value => (value === null ? '' : JSON.stringify(toText(value))),
  toJson: value => toJson(value),
  sha256sum: value => createHash('sha256').update(toText(value)).digest('hex'),
  trunc: (length, value) => toText(value).slice(0, Number(length)),
  trimSuffix: (suffix, value) =>
    toText(value).endsWith(toText(suffix)) ? toText(value).slice(0, -toText(suffix).length) : toText(value),
  not: value => !isTrue(value),
  kindIs: (kind, value) => kind === toKind(value),
};

/** What Go prints of a value. It prints a large number of a values file, which is a float, as `1e+06`. */
function toText(value: unknown): string {
  if (typeof value === 'number' && Math.abs(value) >= 1e6) {
    return value.toExponential().replace(/e\+(\d)$/, 'e+0$1');
  }
  if (typeof value === 'object') throw new Error('The chart prints a list or a map as Go does, which is no YAML.');
  return String(value);
}

function toJson(value: unknown): string {
  const sorted = (_: string, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(byName))
      : each;
  return JSON.stringify(value, sorted).replace(/[<>&]/g, each => `\\u00${each.charCodeAt(0).toString(16)}`);
}

/** The kind of a value, as Helm reads it from YAML. */
function toKind(value: unknown): string {
  if (value === null) return 'invalid';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? 'slice' : 'map';
}

/** What Go's templates take for true. */
function isTrue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function splitAt(words: readonly string[], sign: string): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const each of words) {
    if (each === '(') depth += 1;
    if (each === ')') depth -= 1;
    if (each === sign && depth === 0) parts.push([]);
    else parts.at(-1)?.push(each);
  }
  return parts;
}
