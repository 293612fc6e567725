import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { literalsOf } from '../../docs/literals.ts';

const root = new URL('../../../', import.meta.url);
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: root }).map(path => [path, readFileSync(new URL(path, root), 'utf8')] as const);

/** A sentence that more test files have stands in test/support/phrases.ts. */
const most = 12;
/** Words that tests type, or the names of buttons that they press. */
const typed = ['Checkout answers 500', 'Declare an incident', 'to the timeline of'];

test('a better sentence changes few tests', () => {
  const sentences = filesOf('src/bot/**/*.ts')
    .flatMap(([, code]) => literalsOf(code).flatMap(({ pieces }) => pieces))
    .map(each => each.trim())
    .filter(each => each.length >= 18 && / \w+ /.test(each) && !typed.includes(each));
  const tests = filesOf('test/{stories,unit,soak,browser}/**/*.ts').filter(
    ([path]) => !path.endsWith('pinned.test.ts'),
  );
  const pinned = [...new Set(sentences)].map(
    each => [each, tests.filter(([, code]) => code.includes(each)).map(([path]) => path)] as const,
  );
  expect(pinned.filter(([, paths]) => paths.length > most)).toEqual([]);
  expect(pinned.some(([, paths]) => paths.length > 2)).toBe(true);
});
