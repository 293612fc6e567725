import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

const texts = async ({ incident }: Pick<Awaited<ReturnType<typeof openVerbs>>, 'incident'>) =>
  (await incident()).taskList.tasks.map(
    ({ text, assignedUser }) => `${text}${assignedUser ? ` @${assignedUser.name}` : ''}`,
  );

test('several tasks are one answer with one Undo, which takes them all back unless somebody works on one', async () => {
  const opened = await openVerbs();
  const { type, press, last, publicLines, bob } = opened;
  expect(await type('/task add restart pooler\ncheck lag\ntell support @bob')).toContain('3 tasks added.');
  expect(last().text).toContain('restart pooler');
  expect((await publicLines()).join('\n')).toContain('@alice added 3 tasks:');
  const answer = last();
  await press(answer, 'Undo');
  expect(await texts(opened)).toEqual([]);
  expect((await publicLines()).join('\n')).toContain('@alice took this back');
  await type('/task add restart pooler\ncheck lag');
  const other = last();
  await type('/task start 5', bob);
  expect(await press(other, 'Undo')).toContain('somebody has changed task 5 since');
  expect(await texts(opened)).toHaveLength(2);
});

test('a form takes several lines too, and twenty-one are too many', async () => {
  const opened = await openVerbs();
  const { type, submit, press, last, alice } = opened;
  await type('/task list');
  await press(last(), 'Add task');
  await submit({ text: Array.from({ length: 21 }, (_, at) => `task ${at}`).join('\n') });
  expect(JSON.stringify(alice.view?.errors)).toContain('At most 20 tasks at once');
  await submit({ text: 'restart pooler\ncheck lag', assignee: opened.bob });
  expect(await texts(opened)).toEqual(['restart pooler @bob', 'check lag @bob']);
  expect(await type(`/task add ${Array.from({ length: 21 }, (_, at) => `task ${at}`).join('\n')}`)).toContain(
    'Nothing was added.',
  );
});

test.each(['1 and 2', '1, 2', '1 2', '1 & 2', '#1 and #2', '1! 2!'])('/task done %s marks both', async line => {
  const opened = await openVerbs();
  await opened.type('/task add restart pooler\ncheck lag\ntell support');
  await opened.type(`/task done ${line}`);
  expect((await opened.incident()).taskList.tasks.map(each => each.status)).toEqual(['done', 'done', 'todo']);
});
