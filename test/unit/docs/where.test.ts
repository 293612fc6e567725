import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../../support/docs/files.ts';

test('CONTRIBUTING.md says where twelve things are, and they are there', () => {
  const list = read('CONTRIBUTING.md').split('## Where is it?')[1]?.split('\n## ')[0] ?? '';
  const paths = [...list.matchAll(/^\| [^|]+ \| `(src\/[^`]+)` \|$/gm)].map(match => match[1] ?? '');
  expect(paths).toHaveLength(12);
  expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([]);
});

test('every path of the source that a document names is there', () => {
  const named = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/architecture.md', 'docs/operating.md'].flatMap(
    document => [...read(document).matchAll(/`((?:src|test|docs|grafana)\/[\w./-]+)`/g)].map(match => match[1] ?? ''),
  );
  expect(named.length).toBeGreaterThan(15);
  expect([...new Set(named)].filter(path => !existsSync(join(root, path)))).toEqual([]);
});
