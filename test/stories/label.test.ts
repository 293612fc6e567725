import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('labels go on and come off, several at once, said and shown on the card', async () => {
  const { type, incident, place, alice, home } = await openIncident();
  const labels = async () => (await incident()).labels.map(each => each.label);

  expect(await type('/incident label add checkout, “the database”')).toBe(
    ':label: You added the label checkout to incident 1.\n[Undo]\n:label: You added the label the database to incident 1.\n[Undo]',
  );
  await type('/incident tag eu west');
  expect(await labels()).toContain('eu west');
  expect(place.reads(alice, home.id)[0]).toContain('Labels checkout');
  expect(await type('/incident label checkout')).toBe(`Incident 1 is labelled checkout already. ${phrases.unchanged}`);

  expect(await type('/incident label remove Checkout')).toBe(
    ':label: You took the label checkout off incident 1.\n[Undo]',
  );
  await type('/incident label eu wast, eu east');
  expect(await type('/incident unlabel eu wst')).toContain('Did you mean eu west?');
  expect(await type('/incident unlabel eu eaast')).toContain('Did you mean eu east?');
  await type('/incident unlabel eu west');
  expect(await labels()).not.toContain('eu west');
  expect(place.reads(alice, home.id)[0]).not.toContain('eu west');
});
