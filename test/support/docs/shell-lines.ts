import { read } from './files.ts';

/** The lines of all fenced `sh` blocks of a document, in order, without comments. */
export function shellLines(document: string): readonly string[] {
  const blocks = [...read(document).matchAll(/^( *)```sh\n(.*?)^\1```$/gms)].map(match => match[2] ?? '');
  return blocks
    .flatMap(block => block.split('\n'))
    .map(line => line.replace(/(^|\s)#\s.*$/, '').trim())
    .filter(line => line !== '');
}
