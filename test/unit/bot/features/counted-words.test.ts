import { expect, test } from 'vitest';
import { openVerbs } from '../../../support/verbs.ts';

test.each([
  ['/note 2 replicas added', 'note', '2 replicas added'],
  ['/note add 2 of 3 nodes answer', 'note', '2 of 3 nodes answer'],
  ['/note 2 % of the requests fail', 'note', '2 % of the requests fail'],
  ['/note 2, maybe 3 customers called', 'note', '2, maybe 3 customers called'],
  ['/task add 2 more replicas', 'task', '2 more replicas'],
  ['/task add 2 engineers to the call', 'task', '2 engineers to the call'],
  ['/incident update 2 nodes are back', 'note', '2 nodes are back'],
  ['/incident update 2 regions still fail', 'note', '2 regions still fail'],
  ['/incident say 2 to go', 'note', '2 to go'],
  ['/incident note 2 replicas added', 'note', '2 replicas added'],
])('in the room of incident 1, “%s” counts, although incident 2 exists', async (line, kind, text) => {
  const { type, alice, general, bodies, incident } = await openVerbs();
  await type('/incident declare Disk is full --now', alice, general);
  await type(line);
  const tasks = (await incident()).taskList.tasks.map(each => each.text);
  const found = kind === 'task' ? tasks : await bodies();
  expect(
    found.some(each => each.includes(text)),
    `${found}`,
  ).toBe(true);
  expect(await bodies('2')).toEqual([]);
});

test.each([
  '/note #2 replicas added',
  '/note INC-2 replicas added',
  '/task add INC-2 replicas',
  '/incident update #2 nodes are back',
])('“%s” names incident 2, and is asked about', async line => {
  const { type, alice, general, bodies } = await openVerbs();
  await type('/incident declare Disk is full --now', alice, general);
  expect(await type(line)).toContain('Do you mean incident 2, or is that part of the text?');
  expect([...(await bodies()), ...(await bodies('2'))]).toEqual([]);
});
