import { expect, test, vi } from 'vitest';
import { patient } from '../support/deadlines.ts';
import { forgePress } from '../support/forged-press.ts';
import { openGeneral } from '../support/general.ts';

test('a mention carries every verb, in a channel and in a thread, and answers where it was asked', async () => {
  const { place, alice, general, act } = await openGeneral();
  await act(() => alice.mention(general, 'frobnicate'));
  expect(place.lastRead(alice, 'general')).toContain('There is no command “frobnicate”');
  expect(place.messages(alice, 'general').at(-1)?.threadTs).toBeUndefined();

  const start = alice.say(general, 'checkout is on fire');
  for (const text of ['help', 'incident delcare', 'declare Checkout is on fire --now', 'task add Look --incident 1']) {
    await act(() => alice.mention(general, text, { threadTs: start.ts }));
    const answer = place.messages(alice, 'general').findLast(message => message.ephemeralTo !== undefined);
    expect(answer?.ephemeralTo).toBe(alice.id);
    expect(answer?.threadTs).toBe(start.ts);
  }
  expect(place.reads(alice, 'general').join('\n')).toContain('You declared incident 1');
});

test('a press on a card that has replies is answered in the channel, not in its thread', async () => {
  const { place, alice, type, act } = await openGeneral();
  await type('/incident declare Disk is full --now');
  const [card] = place.messages(alice, 'inc-1-disk-is-full');
  if (!card) throw new Error('There is no card');
  alice.say('inc-1-disk-is-full', 'looking', { threadTs: card.ts });
  await act(() => alice.press(card, 'Tasks'));
  const answer = place.messages(alice, 'inc-1-disk-is-full').at(-1);
  expect(answer?.ephemeralTo).toBe(alice.id);
  expect(answer?.threadTs).toBeUndefined();
});

test('when the response address no longer works, the answer still arrives', async () => {
  const deadlines = patient({ slack: { once: { queue: 50 } } });
  const { slack, type, place, alice } = await openGeneral({ deadlines });
  slack.fail('response_url', { status: 404, body: '{"ok":false,"error":"expired_url"}' }, { times: 9 });
  expect(await type('/incident declare Disk is full --now')).toContain('You declared incident 1');
  slack.fail('response_url', { dropBefore: true }, { times: 9 });
  slack.fail('chat.postEphemeral', { rateLimited: 30 }, { times: 9 });
  await type('/incident declare Disk is fuller --now');
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain('You declared incident 2');
});

test('a fault of ours is answered with a reference that is in the log', async () => {
  const { place, slack, alice, general } = await openGeneral({
    expectErrors: record => record.msg === 'request: failed because of a bug in Muster',
  });
  vi.spyOn(place.muster.bot.journal, 'find').mockRejectedValue(new TypeError('x is not a function'));
  await forgePress(slack, alice, general.id, { id: 'muster.undo', value: '{"intent":"x"}' });
  await place.quiet();
  const read = place.lastRead(alice, 'general');
  expect(read).toContain('Something broke inside Muster, and');
  const reference = /log under ([0-9a-f]{8})/.exec(read)?.[1];
  expect(place.troubles.map(each => each.reference)).toEqual([reference]);
});
