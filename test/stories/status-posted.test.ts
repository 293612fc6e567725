import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

/** An incident with a task, and #support, whose people are not in its room. */
async function openStatus(flags = '') {
  const opened = await openIncident({ flags });
  const { slack, alice, bob, carol, type } = opened;
  await type('/task add Roll back 1141 @bob');
  await type('/role assign @bob commander');
  const support = slack.addChannel({ name: 'support', members: [alice, bob, carol], botIsMember: true });
  const posted = () => support.messages.filter(message => message.ephemeralTo === undefined && !message.subtype);
  return { ...opened, support, posted };
}

test('the status is private, until it is posted: then everybody reads it, once', async () => {
  const { type, alice, carol, bob, support, posted, place } = await openStatus();
  expect(await type('/incident status --incident 1', alice, support)).toContain('[Post to channel]');
  expect(place.reads(carol, support.id)).toEqual([]);
  const answer = place.messages(alice, support.id).at(-1)!;
  await Promise.all([alice.press(answer, 'Post to channel'), alice.press(answer, 'Post to channel')]);
  await place.quiet();
  expect(place.lastRead(alice, support.id)).toBe('Posted for everybody in this channel.');
  expect(posted()).toHaveLength(1);
  const read = place.lastRead(carol, support.id);
  expect(read).toContain('⚪ PENDING · Checkout answers 500');
  expect(read).toContain('Commander @bob');
  expect(read).toContain('Open tasks (1)\n⬜ 1. Roll back 1141 · bob');
  expect(read).toContain('#inc-1-checkout-answers-500');
  expect(read).toContain('Asked for by @alice');
  expect(read).not.toContain('[');
  expect(posted()[0]?.text).toContain('Roll back 1141');
  expect(place.reads(bob, support.id)).toEqual([read]);
});

test('a mention is answered in its thread, for all', async () => {
  const { alice, carol, support, posted, place, act } = await openStatus();
  const alert = carol.say(support, 'Is checkout down?');
  await act(() => alice.mention(support, 'status --incident 1', { threadTs: alert.ts }));
  await act(() => alice.mention(support, 'status --incident 1'));
  const asked = posted().filter(message => message.text.includes('status --incident'));
  const answers = posted().filter(message => message.text.includes('Open tasks'));
  expect(answers.map(message => message.threadTs)).toEqual([alert.ts, asked[1]?.ts]);
  expect(answers[0]?.text).toContain('Checkout answers 500');
  expect(place.messages(alice, support.id).filter(message => message.ephemeralTo !== undefined)).toEqual([]);
});

test('a private incident is not posted where others read; who asks is told why', async () => {
  const { type, alice, carol, support, posted, place, act } = await openStatus('--private');
  await type('/incident status --incident 1', alice, support);
  await act(() => alice.press(place.messages(alice, support.id).at(-1)!, 'Post to channel'));
  expect(place.lastRead(alice, support.id)).toBe(
    'I did not post it: the incident is private, and not everybody here sees it.',
  );
  await act(() => alice.mention(support, 'status --incident 1'));
  expect(place.lastRead(alice, support.id)).toContain('Checkout answers 500');
  expect(posted().filter(message => message.userId !== alice.id)).toEqual([]);
  expect(place.reads(carol, support.id).join()).not.toContain('Checkout');
});

test('guests read the status and do not post it; neither is it offered in a direct message', async () => {
  const { type, gus, alice, place, slack, act } = await openStatus();
  expect(await type('/incident status', gus)).not.toContain('Post to channel');
  const direct = slack.openDm(alice);
  await act(() => alice.say(direct, 'status --incident 1'));
  expect(place.lastRead(alice, direct.id)).toContain('Checkout answers 500');
  expect(place.lastRead(alice, direct.id)).not.toContain('Post to channel');
});

test('while the API is away, the posted status says how old it is', async () => {
  const { type, goAway, alice, general, place, act } = await openOutage();
  await type('/incident declare Disk is full --now');
  await type('/incident status --incident 1');
  const answer = place.messages(alice, general.id).at(-1)!;
  goAway();
  await act(() => alice.press(answer, 'Post to channel'));
  const posted = general.messages.find(
    ({ ephemeralTo, text }) => ephemeralTo === undefined && text.includes('Open tasks'),
  );
  expect(posted?.text).toContain('This is how it was');
  expect(posted?.text).toContain('Disk is full');
});
