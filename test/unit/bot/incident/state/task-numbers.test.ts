import { expect, test } from 'vitest';
import { createTaskNumbers } from '../../../../../src/bot/incident/state/task-numbers.ts';
import { makeFresh, openBotDatabase } from '../../../../support/fresh-database.ts';

const now = new Date('2026-03-02T14:00:00Z');
const task = (taskID: string, minute = 0) => ({ taskID, createdTime: `2026-03-02T14:0${minute}:00Z` });

async function openReplicas() {
  const url = await makeFresh();
  const open = async () => createTaskNumbers(await openBotDatabase(now, url));
  return { anne: await open(), bert: await open() };
}

test('tasks are numbered as they were added, and no number is used again', async () => {
  const { anne } = await openReplicas();
  const of = async (...tasks: ReturnType<typeof task>[]) => {
    const numbers = await anne.of('1', tasks);
    return tasks.map(each => `${each.taskID}${numbers.get(each.taskID)}`);
  };
  expect(await of(task('b', 2), task('a', 1))).toEqual(['b2', 'a1']);
  expect(await of(task('b', 2))).toEqual(['b2']);
  expect(await of(task('c', 3))).toEqual(['c3']);
  expect(await of(task('d', 4), task('b', 2))).toEqual(['d4', 'b2']);
  await anne.inherit('1', 'e', 1);
  expect(await of(task('e', 5), task('f', 6))).toEqual(['e1', 'f5']);
  expect((await anne.of('2', [task('a')])).get('a')).toBe(1);
});

test('two processes that see new tasks at once give each its number', async () => {
  const { anne, bert } = await openReplicas();
  const tasks = [task('a', 1), task('b', 2), task('c', 3)];
  const [one, other] = await Promise.all([anne.of('1', tasks), bert.of('1', tasks)]);
  expect([...one].toSorted()).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  expect([...other].toSorted()).toEqual([...one].toSorted());
});
