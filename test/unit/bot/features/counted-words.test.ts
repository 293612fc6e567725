import { expect, test } from 'vitest';
import { shareVerbs } from '../../../support/verbs.ts';

const room = shareVerbs({}, ({ type, alice, general }) => type('/incident declare Disk is full --now', alice, general));

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
  const { type, bodies, incident } = room();
  const found = async () =>
    kind === 'task' ? (await incident()).taskList.tasks.map(each => each.text) : await bodies();
  const known = (await found()).length;
  await type(line);
  expect((await found()).slice(known)).toEqual([expect.stringContaining(text)]);
  expect(await bodies('2')).toEqual([]);
});

test.each([
  '/note #2 replicas added',
  '/note INC-2 replicas added',
  '/task add INC-2 replicas',
  '/incident update #2 nodes are back',
])('“%s” names incident 2, and is asked about', async line => {
  const { type, bodies, incident } = room();
  const all = async () => [...(await bodies()), ...(await bodies('2')), ...(await incident()).taskList.tasks];
  const known = await all();
  expect(await type(line)).toContain('Do you mean incident 2, or is that part of the text?');
  expect(await all()).toEqual(known);
});
