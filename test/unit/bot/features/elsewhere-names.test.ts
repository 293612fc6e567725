import { expect, test } from 'vitest';
import { openVerbs } from '../../../support/verbs.ts';

test('a direct message about a role does too', async () => {
  const { type, pressDirect, bob, home } = await openVerbs();
  await type('/role assign @bob commander');
  const read = await pressDirect(bob, 'Roles');
  expect(read).toContain('Roles of incident 1');
  expect(read).toContain(`#${home.name}`);
});

test('a hand-over of a private incident links its channel for its members', async () => {
  const { type, lastDirect, home, alice, bob } = await openVerbs({ isPrivate: true });
  await type('/role assign me commander');
  alice.invite(home, bob);
  await type('/role handover @bob');
  expect(lastDirect(bob).text).toContain(`<#${home.id}>`);
  expect(lastDirect(bob).text).toContain('Incident 1');
});

test('in the room, an answer does not name it', async () => {
  const { type } = await openVerbs();
  await type('/task add Ask Adyen');
  expect(await type('/task done 1')).not.toContain('Checkout answers 500');
});
