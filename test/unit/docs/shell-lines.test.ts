import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentedCommands } from '../../support/docs/commands.ts';
import { root } from '../../support/docs/files.ts';
import { shellLines } from '../../support/docs/shell-lines.ts';

const all = Object.entries(documentedCommands);

test.each(all)('each line of a shell block in %s is run by a test, or a reason says why not', (document, commands) => {
  expect(commands.map(each => each.line)).toEqual(shellLines(document));
});

test('the tests that run them, and those that reasons name, are there', () => {
  const named = all.flatMap(([, commands]) =>
    commands.flatMap(each => {
      if ('test' in each) return [`test/soak/readme/${each.test}`];
      return 'whyNot' in each ? [...each.whyNot.matchAll(/test\/[\w/.-]*\w/g)].map(match => match[0]) : [];
    }),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
});
