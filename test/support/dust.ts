import { dirname } from 'node:path';
import { parseAst } from 'vitest/node';
import { filesBelow, read } from './docs/files.ts';
import { type Import, importsBelow, sources } from './imports.ts';

/** How finely the code of `src/` is ground (docs/architecture.md, Rooms). Paths are those below the repository. */
export interface Dust {
  /** Files whose only importer stands in their folder, or in the one above or below it. */
  readonly halves: readonly string[];
  /** How many names `src/` exports. */
  readonly exports: number;
  /** Exported names that no other file imports, as `src/app.ts openMuster`. */
  readonly unused: readonly string[];
  /** Exported names that only tests import. */
  readonly forTests: readonly string[];
  /** How often a `Pick` or an `Omit` is written. */
  /** Interfaces and types. */
  readonly types: number;
  readonly picks: number;
  /** Functions of more than `largest` statements, those of the functions within them included, as `src/app.ts openMuster`. */
  readonly large: readonly string[];
}

/** A node of a syntax tree (ESTree). Its other members are its children. */
export interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Most statements of a function. */
const largest = 40;

/** All nodes of a tree, or of several. */
export function below(...values: readonly unknown[]): readonly Node[] {
  const open = [...values];
  const nodes: Node[] = [];
  while (open.length > 0) {
    const value = open.pop();
    if (value === null || typeof value !== 'object') continue;
    if ('type' in value && typeof value.type === 'string') nodes.push(value as Node);
    for (const child of Object.values(value)) if (typeof child === 'object') open.push(child);
  }
  return nodes;
}

/** The name of an identifier; `""` for anything else. */
export const nameOf = (value: unknown) => (value as { readonly name: string } | null)?.name ?? '';

/** The names that a declaration makes: those of a destructured constant are several. */
function declared({ declaration, specifiers }: Node): readonly string[] {
  const { id, declarations = [] } = (declaration ?? {}) as {
    readonly id?: unknown;
    readonly declarations?: readonly Node[];
  };
  const bound = declarations.flatMap(each =>
    below(each.id)
      .flatMap(node => (node.type === 'Property' ? nameOf(node.value) : []))
      .concat(nameOf(each.id)),
  );
  const handedOn = (specifiers as readonly Node[]).map(each => nameOf(each.exported));
  return [nameOf(id), ...bound, ...handedOn].filter(name => name !== '');
}

/** Counts the statements of each function: blocks and types are none. */
function findLarge(path: string, nodes: readonly Node[]): readonly string[] {
  const isStatement = ({ type }: Node) =>
    (/Statement$/.test(type) && type !== 'BlockStatement') || (/Declaration$/.test(type) && !type.startsWith('TS'));
  const functions = nodes.filter(each =>
    /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(each.type),
  );
  return functions
    .filter(each => below((each.body as Node).body).filter(isStatement).length > largest)
    .map(each =>
      `${path} ${nameOf(each.id) || nameOf(nodes.find(one => one.init === each || one.value === each)?.id)}`.trim(),
    );
}

/** Counts the dust of `src/`. Files of `playground/`, `bench/` and `test/` count as users of its exports. */
export function countDust(): Dust {
  const users = Map.groupBy(['src', 'playground', 'bench', 'test'].flatMap(importsBelow), each => each.to);
  const isTest = ({ from }: Import) => from.startsWith('test/');
  const isNear = (one: string, other: string) => one === other || dirname(one) === other || dirname(other) === one;
  const files = sources.map(path => ({
    path,
    nodes: below(parseAst(read(path), { lang: 'ts' }).body),
    users: users.get(path) ?? [],
  }));
  const names = files.flatMap(({ path, nodes, users: all }) =>
    nodes
      .filter(each => each.type === 'ExportNamedDeclaration')
      .flatMap(declared)
      .map(name => ({
        name: `${path} ${name}`,
        users: all.filter(({ names: some }) => some.includes(name) || some.includes('*')),
      })),
  );
  return {
    halves: files.flatMap(({ path, users: all }) => {
      const importers = new Set(all.filter(each => !isTest(each)).map(each => each.from));
      const [only = ''] = importers;
      const isLater = all.some(each => each.isLater);
      return importers.size === 1 && !isLater && isNear(dirname(only), dirname(path)) ? [path] : [];
    }),
    exports: names.length,
    unused: names.flatMap(each => (each.users.length === 0 ? [each.name] : [])),
    forTests: names.flatMap(each => (each.users.length > 0 && each.users.every(isTest) ? [each.name] : [])),
    types: files
      .flatMap(each => each.nodes)
      .filter(each => /^TS(?:Interface|TypeAlias)Declaration$/.test(each.type ?? '')).length,
    picks: files
      .flatMap(each => each.nodes)
      .filter(each => /^(?:Pick|Omit)$/.test(nameOf(each.typeName ?? each.expression)) && each.typeArguments).length,
    large: files.flatMap(({ path, nodes }) => findLarge(path, nodes)),
  };
}

/** The start of a function that sets a world up. */
const opener =
  /^(export )?(?:async function|function|const) ((?:open|create|start)[A-Z]\w*)(?:[(<]| = (?:async )?\()/gm;

/**
 * The functions that set a world up for tests: those that test/support offers, and those that a test file writes for itself, as
 * `test/stories/access.test.ts openAcme`.
 */
export function findOpeners(): readonly string[] {
  return filesBelow('test', /^test\/support\/.*\.ts$|\.test\.ts$/).flatMap(path =>
    [...read(path).matchAll(opener)].flatMap(([, isExported, name]) =>
      isExported || path.endsWith('.test.ts') ? [`${path} ${name}`] : [],
    ),
  );
}
