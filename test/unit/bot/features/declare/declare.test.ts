import { expect, test } from 'vitest';
import { isAtLeast } from '../../../../../src/config/log-levels.ts';
import { openBareSlack } from '../../../../support/bare-workplace.ts';
import { openBareGeneral } from '../../../../support/general.ts';
import { openMore } from '../../../../support/more-options.ts';
import { phrases } from '../../../../support/phrases.ts';
import { recover } from '../../../../support/recover.ts';

const berlin = { tz: 'Europe/Berlin' };

/** Announcements go to a channel that exists before the bot starts, since its id is a setting. */
async function withAnnouncements(kind: { botIsMember?: boolean; isArchived?: boolean; isPrivate?: boolean }) {
  const slack = openBareSlack();
  const watcher = slack.addPerson({ name: 'watcher' });
  const alerts = slack.addChannel({ name: 'alerts', members: [watcher], ...kind });
  const acme = await openBareGeneral({ profile: berlin, slack, settings: { ANNOUNCE_CHANNEL: alerts.id } });
  return { ...acme, watcher, alerts };
}

test('--now skips the form', async () => {
  const { place, alice, declare, incident } = await openBareGeneral({ profile: berlin });
  expect(await declare('Disk is full --sev critical --label disk --now')).toContain('You declared incident 1: ');
  expect(alice.view).toBeUndefined();
  expect(await incident('1')).toMatchObject({ severity: 'critical', title: 'Disk is full' });
  expect(place.troubles).toEqual([]);
});

test('from the shortcuts menu there is no channel, so the receipt comes as a direct message', async () => {
  const { place, slack, alice, form, incidents, act } = await openBareGeneral({ profile: berlin });
  await act(() => alice.shortcut('declare'));
  expect(form()).toContain('== Declare an incident ==');
  await act(() => alice.submit({ title: 'Nobody can log in' }));
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain('Head to #inc-1-nobody-can-log-in');
  expect(await incidents()).toHaveLength(1);
});

test('the form refuses what cannot be, keeps what was typed, and nothing is sent', async () => {
  const { place, slack, alice, declare, form, incidents, act } = await openBareGeneral({ profile: berlin });
  await declare('');
  expect((await alice.submit({ title: '' })).failed).toBe('incomplete');
  expect((await alice.submit({ title: '   ' })).body).toMatchObject({
    errors: { title: 'Say in a few words what is happening.' },
  });
  expect((await alice.submit({ title: '\u200b \u2060' })).body).toMatchObject({
    errors: { title: 'Say in a few words what is happening.' },
  });
  await openMore(place, alice);
  await alice.submit({
    title: 'x'.repeat(501),
    labels: `${'y'.repeat(101)}, ok`,
    link: 'ftp://example.com/x',
    caption: 'z'.repeat(501),
    started: new Date(Date.now() + 3_600_000),
  });
  expect(form()).toContain('! A title has at most 500 characters, and this one has 501. Put the rest in a note.');
  expect(form()).toContain('! A label has at most 100 characters, and “yyy');
  expect(form()).toContain('! That is not a web address. It starts with https://.');
  expect(form()).toContain('! A caption has at most 500 characters.');
  expect(form()).toContain('! That is in the future: ');
  expect(form()).toContain('x'.repeat(501));
  await alice.submit({ labels: Array.from({ length: 21 }, (_, index) => `l${index}`).join() });
  expect(form()).toContain('! At most 20 labels at once; these are 21.');
  expect(await incidents()).toEqual([]);
  await act(() => alice.submit({ title: 'x'.repeat(500), labels: '', link: '', caption: '', started: '' }));
  expect((await incidents())[0]?.title).toBe('x'.repeat(500));
  expect(slack.channels.at(-1)?.name).toMatch(/^inc-1-x{64}$/);
});

test.each([
  ['', 'Say in a few words what is happening.'],
  [`${'x'.repeat(501)}`, 'A title has at most 500 characters, and this one has 501.'],
  [
    'Disk is full --severity dreadful',
    'There is no severity “dreadful”: choose one of pending, minor, major, critical.',
  ],
  ['Disk is full --link nowhere', 'That is not a web address.'],
  ['Disk is full --started tomorrow', 'tomorrow'],
  ['Disk is full --severity', '--severity needs a value'],
  ['Disk is full --frequency 3', 'frequency'],
])('--now refuses “%s” with a sentence and gives back what was typed', async (typed, sentence) => {
  const { declare, incidents } = await openBareGeneral({ profile: berlin });
  const read = await declare(`${typed} --now`.trim());
  expect(read).toContain(sentence);
  expect(read).toContain(`You typed: /incident declare ${typed === '' ? '--now' : typed}`);
  expect(await incidents()).toEqual([]);
});

test('an unknown severity with --now: a button for each declares with all that was typed, once; the form holds it too', async () => {
  const { declare, incident, incidents, form, alice, place, general, act } = await openBareGeneral({ profile: berlin });
  const line = 'Disk is full --now --severity dreadful --label disk --label "a b" --drill';
  expect(await declare(line)).toBe(
    [
      'I declared nothing: There is no severity “dreadful”: choose one of pending, minor, major, critical.',
      '[pending]\n[minor]\n[major]\n[critical]\n[Open the form]',
      `You typed: /incident declare ${line}`,
    ].join('\n'),
  );
  expect(await incidents()).toEqual([]);
  const question = place.messages(alice, general.id).at(-1);
  if (!question) throw new Error('There is no question');
  await act(() => alice.press(question, 'Open the form'));
  expect(form()).toContain('Title: [Disk is full]');
  expect(form()).toContain('Labels (optional): [disk, a b]');
  await alice.close();
  await alice.press(question, 'major');
  await act(() => alice.press(question, 'major'));
  expect(await incidents()).toHaveLength(1);
  const made = await incident('1');
  expect([made.title, made.severity, made.isDrill]).toEqual(['Disk is full', 'major', true]);
  expect(made.labels.map(each => each.label)).toEqual(['disk', 'a b']);

  expect(await declare('Disk is full --now --severity dreadful --started tomorrow')).not.toContain('[major]');
  expect(await declare('Disk is full --now --started tomorrow')).toContain('[Open the form]');
});

test('an unknown severity in the command opens the form and says so', async () => {
  const { declare, form } = await openBareGeneral({ profile: berlin });
  await declare('Disk is full --severity dreadful --link nowhere --started "the other day"');
  expect(form()).toContain('There is no severity “dreadful”: choose one of pending, minor, major, critical.');
  expect(form()).toContain('“nowhere” is left out. That is not a web address.');
  expect(form()).toContain('“the other day”');
  expect(form()).toContain('Title: [Disk is full]');
});

test('one that is over is recorded with its start and end, without a channel, and nobody is told', async () => {
  const now = new Date('2026-11-20T14:00:00Z');
  const { place, slack, alice, declare, incident, act } = await openBareGeneral({ profile: berlin, clock: () => now });
  const channels = slack.channels.length;
  const posts = () => slack.channels.flatMap(channel => channel.messages.filter(each => !each.ephemeralTo)).length;
  const before = posts();
  await declare('Certificate ran out --started 09:00 --ended 10:30 --now');
  expect(place.lastRead(alice, 'general')).toContain(
    'You recorded incident 1 as over: “Certificate ran out”, severity pending.\nIt began Nov 20, 2026 8:00 AM and ended Nov 20, 2026 9:30 AM.\nIt has no channel and is not announced.',
  );
  const made = await incident('1');
  expect([made.status, made.incidentStart, made.incidentEnd]).toEqual([
    'resolved',
    '2026-11-20T08:00:00Z',
    '2026-11-20T09:30:00Z',
  ]);
  expect(slack.channels).toHaveLength(channels);
  expect(posts()).toBe(before);

  await act(() => alice.command('general', '/note the renewal job had failed --incident 1'));
  expect(place.lastRead(alice, 'general')).toContain(phrases.added);
  await act(() => alice.command('general', '/incident status 1'));
  expect(place.lastRead(alice, 'general')).toContain('Resolved');
});

test('an end before the start, without one, or ahead is refused, and nothing typed is lost', async () => {
  const now = new Date('2026-11-20T14:00:00Z');
  const { place, alice, declare, incidents } = await openBareGeneral({ profile: berlin, clock: () => now });
  for (const [times, why] of [
    ['--started 10:30 --ended 09:00', 'That is before it started.'],
    ['--ended 09:00', 'Say when it started, too.'],
    ['--started 09:00 --ended banana', 'is not a time'],
  ] as const) {
    await declare(`Certificate ran out ${times} --now`);
    expect(place.lastRead(alice, 'general')).toContain(why);
    expect(place.lastRead(alice, 'general')).toContain(`You typed: /incident declare Certificate ran out ${times}`);
  }
  expect(await incidents()).toEqual([]);
});

test('a start that was typed is read in the typist’s zone', async () => {
  const now = new Date('2026-11-20T14:00:00Z');
  const { declare, incident } = await openBareGeneral({ profile: berlin, clock: () => now });
  await declare('Disk is full --started 14:05 --now');
  expect((await incident('1')).incidentStart).toBe('2026-11-20T13:05:00Z');
});

test('without a channel of its own the card stands where it was declared', async () => {
  const { place, slack, alice, declare, act } = await openBareGeneral({ profile: berlin });
  await declare('Small thing');
  await openMore(place, alice);
  await act(() => alice.submit({ where: 'here' }));
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toEqual([]);
  const card = place.messages(alice, 'general').find(each => each.pinned);
  expect(card?.text.split('\n')[0]).toBe('Incident 1 (active, pending): Small thing');
});

test('from the form, a private incident has a private channel', async () => {
  const { slack, alice, declare, act } = await openBareGeneral({ profile: berlin });
  await declare('Data leak');
  await act(() => alice.submit({ private: ['private'] }));
  expect(slack.channel('inc-1-data-leak').isPrivate).toBe(true);
});

test('when its private channel cannot be made, a private incident is shown to nobody else', async () => {
  const { place, slack, general, declare, incidents } = await withAnnouncements({ botIsMember: true });
  const bob = slack.addPerson({ name: 'bob' });
  bob.join(general.id);
  slack.fail('conversations.create', { error: 'restricted_action' });
  const read = await declare('Data leak --private --now');
  expect(read).toContain('I could not make a channel for this incident: this workspace does not let apps do that.');
  expect(read).toContain('You wanted it private, so I posted its card nowhere');
  expect(await incidents()).toHaveLength(1);
  for (const name of ['general', 'alerts']) {
    expect(
      place
        .messages(bob, name)
        .map(each => each.text)
        .join(),
    ).not.toContain('leak');
  }
});

test.each([
  ['archived', { isArchived: true }, 'that channel is archived'],
  [
    'private and unknown to the bot',
    { isPrivate: true },
    'that channel no longer exists, or I cannot see it. Invite me there with /invite @Muster.',
  ],
])('an announcement channel that is %s is said, and the incident is there', async (_what, kind, why) => {
  const { declare, slack, incidents } = await withAnnouncements(kind);
  const read = await declare('Checkout answers 500 --now');
  expect(read).toContain('I could not announce it in #alerts: ');
  expect(read).toContain(why);
  expect(await incidents()).toHaveLength(1);
  expect(slack.channel('inc-1-checkout-answers-500').messages.some(each => each.pinned)).toBe(true);
});

test('an announcement that has to wait holds up nobody, and is made later, once', async () => {
  const { place, slack, watcher, alerts, declare } = await withAnnouncements({ botIsMember: true });
  const when = (args: Readonly<Record<string, unknown>>) => args.channel === alerts.id;
  slack.fail('chat.postMessage', { error: 'internal_error' }, { when, times: 1000 });
  expect(await declare('Checkout answers 500 --now')).toContain('Head to #inc-1-checkout-answers-500.');
  expect(place.reads(watcher, 'alerts')).toEqual([]);
  await recover(place, slack);
  await place.quiet();
  expect(place.reads(watcher, 'alerts')).toEqual([expect.stringContaining('Checkout answers 500')]);
});

test('an announcement channel that does not exist is said', async () => {
  const { declare, incidents } = await openBareGeneral({
    profile: berlin,
    settings: { ANNOUNCE_CHANNEL: 'C0NOWHERE' },
  });
  expect(await declare('Checkout answers 500 --now')).toContain('I could not announce it in #C0NOWHERE');
  expect(await incidents()).toHaveLength(1);
});

test('a name that is taken, even by an archived channel, gets a suffix', async () => {
  const { slack, declare } = await openBareGeneral({ profile: berlin });
  slack.addChannel({ name: 'inc-1-disk-is-full', isArchived: true });
  slack.addChannel({ name: 'inc-1-disk-is-full-2' });
  expect(await declare('Disk is full --now')).toContain('Head to #inc-1-disk-is-full-3');
});

test.each([
  [
    'conversations.create',
    { error: 'restricted_action' },
    'I could not make a channel for this incident: this workspace does not let apps do that. An administrator can allow it.',
  ],
  [
    'chat.postMessage',
    { error: 'msg_too_long' },
    'I could not post the incident’s card here: Slack said msg_too_long.',
  ],
] as const)(
  'when %s goes wrong (%o) the incident is there and the trouble is said',
  async (method, fault, sentence) => {
    const { place, slack, declare, incidents } = await openBareGeneral({ profile: berlin });
    slack.fail(method, fault);
    const read = await declare('Disk is full --now');
    const ofLine = slack.callsOf(method).filter(({ args }) => String(args.text).startsWith('🚨'));
    expect(slack.callsOf(method).length - ofLine.length).toBe(1);
    expect(read).toContain('You declared incident 1');
    expect(read).toContain(`:warning: ${sentence}`);
    expect(await incidents()).toHaveLength(1);
    expect(place.troubles.some(each => isAtLeast(each, 'error'))).toBe(false);
  },
);

test.each([
  ['conversations.invite', { error: 'cant_invite' }, ', but you are not in it', 'invite you: Slack said cant_invite.'],
  ['pins.add', { error: 'missing_scope' }, '', 'pin the card: the app lacks a permission.'],
] as const)(
  'when %s goes wrong (%o) the answer comes as ever, and the trouble is said after it',
  async (method, fault, but, sentence) => {
    const { place, slack, alice, declare, incidents } = await openBareGeneral({ profile: berlin });
    slack.fail(method, fault);
    const read = await declare('Disk is full --now');
    const ofLine = slack.callsOf(method).filter(({ args }) => String(args.text).startsWith('🚨'));
    expect(slack.callsOf(method).length - ofLine.length).toBe(1);
    expect(place.reads(alice, 'general').some(each => each.includes('You declared incident 1'))).toBe(true);
    expect(read).toContain(`The channel of incident 1 is ready${but}.\nIt is #inc-1-disk-is-full.`);
    expect(read).toContain(`:warning: I could not ${sentence}`);
    expect(await incidents()).toHaveLength(1);
  },
);

test('while Slack limits new channels that is said, and the incident is there', async () => {
  const { slack, declare, incidents } = await openBareGeneral({ profile: berlin });
  slack.fail('conversations.create', { rateLimited: 30 });
  const read = await declare('Disk is full --now');
  expect(read).toContain('You declared incident 1');
  expect(read).toContain(
    ':warning: Slack asks me to wait 30 s, so I could not make a channel for this incident yet. I will then do it',
  );
  expect(read).not.toContain('Head to');
  expect(await incidents()).toHaveLength(1);
});

test.each([
  ['conversations.create', { dropAfterEffect: true }],
  ['conversations.create', { halfBody: true }],
  ['conversations.invite', { dropAfterEffect: true }],
  ['conversations.setTopic', { dropAfterEffect: true }],
  ['chat.postMessage', { dropAfterEffect: true }],
  ['chat.postMessage', { halfBody: true }],
  ['pins.add', { dropAfterEffect: true }],
] as const)('when the answer of %s is lost after its effect (%o) nothing is made twice', async (method, fault) => {
  const { place, slack, alice, declare, incidents } = await openBareGeneral({ profile: berlin });
  slack.fail(method, fault);
  await declare('Disk is full --now');
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(await incidents()).toHaveLength(1);
  expect(slack.channels.filter(each => each.name.startsWith('inc-')).map(each => each.name)).toEqual([
    'inc-1-disk-is-full',
  ]);
  const room = slack.channel('inc-1-disk-is-full');
  expect(room.members.has(alice.id)).toBe(true);
  expect(room.messages.filter(each => each.text.startsWith('Incident 1'))).toHaveLength(1);
  expect(room.messages.filter(each => each.pinned).map(each => each.text.split('\n')[0])).toEqual([
    'Incident 1 (active, pending): Disk is full',
  ]);
});

test('a channel whose answer was lost is found in a large workspace without paging through it', async () => {
  const { place, slack, declare } = await openBareGeneral({ profile: berlin });
  for (let index = 0; index < 1100; index += 1) slack.addChannel({ name: `team-${index}`, members: [] });
  slack.fail('conversations.create', { dropAfterEffect: true });
  await declare('Disk is full --now');
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(slack.channels.filter(each => each.name.startsWith('inc-')).map(each => each.name)).toEqual([
    'inc-1-disk-is-full',
  ]);
  expect(slack.callsOf('conversations.list')).toEqual([]);
  expect(slack.callsOf('users.conversations')).toHaveLength(1);
});

test('a channel that somebody made private before its answer was found is the room still', async () => {
  const { place, slack, alice, declare, incidents } = await openBareGeneral({ profile: berlin });
  slack.fail('conversations.create', { dropAfterEffect: true });
  slack.fail('users.conversations', { error: 'internal_error' });
  await declare('Disk is full --now');
  const [room] = slack.channels.filter(each => each.name.startsWith('inc-'));
  if (!room) throw new Error('There is no channel');
  alice.join(room);
  alice.makePrivate(room);
  await slack.settled();
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(await incidents()).toHaveLength(1);
  expect(slack.channels.filter(each => each.name.startsWith('inc-')).map(each => each.id)).toEqual([room.id]);
  expect(room.messages.filter(each => each.text.startsWith('Incident 1'))).toHaveLength(1);
});

test('declared where the bot is no member, the incident has its channel and the receipt is read', async () => {
  const { place, slack, alice, incidents, act } = await openBareGeneral({ profile: berlin });
  const corner = slack.addChannel({ name: 'corner', members: [alice], isPrivate: true });
  await act(() => alice.command(corner, '/incident declare Disk is full'));
  await act(() => alice.submit({}));
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain('You declared incident 1');
  expect(slack.channel('inc-1-disk-is-full').members.has(alice.id)).toBe(true);
  expect(await incidents()).toHaveLength(1);
});

test('declared in the direct message with the bot', async () => {
  const { place, slack, alice, incidents, act } = await openBareGeneral({ profile: berlin });
  await act(() => alice.command(slack.openDm(alice), '/incident declare Disk is full --now'));
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain('Head to #inc-1-disk-is-full');
  expect(await incidents()).toHaveLength(1);
});

test('when the three seconds for a form are over, what was typed is kept, and a button opens the form with it', async () => {
  const { place, slack, alice, general, declare, form, incidents, act } = await openBareGeneral({ profile: berlin });
  const bob = slack.addPerson({ name: 'bob' });
  bob.join(general.id);
  slack.delayTriggers();
  const read = await declare('Checkout answers 500 --severity major --label eu');
  expect(read).toContain('Slack gives three seconds to open a form, and they were over. What you typed is kept');
  expect(alice.view).toBeUndefined();
  const kept = place.messages(alice, 'general').at(-1);
  if (!kept) throw new Error('Nothing was offered');
  expect(place.messages(bob, 'general')).toEqual([]);
  await act(() => alice.press(kept, 'Open the form'));
  expect(form()).toContain('[Checkout answers 500]');
  expect(form()).toContain('[🟠 Major – many people are affected ▾]');
  expect(form()).toContain('[eu]');
  await act(() => alice.submit({}));
  expect((await incidents()).map(each => each.title)).toEqual(['Checkout answers 500']);
});

test('when Slack refuses to open the form for another reason, what was typed is kept too', async () => {
  const { place, slack, alice, declare, form } = await openBareGeneral({ profile: berlin });
  slack.fail('views.open', { error: 'fatal_error' });
  expect(await declare('Checkout answers 500')).toContain(
    'Slack did not open the form (fatal_error). What you typed is kept',
  );
  const kept = place.messages(alice, 'general').at(-1);
  if (kept) await alice.press(kept, 'Open the form');
  await place.quiet();
  expect(form()).toContain('[Checkout answers 500]');
});

test('by mention a form cannot open by itself, so a button does; in a thread the answer stays there', async () => {
  const { place, alice, general, form, act } = await openBareGeneral({ profile: berlin });
  const alert = alice.say(general, 'checkout is on fire');
  await act(() => alice.mention(general, 'declare: Checkout is on fire', { threadTs: alert.ts }));
  const offered = place.messages(alice, 'general').at(-1);
  expect(offered?.threadTs).toBe(alert.ts);
  if (offered) await alice.press(offered, 'Open the form');
  await place.quiet();
  expect(form()).toContain('[Checkout is on fire]');
  await act(() => alice.submit({}));
  const receipt = place.messages(alice, 'general').findLast(message => message.ephemeralTo !== undefined);
  expect(receipt?.text).toContain('You declared incident 1');
  expect(receipt?.threadTs).toBe(alert.ts);
});

test('@channel typed in a command is text, not a call', async () => {
  const { slack, declare, incident } = await openBareGeneral({ profile: berlin });
  await declare('@channel is down --label @here --now');
  expect((await incident('1')).title).toBe('@channel is down');
  expect(JSON.stringify(slack.calls.map(call => call.args))).not.toMatch(/<!(channel|here)/);
});

test('three thousand characters of the longest kind pass every limit of Slack', async () => {
  const { place, slack, alice, declare, incident, form } = await withAnnouncements({ botIsMember: true });
  await declare(`${'&'.repeat(2900)} --label ${'<'.repeat(100)}`);
  expect(form()).toContain('&&&&');
  await alice.submit({});
  expect(form()).toContain('! A title has at most 500 characters, and this one has 2900.');
  await alice.submit({
    title: '&'.repeat(500),
    labels: Array.from({ length: 20 }, (_, index) => `${index}${'<'.repeat(97)}`).join(),
    link: `https://example.com/${'é'.repeat(2900)}`,
    caption: '&'.repeat(500),
  });
  await place.quiet();
  expect(await incident('1')).toMatchObject({ title: '&'.repeat(500) });
  expect(place.lastRead(alice, 'general')).not.toContain(':warning:');
  expect(slack.calls.filter(call => call.response?.ok === false)).toEqual([]);
});

test('a refused command of three thousand characters is given back whole', async () => {
  const { declare } = await openBareGeneral({ profile: berlin });
  const read = await declare(`${'wörd <&> '.repeat(330)}END --now`);
  expect(read).toContain('A title has at most 500 characters');
  expect(read).toContain('END --now');
});

test.each([
  ['see status.example.com/1', 'status.example.com/1', 'https://status.example.com/1'],
  ['hosts', 'db-1.example.com', 'https://db-1.example.com'],
  ['a whole address', 'https://status.example.com/1', 'https://status.example.com/1'],
])('a link without its scheme is one (%s)', async (title, typed, url) => {
  const { alice, general, act } = await openBareGeneral();
  await act(() => alice.command(general, `/incident declare ${title} --link ${typed}`));
  expect(alice.view?.values.link?.link?.value).toBe(url);
});
