import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settings } from '../../../src/config/settings.ts';
import { read, root } from '../../support/docs/files.ts';

const readme = read('README.md');

test('the README has at most 120 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

test('the README shows ten settings with their defaults', () => {
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \| (.*?) \| .* \|$/gm)].map(row => [row[1], row[2]]);
  const known = new Map<string, string>(settings.map(each => [each.name, each.default]));
  expect(rows).toHaveLength(10);
  expect(rows.filter(([name = '', shown]) => shown !== (known.get(name) ? `\`${known.get(name)}\`` : '–'))).toEqual([]);
  expect(rows.filter(([name = '']) => !known.has(name))).toEqual([]);
});

test('every command that the documents name is a script of package.json', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  const documents = ['README.md', 'CONTRIBUTING.md', 'docs/operating.md', 'docs/performance.md'].map(read).join('\n');
  const named = [...documents.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(match => match[1] ?? '');
  expect(named).toContain('demo');
  expect([...new Set(named)].filter(name => !scripts.includes(name))).toEqual([]);
});

test('the architecture shows the tree as it is', () => {
  const tree = read('docs/architecture.md').split('```')[1] ?? '';
  const folders = (path: string) =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter(each => each.isDirectory())
      .map(each => `${each.name}/`);
  const shown = [...tree.matchAll(/^ {2,}([\w-]+\/) /gm)].map(match => match[1] ?? '');
  expect(shown.toSorted()).toEqual([...folders('src'), ...folders('src/service'), ...folders('src/bot')].toSorted());
});
