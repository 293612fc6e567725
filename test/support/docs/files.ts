import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = join(dirnameOf(import.meta.url), '../../..');

function dirnameOf(url: string): string {
  return fileURLToPath(new URL('.', url));
}

/** The text of a file, by its path from the root of the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Paths from the root, with `/`, of the files below a folder whose names match. */
export function filesBelow(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(path => posix.join(folder, path.replaceAll('\\', '/')))
    .filter(path => name.test(path))
    .toSorted();
}

/** The documents that people read: those of the root, of `docs/` and of `test/`. */
export function documents(): string[] {
  const atRoot = readdirSync(root).filter(name => name.endsWith('.md'));
  return [...atRoot, ...filesBelow('docs', /\.md$/), 'test/faults.md', 'test/words.md'];
}
