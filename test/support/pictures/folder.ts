import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the pictures of the README and the documents are. */
export const pictures = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));

/** The words that each picture shows, under its name. */
export const trees = join(pictures, 'shown.txt');

/** The file of {@link trees}. */
export function toTreesFile(shown: ReadonlyMap<string, string>): string {
  return [...shown].map(([name, tree]) => `# ${name}\n\n${tree}\n`).join('\n');
}
