import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { encodePeople, toAct } from '../../../support/peer-commands.ts';

const verbs = allVerbs(features);
const source = readFileSync('src/bot/grammar/find-verb.ts', 'utf8');
/** The example of each row of the tables, and what it comes to; `@` begins a line by mention. */
const examples = [...source.matchAll(/^ {2}\/\/ `([/@][^`]+)` → `([^`]+)`/gm)].map(([, line = '', act = '']) => ({
  line,
  act,
}));

test.each(examples)('the example of a way to a verb means what stands there: $line → $act', ({ line, act }) => {
  const [root = '', rest = ''] = line.slice(1).split(/ (.*)/s);
  const text = encodePeople(rest);
  expect(
    toAct(parseCommand(verbs, { root: root || 'mention', commandRoot: 'muster', channelPrefix: 'inc-', text })),
  ).toBe(act);
});

test('each row of the tables has an example', () => {
  const [, ...tables] = source.split(/^const (?:ways|sayings|sayingsAnywhere): /m);
  const rows = tables.flatMap(table => (table.split(/^\];/m)[0] ?? '').match(/^ {2}(?:\(.*=>.*|\w+,)$/gm) ?? []);
  expect(examples.length).toBe(rows.length);
  expect(rows.length).toBeGreaterThan(30);
});
