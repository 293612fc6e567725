import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { documents, read, root } from '../../support/docs/files.ts';
import { layers, toLayered } from '../../support/layers.ts';

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

test('the README shows settings with their defaults as in docs/settings.md', () => {
  const rowsOf = (text: string) => [...text.matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)].map(row => row[0]);
  const all = rowsOf(read('docs/settings.md'));
  expect(rowsOf(readme).length).toBeGreaterThan(4);
  expect(rowsOf(readme).filter(row => !all.includes(row))).toEqual([]);
});

test('every command that the documents name is a script of package.json', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  const documents = ['README.md', 'CONTRIBUTING.md', 'docs/operating.md', 'docs/performance.md'].map(read).join('\n');
  const named = [...documents.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(match => match[1] ?? '');
  expect(named).toContain('demo');
  expect([...new Set(named)].filter(name => !scripts.includes(name))).toEqual([]);
});

/** The layers, without those within the stand-in for Slack. */
const shownLayers = Object.keys(layers).filter(layer => !layer.startsWith('playground/fake-slack/'));

/** The tree of docs/architecture.md. */
const tree = read('docs/architecture.md').split('```')[1] ?? '';

/** The folders of the tree with their paths, and the files, in its order. */
const shown = (() => {
  const trail: string[] = [];
  const paths = [...tree.matchAll(/^( *)([\w-]+)(\/|\.ts)(?: |$)/gm)].map(([, indent = '', name = '', ending = '']) => {
    trail.splice(indent.length / 2, trail.length, name);
    return `${trail.join('/')}${ending === '/' ? '' : ending}`;
  });
  return paths.filter(path => path !== 'src').map(toLayered);
})();

test('the architecture shows the tree as it is', () => {
  const folders = (path: string) =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter(each => each.isDirectory())
      .map(each => toLayered(posix.join(path, each.name)));
  // Of the playground it shows the layers; stories and the tour belong to the demo.
  const inPlayground = folders('playground').filter(each => each in layers);
  const all = [folders('src'), folders('src/service'), folders('src/bot'), 'playground', inPlayground].flat();
  const inner = shownLayers.filter(each => each.split('/').length > 2);
  const expected = [...all, ...inner, ...inner.map(each => posix.dirname(each))];
  expect(shown.filter(each => !each.endsWith('.ts')).toSorted()).toEqual([...new Set(expected)].toSorted());
});

test('the architecture shows the layers in the order of the table: each below those that it imports', () => {
  // A folder's own files stand below its subfolders.
  const byLayer = (entries: readonly string[]): readonly string[] => {
    const outer = entries.filter(each => !entries.some(other => each.startsWith(`${other}/`)));
    return outer.flatMap(each => [...byLayer(entries.filter(other => other.startsWith(`${each}/`))), each]);
  };
  const order = byLayer(shown).filter(each => each in layers);
  expect(order).toEqual(shownLayers);
});
