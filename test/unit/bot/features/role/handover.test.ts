import { expect, test } from 'vitest';
import type { Message, Person } from '../../../../../playground/fake-slack/fake-slack.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs, type VerbOptions } from '../../../../support/verbs.ts';

const home = 'inc-1-checkout-answers-500';

/** The incident, led by bob, with who holds which role and the lines about that. */
async function openLed(options: VerbOptions = {}) {
  const opened = await openVerbs(options);
  await opened.type('/role assign me commander', opened.bob);
  return {
    ...opened,
    type: opened.typeAndReadAll,
    /** The public lines about roles. */
    lines: async () => (await opened.publicLines()).filter(line => line.includes(':bust_in_silhouette:')),
    direct: (person: Person) => opened.place.lastRead(person, opened.slack.openDm(person).id),
  };
}

test('both keep it, and the assignment can still be undone', async () => {
  const { type, press, last, held, lines, alice } = await openLed();
  await type('/role assign @carol commander');
  expect(await press(last(), 'Keep both')).toBe('@bob and @carol are commander.\n[Undo]');
  expect(await lines()).toHaveLength(2);
  await press(last(), 'Undo');
  expect(await held()).toEqual(['bob: commander']);

  await type('/role assign @carol @alice commander', alice);
  const several = await type('/role list');
  expect(several).toContain('commander: @bob, @carol, @alice');
  expect(await type('/role assign @carol observer')).not.toContain('too.');
});

const purpose = 'Owns the incident (has their full-time attention)';

test('who takes a role, or is given one, reads what it has to do', async () => {
  const { type, press, showCard, slack, place, direct, bob, carol, alice } = await openVerbs().then(opened => ({
    ...opened,
    direct: (person: Person) => opened.place.lastRead(person, opened.slack.openDm(person).id),
  }));
  expect(await press(await showCard(), 'Take command')).toContain(purpose);
  await type('/role assign @carol commander');
  expect(direct(carol)).toContain(purpose);
  expect(place.lastRead(alice, slack.channel(home).id)).not.toContain(purpose);
  expect(await type('/role take investigator')).toContain('Finds the cause');
  expect(await type('/role take investigator')).not.toContain('Finds the cause');
  expect(await type('/role handover me commander', bob)).toContain(purpose);
});

test('/role handover gives command to one person at once, in one line', async () => {
  const { type, press, last, held, lines, direct, bob, carol } = await openLed();
  const answer = await type('/role handover @carol', bob);
  expect(answer).toContain(':bust_in_silhouette: You ');
  expect(await held()).toEqual(['carol: commander']);
  expect((await lines()).at(-1)).toBe(':bust_in_silhouette: @bob handed command to @carol');
  expect(direct(carol)).toContain('@bob handed you command.');

  await press(last(bob), 'Undo', bob);
  expect(await held()).toEqual(['bob: commander']);
  expect((await lines()).at(-1)).toContain(':leftwards_arrow_with_hook: @bob took this back:');
});

test.each([
  '/incident handover @carol',
  '/incident handoff to @carol',
  '/role transfer commander to @carol',
  '/role assign @carol commander --replace',
  '/muster handover @carol',
])('%s hands over what others hold', async line => {
  const { type, held, lines } = await openLed();
  await type(line);
  expect(await held()).toEqual(['carol: commander']);
  expect((await lines()).at(-1)).toBe(':bust_in_silhouette: @alice handed command to @carol in place of @bob');
});

test('somebody takes over, and nobody writes to themselves', async () => {
  const { type, held, lines, place, slack, alice } = await openLed();
  expect(await type('/role handover me')).toContain(':bust_in_silhouette: You ');
  expect(await held()).toEqual(['alice: commander']);
  expect((await lines()).at(-1)).toBe(':bust_in_silhouette: @alice took over command from @bob');
  expect(place.reads(alice, slack.openDm(alice).id).join('\n')).not.toContain('handed');
  expect(await type('/role handover me')).toContain(`@alice is commander already. ${phrases.unchanged}`);
  expect(await type('/role handover observer @carol')).toContain('You ');
});

test('the list hands over and takes away, and offers what is free', async () => {
  const { type, press, last, held, submit, lines, place, alice, carol, act } = await openLed();
  await type('/role assign @bob @carol investigator');
  expect(await type('/role list')).toContain(
    [
      'commander: @bob',
      'Owns the incident (has their full-time attention)',
      '[Hand over] [Remove]',
      'investigator: @bob, @carol',
      'Finds the cause',
      '[Hand over] [Remove]',
      'observer: nobody',
      'Watching the incident',
      '[Take]',
    ].join('\n'),
  );
  const list = last();
  const commander = { value: JSON.stringify({ incidentID: '1', role: 'commander' }) };
  await act(() => alice.press(list, commander));
  expect(alice.view?.values).toMatchObject({ person: { person: { selected_user: alice.id } } });
  await submit({ person: carol });
  expect(await held()).toContain('carol: commander');
  expect(await held()).not.toContain('bob: commander');

  await type('/role list');
  const removed = await press(last(), { value: JSON.stringify({ incidentID: '1', role: 'commander', page: 0 }) });
  expect(removed).toContain('You took command from @carol.\n[Undo]');
  expect(removed).toContain('commander: :warning: nobody');
  expect((await lines()).at(-1)).toBe(':bust_in_silhouette: @alice took command from @carol');

  await press(last(), { value: JSON.stringify({ incidentID: '1', role: 'investigator', page: 0 }) });
  await submit({ holder: 'carol' });
  expect(place.lastRead(alice, home)).toContain('You took the role investigator from @carol');
  expect(await held()).toEqual(['bob: investigator']);
});

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
