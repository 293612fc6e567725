import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** One file of ours importing something. */
export interface Import {
  /** Below the repository, as `src/app.ts`. */
  readonly from: string;
  /** As it is written. */
  readonly specifier: string;
  /** A file of ours below the repository, else the specifier. */
  readonly to: string;
  /** Gone at run time. */
  readonly typeOnly: boolean;
}

/** The files of src/, as `src/app.ts`. */
export const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts'))
  .map(path => posix.join('src', path.replaceAll('\\', '/')));

/** `import … from '…'`, `export … from '…'`, `import '…'`, `import('…')`, and `createRequire(import.meta.url)('…')`. */
const statements = [
  /^(?:import|export)\s+(type\b\s*)?(?:[^;'"]*?\bfrom\s*)?['"]([^'"]+)['"]/gm,
  /\b()import\(\s*['"]([^'"]+)['"]\s*\)/g,
  /\b()createRequire\(import\.meta\.url\)\(\s*['"]([^'"]+)['"]/g,
];

/** What the files of src/ import, types too. */
export const imports: readonly Import[] = sources.flatMap(from => {
  const text = readFileSync(join(root, from), 'utf8');
  return statements.flatMap(pattern =>
    [...text.matchAll(pattern)].map(({ 0: statement, 1: type, 2: specifier = '', index }) => ({
      from,
      specifier,
      to: specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier,
      // `import('…').Name` names a type.
      typeOnly: Boolean(type) || (/^import\(/.test(statement) && text[index + statement.length] === '.'),
    })),
  );
});
