import { expect, test } from 'vitest';
import { lineWords } from '../../../../../src/bot/incident/lines/words.ts';
import type { LineTable } from '../../../../../src/bot/schema/lines.ts';

const line = (more: Partial<LineTable> = {}): LineTable => ({
  ...{ id: 'i1', incident_id: '7', seq: 1, actor: 'T1/U1', asked_at: 1_000, done_at: 2_000 },
  ...{ words: '<@U1> added task 1', is_alone: 0, undone_by: '', message: 'i1', begun_at: 2_000, ts: '' },
  ...{ act: 'i1', place: 'room', channel: 'C1', thread: '', audience: 'room', offers: '', is_urgent: 0 },
  ...{ is_said: 0, is_closed: 0, is_refused: 0, ...more },
});

test('each line stands in text and blocks', () => {
  const { text, blocks } = lineWords([line(), line({ words: '<@U1> finished task 1' })]);
  expect(text).toBe('<@U1> added task 1\n<@U1> finished task 1');
  expect(blocks).toEqual([{ type: 'context', elements: [{ type: 'mrkdwn', text }] }]);
});

test('a change that was done late says when it was asked for', () => {
  expect(lineWords([line({ done_at: 61_000 })]).text).toBe('<@U1> added task 1');
  expect(lineWords([line({ done_at: 61_001 })]).text).toMatch(/^<@U1> added task 1 · asked for <!date\^1\^/);
});

test('an undone change is marked with the person who undid it', () => {
  expect(lineWords([line({ undone_by: '<@U2>' })]).text).toBe(
    ':leftwards_arrow_with_hook: <@U2> took this back: <@U1> added task 1',
  );
});

test('lines that a message cannot hold are counted', () => {
  const { text } = lineWords(Array.from({ length: 100 }, () => line({ words: 'x'.repeat(99) })));
  expect(text.length).toBeLessThan(2900);
  expect(text).toMatch(/… and 72 more: `\/incident timeline changes` shows them\.$/);
});
