import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allOperations, waysTo, wayWords, whyNotReached } from '../../docs/operations-page.ts';

const bot = fileURLToPath(new URL('../../../src/bot/', import.meta.url));
const code = readdirSync(bot, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts'))
  .map(path => readFileSync(join(bot, path), 'utf8'))
  .join('\n');

test('every operation of the contract is reached from Slack, or a reason says why not', () => {
  const names = allOperations().map(each => each.name);
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter(name => waysTo(name).length > 0 === (whyNotReached(name) !== ''))).toEqual([]);
});

test('the ways that features name are there', () => {
  const ways = allOperations().flatMap(({ name }) => waysTo(name));
  expect(ways.filter(way => wayWords(way) === undefined)).toEqual([]);
});

test('the bot calls each operation that a feature names', () => {
  const called = allOperations().filter(({ name }) => waysTo(name).length > 0);
  expect(called.map(({ name }) => name.split('.')[1] ?? '').filter(method => !code.includes(method))).toEqual([]);
});
