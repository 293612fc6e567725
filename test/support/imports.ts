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
  /** Gone at run time. */
  readonly typeOnly: boolean;
}

/** The files of src/, as `src/app.ts`. */
export const sources = filesBelow('src', /\.ts$/);

/** `import … from '…'`, `export … from '…'`, `import '…'`, `import('…')`, and `createRequire(import.meta.url)('…')`. */
const statements = [
  /^(?:import|export)\s+(type\b\s*)?(?:[^;'"]*?\bfrom\s*)?['"]([^'"]+)['"]/gm,
  /\b()import\(\s*['"]([^'"]+)['"]\s*\)/g,
  /\b()createRequire\(import\.meta\.url\)\(\s*['"]([^'"]+)['"]/g,
];

/** What the files of a folder import, types too. */
export function importsBelow(folder: string): readonly Import[] {
  return filesBelow(folder, /\.ts$/).flatMap(from => {
    const text = read(from);
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
}

/** What the files of src/ import, types too. */
export const imports = importsBelow('src');
