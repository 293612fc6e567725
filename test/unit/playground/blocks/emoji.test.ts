import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allEmoji, emojiOf } from '../../../../playground/page/blocks/emoji.ts';

const bot = join(import.meta.dirname, '../../../../src/bot');

test('the page has every emoji that the bot writes', () => {
  const sources = readdirSync(bot, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'));
  const written = sources.flatMap(path =>
    [...readFileSync(join(bot, path), 'utf8').matchAll(/(?<![\w:]):([a-z][a-z_]+[a-z]):(?![\w:])/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect(written).toContain('warning');
  // `:memory:` names a database.
  expect([...new Set(written)].filter(name => emojiOf(name) === undefined && name !== 'memory')).toEqual([]);
});

test('Slack’s names, gemoji’s names and skin tones are known, others are not', () => {
  expect(emojiOf('large_red_circle')).toBe('🔴');
  expect(emojiOf('white_check_mark')).toBe('✅');
  expect(emojiOf('wave::skin-tone-3')).toBe('👋🏼');
  expect(emojiOf('no_such_emoji')).toBeUndefined();
  expect(emojiOf('constructor')).toBeUndefined();
  expect(emojiOf('constructor::skin-tone-3')).toBeUndefined();
  expect(emojiOf('')).toBeUndefined();
});

test('a picker finds each name once', () => {
  const names = allEmoji().map(([name]) => name);
  expect(names.length).toBe(new Set(names).size);
  expect(names).toContain('large_red_circle');
});
