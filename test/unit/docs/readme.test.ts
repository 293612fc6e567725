import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documents, read, root } from '../../support/docs/files.ts';
import { layers } from '../../support/layers.ts';

const readme = read('README.md');

test('the README has at most 120 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

test('the README says how to try Muster and how to run its tests, each as one line to copy', () => {
  for (const command of ['npm ci && npm run demo', 'npm ci && npm test']) {
    expect(readme).toContain(`\`\`\`sh\n${command}\n\`\`\``);
  }
});

test.each(documents())('no setting in a code block of %s has a comment behind its value', path => {
  const blocks = read(path).match(/^ *```.*?^ *```/gms) ?? [];
  expect(blocks.flatMap(block => block.match(/^\s*[A-Z_]+=.*\s#.*$/gm) ?? [])).toEqual([]);
});

test('the README shows ten settings, with their defaults as in docs/settings.md', () => {
  const rowsOf = (text: string) => [...text.matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)].map(row => row[0]);
  const all = rowsOf(read('docs/settings.md'));
  expect(rowsOf(readme)).toHaveLength(10);
  expect(rowsOf(readme).filter(row => !all.includes(row))).toEqual([]);
});

test('every command that the documents name is a script of package.json', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  const documents = ['README.md', 'CONTRIBUTING.md', 'docs/operating.md', 'docs/performance.md'].map(read).join('\n');
  const named = [...documents.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(match => match[1] ?? '');
  expect(named).toContain('demo');
  expect([...new Set(named)].filter(name => !scripts.includes(name))).toEqual([]);
});

/** The tree of docs/architecture.md. */
const tree = read('docs/architecture.md').split('```')[1] ?? '';

test('the architecture shows the tree as it is', () => {
  const folders = (path: string) =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter(each => each.isDirectory())
      .map(each => `${each.name}/`);
  const shown = [...tree.matchAll(/^ {2,}([\w-]+\/) /gm)].map(match => match[1] ?? '');
  // Of the playground it shows the layers; stories and the tour belong to the demo.
  const inPlayground = folders('src/playground').filter(each => `playground/${each.slice(0, -1)}` in layers);
  const all = [folders('src'), folders('src/service'), folders('src/bot'), inPlayground].flat();
  expect(shown.toSorted()).toEqual(all.toSorted());
});

test('the architecture shows the layers in the order of the table: each below those that it imports', () => {
  const lines = [...tree.matchAll(/^( {2,})([\w-]+)(?:\/|(\.ts)) /gm)];
  let top = '';
  const shown = lines.flatMap(([, indent = '', name = '', ending = ''], at) => {
    const isInner = indent.length > 2;
    if (!isInner) top = name;
    const isOuterNext = lines[at + 1]?.[1]?.length !== 4;
    // A folder's own files stand below its subfolders.
    return [...(isInner ? [`${top}/${name}`] : []), ...(isOuterNext ? [`${top}${ending}`] : [])];
  });
  expect(shown).toEqual(Object.keys(layers).filter(layer => !layer.startsWith('fake-slack/')));
});
