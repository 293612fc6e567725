import { posix } from 'node:path';
import { filesBelow, read } from './docs/files.ts';

/** One file of ours importing something. */
export interface Import {
  /** Below the repository, as `src/app.ts`. */
  readonly from: string;
  /** As it is written. */
  readonly specifier: string;
  /** A file of ours below the repository, else the specifier. */
  readonly to: string;
  /** What it takes: the exported names, and `*` for all. */
  readonly names: readonly string[];
  /** Loaded when it is needed, with `import('…')`. */
  readonly isLater: boolean;
  /** Gone at run time. */
  readonly typeOnly: boolean;
}

/** The files of src/, as `src/app.ts`. */
export const sources = filesBelow('src', /\.ts$/);

/** `import … from '…'`, `export … from '…'`, `import '…'`, `import('…')`, and `createRequire(import.meta.url)('…')`. */
const statements = [
  /^(?:import|export)\s+(type\b\s*)?(?:([^;'"]*?)\bfrom\s*)?['"]([^'"]+)['"]/gm,
  /\b()()import\(\s*['"]([^'"]+)['"]\s*\)/g,
  /\b()()createRequire\(import\.meta\.url\)\(\s*['"]([^'"]+)['"]/g,
];

/** The names that a statement takes, whose clause stands between `import` and `from`. A file that is loaded later gives any that occurs. */
function namesIn(statement: string, clause: string, text: string, after: string): readonly string[] {
  if (/\(/.test(statement)) return after.match(/^\.([A-Z]\w*)/)?.slice(1) ?? text.match(/\b[A-Za-z_]\w*/g) ?? [];
  const [, namespace] = clause.match(/\*\s+as\s+(\w+)/) ?? [];
  if (namespace === undefined)
    return clause
      .replaceAll(/[{}]/g, '')
      .split(',')
      .map(
        each =>
          each
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0] ?? '',
      );
  const uses = text.replace(statement, '').matchAll(new RegExp(`\\b${namespace}\\b(?:\\.(\\w+))?`, 'g'));
  return [...uses].map(([, name]) => name ?? '*');
}

/** What the files of a folder import, types too. */
export function importsBelow(folder: string): readonly Import[] {
  return filesBelow(folder, /\.ts$/).flatMap(from => {
    const text = read(from);
    return statements.flatMap(pattern =>
      [...text.matchAll(pattern)].map(({ 0: statement, 1: type, 2: clause = '', 3: specifier = '', index }) => ({
        from,
        specifier,
        to: specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier,
        names: namesIn(statement, clause, text, text.slice(index + statement.length, index + statement.length + 60)),
        isLater: /^import\(/.test(statement) && text[index + statement.length] !== '.',
        // `import('…').Name` names a type.
        typeOnly: Boolean(type) || (/^import\(/.test(statement) && text[index + statement.length] === '.'),
      })),
    );
  });
}

/** What the files of src/ import, types too. */
export const imports = importsBelow('src');
