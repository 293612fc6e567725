import { expect, test } from 'vitest';
import { http, rpcBase } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/define.ts';
import { read } from '../../support/docs/files.ts';

/** The paths that a file of the server answers, as they stand in it. */
function pathsIn(file: string, pattern: RegExp): string[] {
  return [...read(file).matchAll(pattern)].map(match => match[1] ?? '');
}

const firstPart = (path: string) => `/${path.split('/')[1] ?? ''}`;
const unique = (paths: readonly string[]) => [...new Set(paths)].toSorted();

/** What only this process's own people ask for, without a proxy. */
const direct = unique(pathsIn('src/operations/health.ts', /app\.get\('([^']+)'/g));
/** What Slack and Grafana call; each request is signed. */
const signed = unique(pathsIn('src/operations/routes.ts', /path === '([^']+)'/g));
/** What monitoring calls with a token, and pagers with a signature; the rest of the address is the name of the source. */
const shown = unique(pathsIn('src/operations/routes.ts', /path\.startsWith\('([^']+)'\)/g));
/** What people and programs inside ask for, by the first part of the path. */
const inside = unique(
  [
    ...Object.values<Record<string, Endpoint>>(http).flatMap(group => Object.values(group).map(each => each.path)),
    rpcBase('grafana-irm-app'),
    ...pathsIn('src/service/http/incoming-webhook.ts', /^ {2}'(\/[^']+)'/gm),
    ...pathsIn('src/service/pages/door.ts', /\bapp\.(?:get|post)\('(\/[^']*)'/g),
    ...pathsIn('src/service/pages/pages.ts', /(?:\b(?:get|fixed|free)\(|\bof \[|, |^ {2})'(\/[^'*]*)'/gm),
  ].map(firstPart),
);

/** The parts that the regular expression of an nginx file lets in from inside. */
function insideOfNginx(text: string): string[] {
  const [, folders = '', pages = ''] = /location ~ \^\S*?\/\(\(([\w|]+)\)\(\/\.\*\)\?\|([^)]+)\)\?\$/.exec(text) ?? [];
  return unique(
    ['/', ...folders.split('|'), ...pages.replaceAll('\\', '').split('|')].map(each => `/${each}`.replace('//', '/')),
  );
}

test('the server answers in these three groups of paths', () => {
  expect(direct).toContain('/metrics');
  expect(signed).toEqual(['/hooks/incident', '/slack/events']);
  expect(shown).toEqual(['/hooks/alerts/', '/hooks/pages/']);
  expect(inside.length).toBeGreaterThan(8);
});

test.each([
  ['nginx.conf', ''],
  ['nginx-prefix.conf', '/muster'],
])('%s lets through what the server answers', (file, prefix) => {
  const text = read(`deploy/proxy/${file}`);
  const exact = [...text.matchAll(/location = (\S+)/g)].map(match => match[1] ?? '');
  expect(exact.toSorted()).toEqual(signed.map(path => `${prefix}${path}`));
  const begun = [...text.matchAll(/location \^~ (\S+)/g)].map(match => match[1] ?? '');
  expect(begun).toEqual(shown.map(path => `${prefix}${path}`));
  expect(insideOfNginx(text)).toEqual(inside);
});

test('the Caddyfile lets through what the server answers', () => {
  const text = read('deploy/proxy/Caddyfile');
  const listOf = (name: string) => new RegExp(`@${name} path (.+)`).exec(text)?.[1]?.split(' ') ?? [];
  expect(listOf('public').toSorted()).toEqual(unique([...signed, ...shown.map(path => `${path}*`)]));
  expect(unique(listOf('pages').map(firstPart))).toEqual(inside);
});

test('docs/operating.md says who is let in to which path', () => {
  const rows = [...read('docs/operating.md').matchAll(/^\| (`\/.+?) \| .+ \| (everybody|inside|nobody) \|$/gm)];
  const letIn = (who: string) =>
    unique(
      rows
        .filter(row => row[2] === who)
        .flatMap(row => [...(row[1] ?? '').matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '')),
    );
  expect(letIn('everybody')).toEqual(unique([...signed, ...shown]));
  expect(unique(letIn('inside').map(firstPart))).toEqual(inside);
  expect(letIn('nobody')).toEqual(direct);
});
