import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

test.each([
  ['/incident update 1', '1'],
  ['/incident update #2', '#2'],
  ['/incident mitigate', 'Mitigated:'],
  ['/incident mitigated', 'Mitigated:'],
])('%s posts nothing, and opens the form with what was typed', async (line, text) => {
  const { type, alice, place, home } = await openVerbs();
  const before = place.reads(alice, home.id);
  await type(line);
  expect(place.reads(alice, home.id)).toEqual(before);
  expect(JSON.stringify(alice.view?.blocks)).toContain(`"initial_value":"${text}"`);
});

test.each([
  ['/incident mitigate --now', 'Mitigated.'],
  ['/incident mitigated the cache is warm', 'Mitigated: the cache is warm'],
])('%s is an update, and the incident goes on', async (line, text) => {
  const { type, incident, bodies } = await openVerbs();
  await type(line);
  expect((await bodies()).join('\n')).toContain(text);
  expect((await incident()).status).toBe('active');
});
