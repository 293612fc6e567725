import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('labels go on and come off, several at once, said and shown on the card', async () => {
  const { type, incident, place, alice, home } = await openIncident();
  const labels = async () => (await incident()).labels.map(each => each.label);

  expect(await type('/incident label add checkout, “the database”')).toBe(
    ':label: Incident 1 is labelled checkout.\n[Undo]\n:label: Incident 1 is labelled the database.\n[Undo]',
  );
  await type('/incident tag eu west');
  expect(await labels()).toContain('eu west');
  expect(place.reads(alice, home.id)[0]).toContain('Labels checkout');
  expect(await type('/incident label checkout')).toBe(`Incident 1 is labelled checkout already. ${phrases.unchanged}`);

  expect(await type('/incident label remove Checkout')).toBe(':label: Done.\n[Undo]');
  await type('/incident label eu wast, eu east');
  expect(await type('/incident unlabel eu wst')).toContain('Did you mean eu west?');
  expect(await type('/incident unlabel eu eaast')).toContain('Did you mean eu east?');
  await type('/incident unlabel eu west');
  expect(await labels()).not.toContain('eu west');
  expect(place.reads(alice, home.id)[0]).not.toContain('eu west');
});

test('a label is taken back by its Undo, and one that was taken off comes back', async () => {
  const { type, press, last, incident, publicLines } = await openIncident();
  const labels = async () => (await incident()).labels.map(each => each.label);
  await type('/incident label one, two');
  const undo = JSON.stringify(last().blocks.filter(block => block.type === 'actions'));
  expect(undo).toContain('"accessibility_label":"Undo: label incident 1 with “one”"');
  expect(undo).toContain('"accessibility_label":"Undo: label incident 1 with “two”"');
  await press(last(), { text: 'Undo', near: 'one' });
  expect(await labels()).toEqual(['two']);
  expect(publicLines().join('\n')).toContain('took this back: :label: @alice added the label one');
  await type('/incident unlabel two');
  await press(last(), 'Undo');
  expect(await labels()).toEqual(['two']);
});

test('bad labels are refused with a sentence; hostile ones are harmless', async () => {
  const { type, incident, gus } = await openIncident();
  expect(await type('/incident label add')).toContain('Name a label, as in /incident label checkout.');
  expect(await type('/incident unlabel')).toContain('Name a label, as in /incident unlabel checkout.');
  expect(await type(`/incident label ${'x'.repeat(101)}`)).toContain('A label has at most 100 characters');
  expect(await type(`/incident label ${'a,'.repeat(3)}${[...Array(21).keys()].join(',')}`)).toContain(
    'At most 20 labels at once; these are 22.',
  );
  expect(await type('/incident label x', gus)).toContain('guests cannot change incidents');
  expect((await incident()).labels).toEqual([]);

  expect(await type('/incident label add <!channel>`\u0007')).toBe(':label: Done.\n[Undo]');
  expect((await incident()).labels.map(each => each.label)).toEqual(['<!channel>`']);
});

test('one label is refused: the other is on, and trying again adds it', async () => {
  const grafana = await openFakeGrafana();
  const { type, press, last, incident, place, alice, home } = await openIncident({ settings: grafana.settings });
  grafana.fail({ when: /AddLabel/, answer: { status: 401, body: '{"message":"expired"}' }, times: 1 });
  await type('/incident label one, two');
  const told = place
    .reads(alice, home.id)
    .filter(each => !each.includes('@alice added'))
    .slice(-2);
  expect(told[0]).toBe(':label: Incident 1 is labelled two.\n[Undo]');
  expect(told[1]).toContain('I could not label incident 1 with “one”.');
  expect(await press(last(), 'Try again')).toContain('Incident 1 is labelled one.');
  expect((await incident()).labels.map(each => each.label)).toEqual(['two', 'one']);
});
