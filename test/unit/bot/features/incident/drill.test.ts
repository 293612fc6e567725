import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

test('neither on nor off: nothing changes; without a word, the form', async () => {
  const { type, alice, incident, gus } = await openVerbs();
  await type('/incident drill');
  expect(alice.view?.title).toBe('Edit the incident');
  expect(await type('/incident drill the database fails')).toBe(
    [
      '“the database fails” is neither on nor off, so nothing was changed.',
      'You typed: /incident drill the database fails',
    ].join('\n'),
  );
  expect(await type('/incident drill <!channel>')).not.toContain('!!!');
  expect(await type('/incident drill on', gus)).toContain('guests cannot change incidents');
  expect((await incident()).isDrill).toBe(false);
});
