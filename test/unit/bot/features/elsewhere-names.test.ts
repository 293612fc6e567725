import { expect, test } from 'vitest';
import { openVerbs, type VerbOptions } from '../../../support/verbs.ts';

/** Bob's direct message with Muster, in which he presses buttons. */
async function openDirect(options: VerbOptions = {}) {
  const opened = await openVerbs(options);
  const { slack, place, bob } = opened;
  const im = () => slack.channels.find(each => each.isIm && place.messages(bob, each.id).length > 0);
  const last = () => {
    const message = im() && place.messages(bob, im()!.id).at(-1);
    if (!message) throw new Error('Bob has no direct message');
    return message;
  };
  return {
    ...opened,
    last,
    pressHere: async (label: string) => {
      await bob.press(last(), label);
      await place.quiet();
      return place.reads(bob, im()!.id).at(-1) ?? '';
    },
  };
}

test('a direct message about a role does too', async () => {
  const { type, pressHere, home } = await openDirect();
  await type('/role assign @bob commander');
  const read = await pressHere('Roles');
  expect(read).toContain('Roles of incident 1');
  expect(read).toContain(`#${home.name}`);
});

test('a hand-over of a private incident links its channel for its members', async () => {
  const { type, last, home, alice, bob } = await openDirect({ isPrivate: true });
  await type('/role assign me commander');
  alice.invite(home, bob);
  await type('/role handover @bob');
  expect(last().text).toContain(`<#${home.id}>`);
  expect(last().text).toContain('Incident 1');
});

test('in the room, an answer does not name it', async () => {
  const { type } = await openVerbs();
  await type('/task add Ask Adyen');
  expect(await type('/task done 1')).not.toContain('Checkout answers 500');
});
