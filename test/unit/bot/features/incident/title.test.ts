import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

test('without a title, the form; sent twice it acts once', async () => {
  const { type, alice, items, incident, submit, act } = await openVerbs();
  await type('/incident title');
  expect(alice.view?.values.title?.title?.value).toBe('Checkout answers 500');
  await submit({ title: `x${'y'.repeat(500)}` });
  expect(alice.view?.errors).toEqual({
    title: 'A title has at most 500 characters, and this one has 501. Put the rest in a note.',
  });
  await submit({ title: '\u200b ' });
  expect(alice.view?.errors).toEqual({ title: 'Say in a few words what is happening.' });
  await act(() => alice.submitTwice({ title: 'Cart is down' }));
  expect((await incident()).title).toBe('Cart is down');
  expect(await items('incidentTitleChanged')).toHaveLength(1);
});

test('bad titles are refused with what was typed; hostile ones are harmless', async () => {
  const { publicLines, type, incident, gus } = await openVerbs();
  const long = await type(`/incident title ${'long '.repeat(120)}`);
  expect(long).toContain('A title has at most 500 characters, and this one has 599.');
  expect(long).toContain('You typed: /incident title long long');
  expect(await type('/incident title Cart', gus)).toContain('guests cannot change incidents');
  expect((await incident()).title).toBe('Checkout answers 500');

  await type('/incident title <!channel> &lt; \u0007 *x*\nnext');
  expect((await incident()).title).toBe('<!channel> &lt; *x* next');
  const [said] = await publicLines();
  expect(said).toContain('“<!channel> &lt; *x* next”');
  expect(said).not.toContain('!!!');
});
