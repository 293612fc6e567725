import { expect, test } from 'vitest';
import { openVerbs, shareVerbs } from '../../../../support/verbs.ts';

const typed: readonly (readonly [line: string, done: readonly number[]])[] = [
  ['1 and 2', [1, 2]],
  ['1!', [1]],
  ['#1, #2', [1, 2]],
  ['#2.', [2]],
  ['1, 2 and 3', [1, 2, 3]],
  ['1 & 3', [1, 3]],
  ['1!, 2!', [1, 2]],
  ['2!!', [2]],
  ['1 2', [1, 2]],
  ['', []],
];

const room = shareVerbs({}, async ({ type }) => {
  for (const text of ['One', 'Two', 'Three']) await type(`/task add ${text}`);
});

test.each(typed)('/task done %s', async (line, done) => {
  const { type, incident } = room();
  await type(`/task done ${line}`.trim());
  const { tasks } = (await incident()).taskList;
  expect(tasks.flatMap((task, at) => (task.status === 'done' ? [at + 1] : []))).toEqual(done);
  if (done.length > 0) await type(`/task reopen ${done.join(' ')}`);
});

test('/task done alone means the one task that is open, says so, and can be taken back', async () => {
  const { type, press, last, incident } = await openVerbs();
  await type('/task add One');
  await type('/task add Two');
  await type('/task done 1');
  const answer = await type('/task done');
  expect(answer).toContain('You finished task 2: “Two”.');
  await press(last(), 'Undo');
  expect((await incident()).taskList.tasks.map(task => task.status)).toEqual(['done', 'todo']);
  await type('/task done 2');
  expect(await type('/task done'), 'none is open').toContain('Say which task');
});
