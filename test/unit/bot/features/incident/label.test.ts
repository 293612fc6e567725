import { expect, test } from 'vitest';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('a label is taken back by its Undo, and one that was taken off comes back', async () => {
  const { type, press, last, incident, publicLines } = await openVerbs();
  const labels = async () => (await incident()).labels.map(each => each.label);
  await type('/incident label one, two');
  const undo = JSON.stringify(last().blocks.filter(block => block.type === 'actions'));
  expect(undo).toContain('"accessibility_label":"Undo: add the label one to incident 1"');
  expect(undo).toContain('"accessibility_label":"Undo: add the label two to incident 1"');
  await press(last(), { text: 'Undo', near: 'one' });
  expect(await labels()).toEqual(['two']);
  expect((await publicLines()).join('\n')).toContain(
    'took this back: :label: @alice added the label one to the incident',
  );
  await type('/incident unlabel two');
  await press(last(), 'Undo');
  expect(await labels()).toEqual(['two']);
});

test('bad labels are refused with a sentence, no label opens the form; hostile ones are harmless', async () => {
  const { type, alice, incident, gus } = await openVerbs();
  for (const line of ['/incident label add', '/incident unlabel']) {
    await type(line);
    expect(alice.view?.title).toBe('Edit the incident');
    await alice.close();
  }
  expect(await type(`/incident label ${'x'.repeat(101)}`)).toContain('A label has at most 100 characters');
  expect(await type(`/incident label ${'a,'.repeat(3)}${[...Array(21).keys()].join(',')}`)).toContain(
    'At most 20 labels at once; these are 22.',
  );
  expect(await type('/incident label x', gus)).toContain('guests cannot change incidents');
  expect((await incident()).labels).toEqual([]);

  expect(await type('/incident label add <!channel>`\u0007')).toMatch(
    /^:label: You added the label .* to incident 1\.\n\[Undo\]$/,
  );
  expect((await incident()).labels.map(each => each.label)).toEqual(['<!channel>`']);
});

test('one label is refused: the other is on, and trying again adds it', async () => {
  const grafana = await openFakeGrafana();
  const { type, press, last, incident, place, alice, home } = await openVerbs({ settings: grafana.settings });
  grafana.fail({ when: /AddLabel/, answer: { status: 401, body: '{"message":"expired"}' }, times: 1 });
  await type('/incident label one, two');
  const told = place
    .reads(alice, home.id)
    .filter(each => !each.includes('@alice added'))
    .slice(-2);
  expect(told[0]).toBe(':label: You added the label two to incident 1.\n[Undo]');
  expect(told[1]).toContain('I could not add the label one to incident 1.');
  expect(await press(last(), 'Try again')).toContain('You added the label one to incident 1.');
  expect((await incident()).labels.map(each => each.label)).toEqual(['two', 'one']);
});
