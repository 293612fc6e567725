import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, read, root } from '../../support/docs/files.ts';

const entries = [...read('docs/glossary.md').matchAll(/^\| ([^|]+) \| ([^|]+) \| `([^`]+)` \|$/gm)].map(match => ({
  word: match[1] ?? '',
  meaning: match[2] ?? '',
  where: `src/${match[3]}`,
}));

/** Letters only, so that `consequence` is found in `consequences`, and `provisional id` in `provisionalID`. */
function toLetters(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '');
}

test('the glossary has at most thirty words, each once', () => {
  const words = entries.map(each => each.word);
  expect(words.length).toBeGreaterThan(20);
  expect(words.length).toBeLessThanOrEqual(30);
  expect(words).toEqual([...new Set(words)]);
});

test.each(entries)('"$word" is used in $where', ({ word, where }) => {
  expect(existsSync(join(root, where)), `${where} exists`).toBe(true);
  const files = statSync(join(root, where)).isDirectory() ? filesBelow(where, /\.ts$/) : [where];
  expect(files.some(path => toLetters(path + read(path)).includes(toLetters(word)))).toBe(true);
});
