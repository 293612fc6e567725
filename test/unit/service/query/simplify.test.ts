import { expect, test } from 'vitest';
import { parseQuery } from '../../../../src/service/query/parse.ts';
import { simplify } from '../../../../src/service/query/where.ts';
import { printQuery } from '../../../support/query/print.ts';

test.each([
  ['role:a '.repeat(14) + 'user.email:b '.repeat(14), 'role:a user.email:b'],
  ['or(label:x label:x label:y) or(label:x label:y)', 'or(label:x label:y)'],
  ['-role:a not(role:a) role:a', '-role:a role:a'],
  ['field:a:b field:b:a field:a:b', 'field:a:b field:b:a'],
  ['title:a label:a a', 'title:a label:a'],
  ['', ''],
])('%j is looked for as %j', (query, simple) => {
  expect(printQuery(simplify(parseQuery(query)))).toBe(printQuery(parseQuery(simple)));
});
