import { expect, test } from 'vitest';
import type { Person } from '../../playground/fake-slack/fake-slack.ts';
import { declareNow, lastMessage, openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';

const home = 'inc-1-checkout-answers-500';

test('a second commander is announced to the person who made them, and the first one hands over', async () => {
  const {
    type: tell,
    typeAndReadAll: type,
    press,
    last,
    held,
    bob,
    carol,
    wendy,
    place,
    slack,
    items,
  } = await openIncident();
  await tell('/role assign me commander', bob);
  const lines = () =>
    place.reads(wendy, home).flatMap(text => text.split('\n').filter(line => line.includes(':bust_in_silhouette:')));
  const direct = (person: Person) => place.lastRead(person, slack.openDm(person).id);
  const answer = await type('/role assign @carol commander', bob);
  expect(answer).toContain('You made @carol commander');
  expect(answer).toContain('@bob is commander too.\n[Hand over] [Keep both] [Undo]');
  expect(await held()).toEqual(['bob: commander', 'carol: commander']);

  const done = await press(last(bob), 'Hand over', bob);
  expect(done).toMatch(/^:bust_in_silhouette: You .*\n\[Undo\]$/);
  expect(await held()).toEqual(['carol: commander']);
  expect(lines()).toEqual([
    ':bust_in_silhouette: @bob took command',
    ':bust_in_silhouette: @bob made @carol commander',
    ':bust_in_silhouette: @bob handed command to @carol',
  ]);
  expect(slack.channel(home).members).toContain(carol.id);
  expect(direct(carol)).toContain(':bust_in_silhouette: @bob handed you command.');
  expect(direct(carol)).toContain('Incident 1 “Checkout answers 500” · #inc-1-checkout-answers-500');
  expect(direct(carol)).toContain('[Roles]');
  expect((await items('roleUnassigned')).map(each => [each.user.name, each.subjectUser.name])).toEqual([
    ['bob', 'bob'],
  ]);

  expect(await press(last(bob), 'Undo', bob)).toContain('You took command back.');
  expect(await held()).toEqual(['carol: commander', 'bob: commander']);
  expect(lines().at(-1)).toBe(
    ':leftwards_arrow_with_hook: @bob took this back: :bust_in_silhouette: @bob handed command to @carol',
  );
});

test('of two who hand over at the same time one wins, and the other reads who', async () => {
  const { place, slack, alice, bob, goAway, comeBack, type, reads, act } = await openOutage();
  for (const name of ['carol', 'dora']) slack.addPerson({ name });
  const room = await declareNow(place, alice, slack.channel('general'), 'Checkout answers 500');
  bob.join(room.id);
  await type('/role assign me commander', bob, room.id);
  goAway();
  expect(await type('/role handover @carol', alice, room.id)).toContain('I’ll hand command to carol as soon as');
  await type('/role handover @dora', bob, room.id);
  await comeBack();
  const leads = () =>
    place
      .reads(alice, room.id)[0]
      ?.split('\n')
      .find(line => line.includes('Commander'));
  expect(leads()).toContain('Commander @carol');
  const told = lastMessage(place, bob, room);
  expect(reads(bob, room.id)).toContain('I did not make @dora commander: @carol got it first.');
  await act(() => bob.press(told, 'Hand over'));
  expect(reads(bob, room.id)).toContain(':bust_in_silhouette: You ');
  expect(leads()).toContain('Commander @dora');
});

test('a receiver is told nothing of a private incident that they do not see, until somebody invites them', async () => {
  const {
    slack,
    type,
    readsDirect,
    held,
    bob,
    carol,
    alice,
    last,
    press,
    home: room,
  } = await openIncident({
    flags: '--private',
  });
  await type('/role assign me commander');
  expect(await type('/role handover @carol', alice)).toContain('@carol does not know yet');
  expect(await held()).toEqual(['carol: commander']);
  expect(slack.channel(room.id).members).not.toContain(carol.id);
  expect(readsDirect(carol)).toEqual([]);
  expect(await press(last(), 'Invite')).toContain('@carol is in #inc-1-checkout-answers-500 now.');
  expect(slack.channel(room.id).members).toContain(carol.id);
  expect(await type('/role handover me --incident 1', bob, slack.channel('general'))).toContain(phrases.noIncident(1));
});
