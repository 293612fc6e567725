import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(fileURLToPath(import.meta.url), '../../../../src');

/** Folders of the service, lowest first; those of one line do not import each other. Files of its root come last. */
const layers = [
  ['store'],
  ['query'],
  ['call'],
  ['dashboards', 'incidents', 'webhooks'],
  ['pages'],
  ['http'],
  ['.'],
] as const;

/** What each folder of src/ imports besides itself, as far as this file answers for it. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  db: [],
  client: ['contract'],
  service: ['contract', 'db'],
  transfer: ['contract', 'db', 'client', 'service'],
  conformance: ['contract', 'client'],
};

const files = Object.keys(mayImport).flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path => posix.join(folder, path.replaceAll('\\', '/'))),
);

/** Every import of ours, of types too. */
const imports = files.flatMap(from => {
  const text = readFileSync(join(root, from), 'utf8');
  const found = text.matchAll(/^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gms);
  return [...found].map(match => ({ from, to: posix.join(posix.dirname(from), match[1] ?? match[2] ?? '') }));
});

function layerOf(path: string): { layer: number; folder: string } {
  const folder = path.split('/').length > 2 ? (path.split('/')[1] ?? '') : '.';
  return { layer: layers.findIndex(each => (each as readonly string[]).includes(folder)), folder };
}

test('each folder imports only those that it may, types too', () => {
  const strangers = imports.filter(({ from, to }) => {
    const [own = '', other = ''] = [from, to].map(path => path.split('/')[0]);
    return own !== other && !mayImport[own]?.includes(other);
  });
  expect(strangers).toEqual([]);
});

test('the service imports downwards only, types too', () => {
  const within = imports.filter(({ from, to }) => from.startsWith('service/') && to.startsWith('service/'));
  const upwards = within.filter(({ from, to }) => {
    const [own, other] = [layerOf(from), layerOf(to)];
    return own.folder !== other.folder && own.layer <= other.layer;
  });
  expect(upwards).toEqual([]);
  expect(within.every(({ from }) => layerOf(from).layer >= 0)).toBe(true);
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
