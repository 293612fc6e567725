import { expect, test } from 'vitest';
import { renderView } from '../../../../../playground/fake-slack/fake-slack.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test.each([
  ['20m', '20', '12:35 PM', 'In 20 minutes'],
  ['30m', '30', '12:45 PM', 'In 30 minutes'],
  ['1h30', '90', '1:45 PM', 'In 1 h 30 min'],
  ['tomorrow 9:00', '1185', '8:00 AM', 'In 19 h 45 min'],
])('the form shows the promise of --next %s, and renews it as it stands', async (typed, minutes, due, label) => {
  const { type, press, showCard, submit, alice, slack, wait, publicLines, last } = await openVerbs();
  await type(`/incident update we look --next ${typed}`);
  wait(5);
  await press(await showCard(), 'Update');
  expect(alice.view?.values.next?.next?.selected_option).toMatchObject({ value: minutes });
  const shown = renderView(slack, alice.view!);
  expect(shown).toContain(`An update is due at ${due}`);
  expect(shown).toContain(label);
  await submit({ happened: 'Rolled back' });
  expect((await publicLines()).at(-1)).toContain('next by');
  await press(last(), 'Undo');
  await press(await showCard(), 'Update');
  expect(renderView(slack, alice.view!)).toContain(`An update is due at ${due}`);
});

test('who takes the promise back chooses that, and reads it as such', async () => {
  const { type, press, showCard, submit, alice, slack, publicLines } = await openVerbs();
  await type('/incident update we look --next 20m');
  await press(await showCard(), 'Update');
  expect(JSON.stringify(alice.view?.blocks)).toContain('No further update is promised');
  await submit({ happened: 'Rolled back', next: 'none' });
  expect((await publicLines()).at(-1)).not.toContain('next by');
  await press(await showCard(), 'Update');
  expect(alice.view?.values.next?.next?.selected_option).toMatchObject({ value: 'none' });
  expect(renderView(slack, alice.view!)).not.toContain('An update');
});

test('what was typed counts before the promise that stands; an incident that is over has none', async () => {
  const { type, press, submit, alice, slack, publicLines, showCard } = await openVerbs();
  await type('/incident update we look --next 20m');
  await type('/incident update --next 45m');
  expect(alice.view?.values.next?.next?.selected_option).toMatchObject({ value: '45' });
  await submit({ happened: 'Rolling back' });
  expect((await publicLines()).at(-1)).toContain('next by 1:00 PM');
  const card = await showCard();
  await type('/incident resolve fixed --now');
  await press(card, 'Update');
  expect(alice.view?.values.next?.next?.selected_option).toMatchObject({ value: 'none' });
  expect(renderView(slack, alice.view!)).not.toContain('is due at');
});
