import { expect, test } from 'vitest';
import { openVerbs, shareVerbs } from '../../../../support/verbs.ts';

const texts = async ({ incident }: Pick<Awaited<ReturnType<typeof openVerbs>>, 'incident'>) =>
  (await incident()).taskList.tasks.map(
    ({ text, assignedUser }) => `${text}${assignedUser ? ` @${assignedUser.name}` : ''}`,
  );

/** What people type behind `/task add`, and the tasks that they mean. */
const typed = [
  ['restart pooler\ncheck lag\ntell support', ['restart pooler', 'check lag', 'tell support']],
  ['- restart pooler\n- check lag', ['restart pooler', 'check lag']],
  ['• restart pooler\n• check lag', ['restart pooler', 'check lag']],
  ['* restart pooler\n* check lag', ['restart pooler', 'check lag']],
  ['1. restart pooler\n2. check lag', ['restart pooler', 'check lag']],
  ['1) restart pooler\n\n2) check lag', ['restart pooler', 'check lag']],
  ['[ ] restart pooler\n[x] check lag', ['restart pooler', 'check lag']],
  ['DB:\n- restart pooler\n- check lag', ['DB: restart pooler', 'DB: check lag']],
  ['- restart pooler\n  on db2\n- check lag', ['restart pooler on db2', 'check lag']],
  [
    'restart pooler @bob\n@alice check lag\ntell @bob about it',
    ['restart pooler @bob', 'check lag @alice', 'tell @bob about it'],
  ],
  ['2 replicas are down: restart\n3 more tomorrow', ['2 replicas are down: restart', '3 more tomorrow']],
  ['restart pooler', ['restart pooler']],
  ['restart pooler\n', ['restart pooler']],
  ['“restart pooler\nand check lag”', ['restart pooler\nand check lag']],
  ['"restart pooler\nand check lag"', ['restart pooler\nand check lag']],
  ['> the pooler is full\nrestart it', ['> the pooler is full\nrestart it']],
  ['restart it, since\n> the pooler is full', ['restart it, since\n> the pooler is full']],
  ['run\n```\nrestart pooler\n```', ['run\n```\nrestart pooler\n```']],
  ['restart pooler\n  and check lag', ['restart pooler\n  and check lag']],
] as const;

const room = shareVerbs();

test.each(typed)('“%s” is one task for each line, one answer and one line of the room', async (line, wanted) => {
  const { type, place, alice, home, publicLines } = room();
  const answers = () => place.messages(alice, home.id).length;
  const [known, read, told] = [(await texts(room())).length, answers(), (await publicLines()).length];
  await type(`/task add ${line}`);
  expect((await texts(room())).slice(known)).toEqual(wanted);
  expect([answers() - read, (await publicLines()).length - told]).toEqual([1, 1]);
});

test('several tasks are one answer with one Undo, which takes them all back unless somebody works on one', async () => {
  const opened = await openVerbs();
  const { type, press, last, publicLines, bob } = opened;
  expect(await type('/task add restart pooler\ncheck lag\ntell support @bob')).toContain(
    'You added 3 tasks to incident 1:',
  );
  expect(last().text).toContain('restart pooler');
  expect((await publicLines()).join('\n')).toContain('@alice added 3 tasks to the incident:');
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
