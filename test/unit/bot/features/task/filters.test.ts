import { default as fc } from 'fast-check';
import { expect, test } from 'vitest';
import { shareVerbs } from '../../../../support/verbs.ts';

/** Tasks of bob (one done), of alice, and of nobody (one done). */
const room = shareVerbs({}, async ({ type }) => {
  for (const line of [
    'add restart db-3 @bob',
    'add call the bank @bob',
    'add write to support @me',
    'add check the pool',
    'add page the vendor',
  ])
    await type(`/task ${line}`);
  await type('/task done 2');
  await type('/task done 5');
});

const texts = ['restart db-3', 'call the bank', 'write to support', 'check the pool', 'page the vendor'] as const;
const isDone = [false, true, false, false, true];
const holders = ['bob', 'bob', 'alice', '', ''];

test.each([
  ['/incident tasks unassigned', [3, 4], 'Unassigned tasks'],
  ['/task unassigned', [3, 4], 'Unassigned tasks'],
  ['/incident tasks open', [0, 2, 3], 'Open tasks'],
  ['/incident tasks done', [1, 4], 'Done tasks'],
  ['/task list closed', [1, 4], 'Done tasks'],
  ['/incident tasks mine', [2], 'Your tasks'],
  ['/incident tasks my open', [2], 'Your open tasks'],
  ['/incident tasks @bob', [0, 1], 'Tasks for @bob'],
  ['/incident tasks of @bob', [0, 1], 'Tasks for @bob'],
  ['/task assigned to @bob', [0, 1], 'Tasks for @bob'],
  ['/task list bob', [0, 1], 'Tasks for bob'],
  ['/task list of Bob done', [1], 'Done tasks for bob'],
  ['/incident tasks open @bob', [0], 'Open tasks for @bob'],
  ['/incident tasks unassigned and open', [3], 'Unassigned open tasks'],
  ['/incident tasks @bob and me', [0, 1, 2], 'Tasks for you and @bob'],
  ['/incident tasks all', [0, 1, 2, 3, 4], 'Tasks of'],
  ['/incident tasks open done', [0, 1, 2, 3, 4], 'Tasks of'],
] as const)('%s', async (line, shown, title) => {
  const list = await room().type(line);
  expect(list).toContain(title);
  expect(texts.filter(each => list.includes(each))).toEqual(
    texts.filter((_, at) => (shown as readonly number[]).includes(at)),
  );
});

test('a filter that finds none says how many tasks there are, and the note of it', async () => {
  const { type } = room();
  expect(await type('/task list @carol')).toMatch(/none\. There are 5 tasks: 3 open, 2 done\./);
  expect(await type('/task list unassigned @bob')).toMatch(/none\. There are 5 tasks: 3 open, 2 done\./);
  const unknown = await type('/task list zoe <!channel>');
  expect(unknown).toMatch(/was not recorded.*There are 5 tasks/);
  for (const text of texts) expect(unknown).toContain(text);
});

test('every combination of words lists the tasks that fit all of them, or says how many there are', async () => {
  const { type } = room();
  const words = { open: (at: number) => !isDone[at], done: (at: number) => isDone[at] === true };
  const people = { mine: 'alice', '@bob': 'bob', bob: 'bob', unassigned: '' } as const;
  await fc.assert(
    fc.asyncProperty(
      fc.option(fc.constantFrom(...(Object.keys(words) as (keyof typeof words)[])), { nil: undefined }),
      fc.constantFrom(...(Object.keys(people) as (keyof typeof people)[])),
      fc.boolean(),
      fc.constantFrom('', 'of ', 'for '),
      async (state, person, isFirst, filler) => {
        const both = [...(state === undefined ? [] : [state]), `${filler}${person}`];
        const list = await type(`/task list ${(isFirst ? both : both.toReversed()).join(' ')}`);
        const fits = (at: number) => (state === undefined || words[state](at)) && holders[at] === people[person];
        expect(texts.filter(each => list.includes(each))).toEqual(texts.filter((_, at) => fits(at)));
        if (!texts.some((_, at) => fits(at))) expect(list).toContain('There are 5 tasks');
      },
    ),
    { numRuns: 40 },
  );
});
