import { expect, test } from 'vitest';
import { openMore } from '../support/more-options.ts';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';
import { openInstalledSlack } from '../support/workplace.ts';

test('declared from the shortcuts menu while the API is down: kept and told in the direct message', async () => {
  const { place, slack, alice, goAway, comeBack, titles, act } = await openOutage();
  goAway();
  await act(() => alice.shortcut('declare'));
  await act(() => alice.submit({ title: 'Nobody can log in' }));
  const dm = slack.openDm(alice).id;
  expect(place.lastRead(alice, dm)).toContain('Saved. I’ll declare “Nobody can log in” as soon as');
  await comeBack();
  expect(place.lastRead(alice, dm)).toContain('What you asked for earlier is done:\n🚨 You declared incident 1');
  expect(await titles()).toEqual(['Nobody can log in']);
});

test('what was asked for in a thread is told in that thread', async () => {
  const { place, alice, general, goAway, comeBack, act } = await openOutage();
  const alert = alice.say(general, 'checkout is on fire');
  goAway();
  await act(() => alice.mention(general, 'declare Checkout is on fire --now', { threadTs: alert.ts }));
  const kept = place.messages(alice, 'general').at(-1);
  expect(kept?.text).toContain('Saved. I’ll declare “Checkout is on fire” as soon as');
  expect(kept?.threadTs).toBe(alert.ts);
  await comeBack();
  const told = place.messages(alice, 'general').findLast(each => each.text.includes('You declared incident 1'));
  expect(told?.threadTs).toBe(alert.ts);
});

test('the announcement says that it is not yet registered, and becomes whole with the card', async () => {
  const slack = await openInstalledSlack();
  const watcher = slack.addPerson({ name: 'watcher' });
  const alerts = slack.addChannel({ name: 'alerts', members: [watcher], botIsMember: true });
  const { place, goAway, comeBack, type } = await openOutage({ slack, settings: { ANNOUNCE_CHANNEL: alerts.id } });
  goAway();
  await type('/incident declare Checkout answers 500 --severity major --now');
  expect(place.reads(watcher, 'alerts')).toHaveLength(1);
  expect(place.lastRead(watcher, 'alerts')).toContain('Not registered yet');
  expect(place.lastRead(watcher, 'alerts')).toContain('#inc-checkout-answers-500');
  await type('/incident declare Data leak --private --now');
  expect(place.reads(watcher, 'alerts')).toHaveLength(1);
  await comeBack();
  expect(place.reads(watcher, 'alerts')).toHaveLength(1);
  expect(place.lastRead(watcher, 'alerts')).toContain('Active since');
  expect(place.lastRead(watcher, 'alerts')).toMatch(/Incident \d · declared/);
});

test('without a channel of its own the card stands where it was declared, and notes there belong to it', async () => {
  const { place, alice, goAway, comeBack, type, timeline, act } = await openOutage();
  await type('/incident declare Small thing');
  await openMore(place, alice);
  goAway();
  await act(() => alice.submit({ where: 'here' }));
  const card = place.messages(alice, 'general').find(each => each.pinned);
  expect(card?.text.split('\n')[0]).toBe(`Incident ${phrases.unregistered} (pending): Small thing`);
  // A screen reader has the text alone.
  for (const part of ['declared <!date', 'Work here as usual', `Declared by <@${alice.id}>`])
    expect(card?.text).toContain(part);
  expect(await type('/note add Looked at it')).toContain(
    'Saved. I’ll add “Looked at it” to the timeline of this incident as soon as',
  );
  await comeBack();
  expect(
    place
      .messages(alice, 'general')
      .find(each => each.pinned)
      ?.text.split('\n')[0],
  ).toBe('Incident 1 (active, pending): Small thing');
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => note.body)).toEqual(['Looked at it\n\n— alice in Slack']);
});

test('a private incident is shown to nobody else while it is kept', async () => {
  const { place, slack, alice, bob, goAway, comeBack, type, room } = await openOutage();
  goAway();
  await type('/incident declare Data leak --private --now');
  expect(room().isPrivate).toBe(true);
  expect([...room().members].sort()).toEqual([alice.id, slack.botUserId].sort());
  await comeBack();
  expect(place.reads(bob, 'general')).toEqual([]);
  expect(place.reads(alice, room().id)[0]).toContain('Active since');
});

/** Alice has declared privately in an outage, and Slack did not let Muster invite her. */
async function openUninvited() {
  const outage = await openOutage();
  outage.goAway();
  outage.slack.fail('conversations.invite', { error: 'restricted_action' }, { times: 20 });
  await outage.type('/incident declare Data leak --private --now');
  expect([...outage.room().members]).toEqual([outage.slack.botUserId]);
  return outage;
}

test('a declarer outside their private channel reads which incident it is, and nobody else does', async () => {
  const { place, slack, alice, bob, comeBack, room, type } = await openUninvited();
  await comeBack();
  const told = place.reads(alice, slack.openDm(alice).id).join('\n');
  expect(told).toContain(
    'What you asked for earlier is done:\nIncident 1 is declared: “Data leak”. Join its channel to see more.\n[Join]',
  );
  expect(told).not.toContain(room().id);
  expect(place.reads(bob, 'general')).toEqual([]);
  // All else about it stays hidden.
  expect(await type('/incident status 1')).toContain(phrases.noIncident(1));
});

test('a declarer outside their private channel reads why the incident could not be declared', async () => {
  const { place, grafana, reachable, bob, reads } = await openUninvited();
  // The first answer of the API wakes the declaration, which must not be under way then.
  await place.muster.bot.journal.idle();
  grafana.heal();
  grafana.fail({ when: /CreateIncident$/, answer: { status: 400, body: '{"error":"the title is not allowed"}' } });
  await reachable();
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(reads()).toContain(
    'This is the answer to what you asked for earlier:\nI could not declare “Data leak”. Grafana refused it: “the title is not allowed”.',
  );
  expect(place.reads(bob, 'general')).toEqual([]);
});

test.each([
  ['conversations.create', { dropBefore: true }],
  ['conversations.create', { dropAfterEffect: true }],
  ['chat.postMessage', { dropBefore: true }],
  ['chat.postMessage', { dropAfterEffect: true }],
] as const)(
  'neither Slack (%s, %o) nor the API answers: one channel, one card, one incident in the end',
  async (method, fault) => {
    const { place, slack, alice, goAway, comeBack, type, room, titles } = await openOutage();
    goAway();
    slack.fail(method, fault);
    const read = await type('/incident declare Disk is full --now');
    expect(read).toContain('Saved. I’ll declare “Disk is full” as soon as');
    await comeBack();
    await place.muster.bot.journal.wake();
    await place.quiet();
    expect(await titles()).toEqual(['Disk is full']);
    expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
    expect(
      room()
        .messages.filter(each => each.pinned)
        .map(each => each.text.split('\n')[0]),
    ).toEqual(['Incident 1 (active, pending): Disk is full']);
    expect(room().messages.filter(each => each.text.startsWith('Incident'))).toHaveLength(1);
    expect(place.reads(alice, 'general').filter(each => each.includes('You declared incident 1'))).toHaveLength(1);
  },
);

test('somebody who has left the channel meanwhile is told in a direct message', async () => {
  const { place, slack, alice, bob, goAway, comeBack, type } = await openOutage();
  await type('/incident declare Disk is full --now');
  bob.join('inc-1-disk-is-full');
  goAway();
  await type('/note add on my way out', bob, 'inc-1-disk-is-full');
  slack.fail('chat.postEphemeral', { error: 'user_not_in_channel' });
  await comeBack();
  expect(place.lastRead(bob, slack.openDm(bob).id)).toContain(`${phrases.added}: “on my way out”`);
  expect(place.reads(alice, 'inc-1-disk-is-full').at(-1)).toMatch(/^:memo: @bob noted: “on my way out”/);
});

test.each([
  ['within a minute is told where it was asked for', 1, false, 'channel'],
  ['later is told in a direct message, since nobody may look at the channel any more', 2, false, 'direct message'],
  ['later is told in the channel after all, when Slack takes no direct message', 2, true, 'channel'],
] as const)('what is done %s, once', async (_how, minutes, isRefused, where) => {
  let now = new Date();
  const { place, slack, alice, goAway, comeBack, type } = await openOutage({ clock: () => now });
  await type('/incident declare Disk is full --now');
  goAway();
  await type('/note add the disk was at 98 percent', alice, 'inc-1-disk-is-full');
  now = new Date(now.getTime() + minutes * 60_000);
  if (isRefused)
    slack.fail('chat.postMessage', { error: 'cannot_dm_bot' }, { when: args => args.channel === alice.id });
  await comeBack();
  const isTold = (text: string) => text.includes('What you asked for earlier is done');
  const inChannel = place.reads(alice, 'inc-1-disk-is-full').filter(isTold);
  const direct = place.reads(alice, slack.openDm(alice).id).filter(isTold);
  expect([inChannel.length, direct.length]).toEqual(where === 'channel' ? [1, 0] : [0, 1]);
  expect([...inChannel, ...direct][0]).toContain(`${phrases.added}: “the disk was at 98 percent”`);
});

test('Slack does not take the message about what waited: it is told later, once', async () => {
  const { place, slack, alice, bob, goAway, comeBack, type, press } = await openOutage();
  await type('/incident declare Disk is full --now');
  goAway();
  await type('/note add one', alice, 'inc-1-disk-is-full');
  await type('/task add call the vendor @bob', alice, 'inc-1-disk-is-full');
  await type('/note add two', bob, 'general');
  await press('#1 Disk is full', bob, 'general');
  slack.fail('chat.postEphemeral', { dropBefore: true }, { times: 10, when: args => args.user === alice.id });
  await comeBack();
  const told = () =>
    place.reads(alice, 'inc-1-disk-is-full').filter(each => each.includes('What you asked for earlier is done'));
  expect(told()).toHaveLength(0);
  slack.heal();
  await expect.poll(told).toHaveLength(1);
  await comeBack();
  expect(told()).toHaveLength(1);
  expect(told()[0]).toContain('“one”');
  expect(told()[0]).toContain('You added task 1: “call the vendor”, for @bob.');
  // What followed, and what others were told, is not repeated with it.
  const bobs = [...place.reads(bob, 'general'), ...place.reads(bob, slack.openDm(bob).id)];
  expect(bobs.filter(each => each.includes('gave you a task'))).toHaveLength(1);
  expect(bobs.filter(each => each.includes(`${phrases.added}: “two”`))).toHaveLength(1);
});
