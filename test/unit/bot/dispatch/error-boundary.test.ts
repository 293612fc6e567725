import { expect, test } from 'vitest';
import { answerError } from '../../../../src/bot/dispatch/dispatcher.ts';
import { openLog } from '../../../../src/operations/log.ts';

test.each([
  ['SQLite', Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })],
  ['Postgres', Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })],
  ['the file system', Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' })],
])('a person whose words a full disk refuses reads that it is full: %s', async (_, error) => {
  const said: string[] = [];
  const ctx = {
    draft: undefined,
    log: openLog('silent'),
    answer: async (words: { text: string }) => void said.push(words.text),
  };
  await answerError(ctx as unknown as Parameters<typeof answerError>[0], error);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('The disk of Muster’s database is full');
  expect(said[0]).toContain('make room');
});
