import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { features } from '../../../src/bot/features.ts';
import { literalsOf } from '../../docs/literals.ts';
import { writeWords } from '../../docs/words-page.ts';

test('test/words.md is what `npm run words` writes', async () => {
  const page = await writeWords();
  expect(readFileSync(new URL('../../words.md', import.meta.url), 'utf8')).toBe(page);
  // Each kind of change has an example of what it says.
  const kinds = features.flatMap(feature => feature.intents ?? []).map(each => each.kind);
  expect(kinds.filter(kind => !page.includes(`| \`${kind}\` |`))).toEqual([]);
  // Neither a value that nobody understands, nor a piece of code.
  expect(page).not.toMatch(/\[object|undefined|=>/);
});

test('the texts of code are found, those within texts too', () => {
  const code = [
    '// It’s no text',
    "const one = 'It\\'s one.';",
    "const all = `There are §{count === 1 ? 'one' : `§{count} of §{of}`} tasks.`; /* `no` */",
    "const sign = /[`'/]/.test(all);",
    "say('end');",
  ]
    .join('\n')
    .replaceAll('§', '$');
  const found = literalsOf(code).map(({ pieces, values }) => [pieces, values.map(each => each.replaceAll('$', '§'))]);
  expect(found).toEqual([
    [["It's one."], []],
    [['one'], []],
    [
      ['', ' of ', ''],
      ['count', 'of'],
    ],
    [['There are ', ' tasks.'], ["count === 1 ? 'one' : `§{count} of §{of}`"]],
    [['end'], []],
  ]);
});
