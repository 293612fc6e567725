import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { imports as allImports, importsBelow, sources } from '../support/imports.ts';
import { benchSupports, benchTests, layerOf, layers, lintOverrides, tables } from '../support/layers.ts';

const root = join(import.meta.dirname, '../..');
const files = sources.map(path => posix.relative('src', path));

/** Every import of ours, of types too. */
const imports = allImports
  .filter(each => each.specifier.startsWith('.'))
  .map(({ from, to }) => ({ from: posix.relative('src', from), to: posix.relative('src', to) }));

test('every file belongs to a layer, and every layer has files', () => {
  expect(files.filter(path => layerOf(path) === undefined && !tables.includes(path))).toEqual([]);
  expect(Object.keys(layers).filter(layer => !files.some(path => layerOf(path) === layer))).toEqual([]);
});

test('each layer imports only those that it may, types too', () => {
  const strangers = imports.filter(({ from, to }) => {
    const [own = '', other = ''] = [layerOf(from), layerOf(to)];
    return own !== other && !tables.includes(to) && !layers[own]?.includes(other);
  });
  expect(strangers).toEqual([]);
});

test('a table of numbers imports nothing', () => {
  expect(imports.filter(({ from }) => tables.includes(from))).toEqual([]);
  expect(tables.filter(table => !files.includes(table))).toEqual([]);
});

test('the table has no circle: a layer stands below those that import it', () => {
  const order = Object.keys(layers);
  for (const [layer, allowed] of Object.entries(layers)) {
    for (const each of allowed) expect(order.indexOf(each), `${layer} → ${each}`).toBeLessThan(order.indexOf(layer));
  }
});

test('no imports make a circle, types too', () => {
  const next = Map.groupBy(imports, each => each.from);
  const done = new Set<string>();
  const circleFrom = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail, path];
    if (done.has(path)) return undefined;
    for (const { to } of next.get(path) ?? []) {
      const circle = circleFrom(to, [...trail, path]);
      if (circle) return circle;
    }
    done.add(path);
    return undefined;
  };
  expect(files.map(path => circleFrom(path, [])).find(circle => circle !== undefined)).toBeUndefined();
});

test('bench imports all of src, and of test what the table names; src and test import nothing of it, but for its own tests', () => {
  const isIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`);
  const ofBench = importsBelow('bench').filter(each => each.specifier.startsWith('.'));
  const ofTests = importsBelow('test').filter(each => !isIn(benchTests)(each.from));
  const taken = ofBench.map(each => each.to).filter(path => !isIn('src')(path) && !isIn('bench')(path));
  expect([...new Set(taken)].toSorted()).toEqual(benchSupports);
  expect([...allImports, ...ofTests].filter(each => isIn('bench')(each.to))).toEqual([]);
  // A file that bench alone needs stands in bench.
  expect(benchSupports.filter(path => !ofTests.some(each => each.to === path))).toEqual([]);
});

test('the lint rule says the same; `npm run layers` writes it', () => {
  const { overrides } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  const rules = overrides.filter((each: object) => JSON.stringify(each).includes('noRestrictedImports'));
  expect(rules).toEqual(lintOverrides());
});
