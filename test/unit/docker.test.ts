import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { imports, sources } from '../support/imports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const dockerfile = read('Dockerfile')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'));
const manifest: {
  dependencies: Record<string, string>;
  engines: { node: string };
  optionalDependencies: Record<string, string>;
} = JSON.parse(read('package.json'));

/** The specifiers that a file imports at run time. */
const importsOf = (file: string) =>
  imports.filter(each => each.from === file && !each.typeOnly).map(each => each.specifier);

const copied = dockerfile.flatMap(line => /^COPY (.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);

test('whatever src imports is a production dependency', () => {
  const packages = new Set(
    sources
      .flatMap(importsOf)
      .filter(each => !each.startsWith('.') && !each.startsWith('node:') && !builtinModules.includes(each))
      .map(each => each.split('/', each.startsWith('@') ? 2 : 1).join('/')),
  );
  expect(packages.size).toBeGreaterThan(8);
  expect([...packages].filter(each => !(each in manifest.dependencies))).toEqual([]);
});

test('src needs no file that the image does not copy', () => {
  const outside = sources.flatMap(file =>
    [...importsOf(file), ...[...read(file).matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g)].map(m => m[1] ?? '')]
      .filter(each => each.startsWith('.'))
      .map(each => relative(root, join(root, dirname(file), each)))
      .filter(path => !copied.some(each => path === each || path.startsWith(`${each}/`))),
  );
  expect(outside).toEqual([]);
});

test('the image: one stage on the Node that Muster needs, not root, production dependencies, a health check', () => {
  const stages = dockerfile.filter(line => line.startsWith('FROM '));
  expect(stages).toEqual([`FROM node:${manifest.engines.node.replace('>=', '')}-slim`]);
  expect(dockerfile).toContain('USER node');
  // The image has a Node, so it needs none of npm's.
  expect(dockerfile.join('\n')).toContain('npm ci --omit=dev --omit=optional --ignore-scripts');
  expect(Object.keys(manifest.optionalDependencies)).toEqual(['node']);
  expect(dockerfile).toContain('CMD ["node", "bin/muster.js", "start"]');
  expect(dockerfile.some(line => line.startsWith('HEALTHCHECK ') && line.includes('/healthz'))).toBe(true);
});

test('the image stops on the signal that Muster stops in order on', () => {
  expect(dockerfile).toContain('STOPSIGNAL SIGTERM');
});

test('what the image copies is let through', () => {
  const letThrough = read('.dockerignore')
    .split('\n')
    .filter(line => line.startsWith('!'))
    .map(line => line.slice(1));
  expect(copied.toSorted()).toEqual(letThrough.toSorted());
});
