import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../../src/fake-slack');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts'))
  .map(path => path.replaceAll('\\', '/'));
const imports = sources.flatMap(from =>
  [...readFileSync(join(root, from), 'utf8').matchAll(/\bfrom '(\.[^']+)'/g)].map(([, specifier = '']) => ({
    from,
    to: posix.join(posix.dirname(from), specifier),
  })),
);

/** Folders and the files above them, lowest first. */
const layers = [
  'protocol',
  'block-kit',
  'workspace',
  'render',
  'to-app',
  'web-api',
  'people',
  'interface.ts',
  'assembly.ts',
  'fake-slack.ts',
];
const layerOf = (path: string) => layers.indexOf(path.split('/')[0] ?? '');

test('the folders of the fake Slack are layers, types included', () => {
  expect(sources.filter(path => layerOf(path) < 0)).toEqual([]);
  expect(imports.filter(({ to }) => to.startsWith('..'))).toEqual([]);
  expect(imports.filter(({ from, to }) => layerOf(to) > layerOf(from))).toEqual([]);
});

test('files within a folder import each other in one direction, types included', () => {
  const circles = sources.flatMap(start => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      for (const { from, to } of imports) {
        if (from !== path || reached.has(to)) continue;
        reached.add(to);
        visit(to);
      }
    };
    visit(start);
    return reached.has(start) ? [start] : [];
  });
  expect(circles).toEqual([]);
});
