import { fileURLToPath } from 'node:url';

/** Where the pictures of the README and the documents are. */
export const pictures = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
