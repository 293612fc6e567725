import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

test.each([
  ['/incident update 1', '1'],
  ['/incident update #2', '#2'],
  ['/incident update please', 'please'],
  ['/incident update when?', 'when?'],
  ['/incident update undo', 'undo'],
  ['/incident say please, thanks!', 'please, thanks!'],
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
  ['/incident update investigating', 'investigating'],
  ['/incident update Recovered.', 'Recovered.'],
  ['/incident mitigate --now', 'Mitigated.'],
  ['/incident mitigated the cache is warm', 'Mitigated: the cache is warm'],
])('%s is an update, and the incident goes on', async (line, text) => {
  const { type, incident, bodies } = await openVerbs();
  await type(line);
  expect((await bodies()).join('\n')).toContain(text);
  expect((await incident()).status).toBe('active');
});

test.each(['brief "the CEO"', 'brief: the CEO', 'brief the CEO --next 30m', 'please brief “the CEO”'])(
  '“%s” by mention is a question',
  async line => {
    const { act, alice, home, reads, bodies } = await openVerbs();
    await act(() => alice.mention(home, line));
    expect(reads()).toMatch(/nothing was (?:changed|posted)/i);
    expect((await bodies()).join('\n')).not.toContain('CEO');
  },
);
