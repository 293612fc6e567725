import { expect, test } from 'vitest';
import { read } from '../../support/docs/files.ts';

const { version } = JSON.parse(read('package.json'));
const changelog = read('CHANGELOG.md');
const sections = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)(?: \(([0-9a-f]{8})\))?\n+(.*)/gm)];
const versions = sections.map(([, each = '']) => each);

test('the version of package.json is the newest section of the changelog, and each section has text', () => {
  expect(versions[0]).toBe(version);
  expect(changelog.match(/^## /gm)).toHaveLength(versions.length);
  expect(sections.filter(([, , , text = '']) => text === '' || text.startsWith('#')).map(([, each]) => each)).toEqual(
    [],
  );
});

test('each section of the changelog is an older version than the one above it', () => {
  const toNumber = (each: string) => each.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
  const numbers = versions.map(toNumber);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => other - one));
});

test('every file that names the version names this one', () => {
  const lock = JSON.parse(read('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  for (const path of [
    'deploy/README.md',
    'deploy/chart/values.yaml',
    'deploy/kubernetes/sqlite.yaml',
    'deploy/kubernetes/postgres.yaml',
  ]) {
    const named = [...read(path).matchAll(/muster:(\d+\.\d+\.\d+)/g)].map(match => match[1]);
    expect([path, [...new Set(named)]]).toEqual([path, [version]]);
  }
  expect(read('Dockerfile')).toContain(`org.opencontainers.image.version="${version}"`);
  const chart = read('deploy/chart/Chart.yaml');
  expect([...chart.matchAll(/^(?:appV|v)ersion: (.+)$/gm)].map(match => match[1])).toEqual([version, version]);
});
