import { expect, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import type { Message } from '../../playground/fake-slack/fake-slack.ts';
import { forgePress } from '../support/forged-press.ts';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';
import { openRestarts } from '../support/restarts.ts';

/** Alice has declared privately, and Slack did not let Muster invite her: nobody but Muster is in the channel. */
async function openShutOut(error = 'cant_invite') {
  const world = await openRestarts();
  const { slack, alice, bob, general } = world;
  const place = await world.open();
  slack.fail('conversations.invite', { error });
  await alice.command(general, '/incident declare Data leak --private --now');
  await place.quiet();
  const room = slack.channel('inc-1-data-leak');
  expect([...room.members]).toEqual([slack.botUserId]);
  const dm = slack.openDm(alice).id;
  const offer = (): Message => {
    const message = place.messages(alice, dm).find(each => each.text.includes('not in it'));
    if (!message) throw new Error(`alice reads no way in: ${place.reads(alice, dm).join('\n')}`);
    return message;
  };
  const press = async (now = place) => {
    await alice.press(offer(), 'Join');
    await now.quiet();
    return now.lastRead(alice, dm);
  };
  return { ...world, place, slack, alice, bob, general, room, dm, offer, press };
}

/** The id and the value of the button that takes alice in. */
function buttonOf(message: Message) {
  const found = blocksOf(message)
    .flatMap(each => (each.elements ?? []) as { action_id?: string; value?: string }[])
    .find(each => each.action_id === 'incident.join');
  return { id: found?.action_id ?? '', value: found?.value ?? '' };
}

test.each(['cant_invite', 'user_is_restricted', 'not_in_channel'])(
  'a declarer whom Slack does not let into their private channel (%s) reads why, and comes in by a button',
  async error => {
    const { place, slack, alice, bob, room, dm, offer, press } = await openShutOut(error);
    const why =
      error === 'not_in_channel' ? 'I am not in that channel. Invite me with /invite @Muster.' : `Slack said ${error}.`;
    expect(place.lastRead(alice, dm)).toContain(
      `The channel of incident 1 is ready, but you are not in it.\n:warning: I could not invite you: ${why} Join tries again; if that does not help, tell your Muster administrator.\n[Join]`,
    );
    expect(offer().text).not.toContain('leak');
    expect(await press()).toBe('You are in #inc-1-data-leak now.');
    expect([...room.members].sort()).toEqual([alice.id, slack.botUserId].sort());
    // From then on all works, and nobody else reads anything.
    await alice.command(room, '/incident status');
    await place.quiet();
    expect(place.lastRead(alice, room.id)).toContain('Data leak');
    expect(place.reads(bob, 'general').join()).not.toContain('ncident 1');
  },
);

test('the button works in another process, and a second refusal is said too', async () => {
  const { place, open, slack, alice, room, press } = await openShutOut();
  await place[Symbol.asyncDispose]();
  const next = await open();
  slack.fail('conversations.invite', { error: 'user_is_restricted' });
  expect(await press(next)).toContain('I could not invite @alice to #inc-1-data-leak: Slack said user_is_restricted.');
  expect(room.members).not.toContain(alice.id);
  expect(await press(next)).toBe('You are in #inc-1-data-leak now.');
  expect(await press(next)).toBe('You are in #inc-1-data-leak already.');
  expect(room.members).toContain(alice.id);
});

test('while Slack does not say who is in the channel, nobody is invited, and the declarer reads that', async () => {
  const { slack, alice, room, press } = await openShutOut();
  slack.fail('conversations.members', { error: 'internal_error' }, { times: 5 });
  expect(await press()).toContain('I could not see who is in the channel of incident 1: Slack said internal_error.');
  expect(room.members).not.toContain(alice.id);
  slack.heal();
  expect(await press()).toBe('You are in #inc-1-data-leak now.');
});

test('an answer that is lost invites the declarer to their private channel once, and says nothing wrong', async () => {
  const { open, slack, alice, general } = await openRestarts();
  const place = await open();
  slack.fail('conversations.invite', { dropAfterEffect: true });
  await alice.command(general, '/incident declare Data leak --private --now');
  await place.quiet();
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(slack.channel('inc-1-data-leak').members).toContain(alice.id);
  expect(place.reads(alice, slack.openDm(alice).id).join()).not.toContain('not in it');
});

test('the button takes nobody else in, and nobody into a channel where others are', async () => {
  const { place, slack, alice, bob, general, room, offer, press } = await openShutOut();
  const button = buttonOf(offer());
  await forgePress(slack, bob, general.id, button);
  await place.quiet();
  expect(place.lastRead(bob, 'general')).toContain(phrases.noIncident(1));
  expect(room.members).not.toContain(bob.id);
  // Where somebody is in it, they decide who else comes in.
  expect(await press()).toContain('You are in');
  alice.invite(room, bob);
  alice.leave(room);
  await place.quiet();
  expect(await press()).toContain(phrases.noIncident(1));
  expect([...room.members].sort()).toEqual([bob.id, slack.botUserId].sort());
});

test('a declarer who is refused in a public channel reads that, and has the same button', async () => {
  const { open, slack, alice, general } = await openRestarts();
  const place = await open();
  slack.fail('conversations.invite', { error: 'cant_invite' });
  await alice.command(general, '/incident declare Disk is full --now');
  await place.quiet();
  const told = place.messages(alice, general.id).at(-1);
  expect(place.lastRead(alice, general.id)).toContain('you are not in it.');
  if (told) await alice.press(told, 'Join');
  await place.quiet();
  expect(slack.channel('inc-1-disk-is-full').members).toContain(alice.id);
});

test('a declarer who is shut out while the incident has no number comes in by the same button, then and later', async () => {
  const { place, slack, alice, goAway, comeBack, type, act } = await openOutage();
  goAway();
  slack.fail('conversations.invite', { error: 'cant_invite' }, { times: 2 });
  await type('/incident declare Data leak --private --now');
  const dm = slack.openDm(alice).id;
  const offer = place.messages(alice, dm).findLast(each => each.text.includes('not in it'));
  expect(offer?.text).toContain('The channel of the incident that you declared is ready, but you are not in it.');
  if (!offer) return;
  await act(() => alice.press(offer, 'Join'));
  expect(place.lastRead(alice, dm)).toContain('Slack said cant_invite.');
  await comeBack();
  await act(() => alice.press(offer, 'Join'));
  const room = slack.channels.find(each => each.name.includes('data-leak'));
  expect(place.lastRead(alice, dm)).toBe(`You are in #${room?.name} now.`);
  expect([...(room?.members ?? [])]).toContain(alice.id);
});
