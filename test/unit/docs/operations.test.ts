import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allOperations, wayWords } from '../../docs/operations-page.ts';

const bot = fileURLToPath(new URL('../../../src/bot/', import.meta.url));
const code = readdirSync(bot, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts'))
  .map(path => readFileSync(join(bot, path), 'utf8'))
  .join('\n');

test('every operation of the contract has one way from Slack that is there, or a reason says why not; the bot calls it', () => {
  const all = allOperations().map(({ name }) => ({ name, way: wayWords(name) }));
  expect(all.length).toBeGreaterThan(40);
  const reached = all.filter(({ way }) => way.startsWith('`/'));
  expect(reached.length).toBeGreaterThan(38);
  for (const { way } of reached) expect(way.match(/`\//g)).toHaveLength(1);
  const methods = reached.map(({ name }) => name.split('.')[1] ?? '');
  expect(methods.filter(method => !code.includes(method))).toEqual([]);
  for (const { way } of all.filter(each => !reached.includes(each))) expect(way).toMatch(/\.$/);
});
