import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

test('neither on nor off: how it is, and what to type', async () => {
  const { type, incident, gus } = await openVerbs();
  expect(await type('/incident drill')).toContain('Incident 1 is not a drill: /incident drill on makes it one');
  expect(await type('/incident drill the database fails')).toBe(
    [
      `“the database fails” is neither on nor off. Incident 1 is not a drill: /incident drill on makes it one.`,
      'You typed: /incident drill the database fails',
    ].join('\n'),
  );
  expect(await type('/incident drill <!channel>')).not.toContain('!!!');
  expect(await type('/incident drill on', gus)).toContain('guests cannot change incidents');
  expect((await incident()).isDrill).toBe(false);
});
