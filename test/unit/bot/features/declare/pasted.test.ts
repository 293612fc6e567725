import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

test('a severity with words behind it: the words are a note and stand in the line; a second severity is asked about', async () => {
  const { type, incident, bodies, publicLines } = await openVerbs();
  await type('/incident severity critical because nobody can pay');
  expect((await incident()).severity).toBe('critical');
  expect(await bodies()).toEqual(['because nobody can pay\n\n— alice in Slack']);
  expect(await publicLines()).toEqual(['🔴 Severity raised: pending → critical – @alice\n> because nobody can pay']);
  await type('/incident severity SEV2.');
  expect((await incident()).severity).toBe('major');
  expect(await type('/incident severity minor or critical')).toContain('Nothing was changed');
  expect((await incident()).severity).toBe('major');
});
