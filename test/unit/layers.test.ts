import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow } from '../support/docs/files.ts';
import { importsBelow, sources } from '../support/imports.ts';
import { benchSupports, benchTests, layerOf, layers, lintOverrides, tables, toLayered } from '../support/layers.ts';

const root = join(import.meta.dirname, '../..');
const files = [...sources, ...filesBelow('playground', /\.ts$/)].map(toLayered);
const allImports = ['src', 'playground'].flatMap(importsBelow);

/** Every import of ours, of types too. */
const imports = allImports
  .filter(each => each.specifier.startsWith('.'))
  .map(({ from, to }) => ({ from: toLayered(from), to: toLayered(to) }));

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

test('src imports nothing of the playground', () => {
  expect(importsBelow('src').filter(each => each.to.startsWith('playground/'))).toEqual([]);
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

test('bench imports all of src and playground, and of test what the table names; nothing but its own tests imports it', () => {
  const isIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`);
  const ofBench = importsBelow('bench').filter(each => each.specifier.startsWith('.'));
  const ofTests = importsBelow('test').filter(each => !isIn(benchTests)(each.from));
  const taken = ofBench.map(each => each.to).filter(path => path.startsWith('test/'));
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
