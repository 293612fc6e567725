import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documents, read, root } from '../../support/docs/files.ts';

test('CONTRIBUTING.md says where things are, and they are there', () => {
  const list = read('CONTRIBUTING.md').split('## Where is it?')[1]?.split('\n## ')[0] ?? '';
  const paths = [...list.matchAll(/^\| [^|]+ \| `(src\/[^`]+)` \|$/gm)].map(match => match[1] ?? '');
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([]);
});

/** What the documents name in code, each once. */
function named(what: RegExp): string[] {
  return [...new Set(documents().flatMap(path => [...read(path).matchAll(what)].map(match => match[1] ?? '')))];
}

test('every path that a document names is there', () => {
  const inRoot = named(/`((?:src|playground|test|docs|grafana)\/[\w./-]+)`/g);
  const inSource = named(/`((?:bot|client|service|db|contract)\/[\w./-]+)`/g).map(path => `src/${path}`);
  expect(inRoot.length).toBeGreaterThan(15);
  expect(inSource.length).toBeGreaterThan(15);
  expect([...inRoot, ...inSource].filter(path => !existsSync(join(root, path)))).toEqual([]);
});
