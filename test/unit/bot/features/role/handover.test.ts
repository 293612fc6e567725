import { expect, test } from 'vitest';
import type { Message, Person } from '../../../../../src/fake-slack/fake-slack.ts';
import { openVerbs, type VerbOptions } from '../../../../support/verbs.ts';

const home = 'inc-1-checkout-answers-500';

/** The incident, led by bob, with who holds which role and the lines about that. */
async function openLed(options: VerbOptions = {}) {
  const opened = await openVerbs(options);
  const { place, wendy } = { ...opened, wendy: opened.slack.people.find(each => each.name === 'wendy')! };
  await opened.type('/role assign me commander', opened.bob);
  return {
    ...opened,
    wendy,
    type: opened.typeAndReadAll,
    held: async () =>
      (await opened.incident()).incidentMembership.assignments.map(each => `${each.user.name}: ${each.role.name}`),
    /** The public lines about roles. */
    lines: () =>
      place.reads(wendy, home).flatMap(text => text.split('\n').filter(line => line.includes(':bust_in_silhouette:'))),
    direct: (person: Person) => place.lastRead(person, opened.slack.openDm(person).id),
  };
}

test.each([
  '/incident lead @carol',
  '/role assign @carol lead',
  '/role lead @carol',
  '/incident commander @carol',
  '/muster lead @carol',
])('%s adds a second commander, and asks about the first', async line => {
  const { type, held, press, last, reads } = await openLed();
  await type(line);
  expect(reads()).toContain('@bob is commander too.');
  expect(await held()).toEqual(['bob: commander', 'carol: commander']);
  await press(last(), 'Hand over');
  expect(await held()).toEqual(['carol: commander']);
});

test('a button that is late takes the role from nobody whom it did not name', async () => {
  const { type, press, last, held, bob, alice } = await openLed();
  await type('/role assign @carol commander', bob);
  const stale: Message = last(bob);
  await type('/role handover @alice', alice);
  expect(await held()).toEqual(['alice: commander']);
  expect(await press(stale, 'Hand over', bob)).toContain('Nothing was changed: @alice is commander now.');
  expect(await held()).toEqual(['alice: commander']);
});

test('the undo of a hand-over that another one followed changes nothing', async () => {
  const { type, press, last, held, bob, alice } = await openLed();
  await type('/role handover @carol', bob);
  const receipt = last(bob);
  await type('/role handover @alice', alice);
  expect(await press(receipt, 'Undo', bob)).toContain('I did not undo that: somebody has changed it since, to alice.');
  expect(await held()).toEqual(['alice: commander']);
});

test('guests and strangers receive nothing; a wrong word and several people change nothing', async () => {
  const { type, held, gus } = await openLed();
  expect(await type('/role handover @gus')).toContain('@gus is a guest');
  expect(await type('/role handover me', gus)).toContain('guests cannot change incidents');
  expect(await type('/role handover @carol @alice')).toContain('One person takes over, and you named several.');
  expect(await type('/role assign @carol @alice commander --replace')).toContain('so name one. Nobody was assigned.');
  expect(await type('/role handover @carol captain')).toContain('There is no role “captain”: roles here are');
  expect(await type('/role handover @karol')).toContain('I do not know @karol');
  expect(await held()).toEqual(['bob: commander']);
});
