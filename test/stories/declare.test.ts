import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { stopsAtOnce } from '../support/deadlines.ts';
import { openFolder } from '../support/folder.ts';
import { openGeneral } from '../support/general.ts';
import { notesOf, openIncident } from '../support/incident-room.ts';
import { openMore } from '../support/more-options.ts';
import { recover } from '../support/recover.ts';
import { openInstalledSlack, openWorkplace } from '../support/workplace.ts';

const berlin = { tz: 'Europe/Berlin' };

/** Announcements go to a channel that exists before the bot starts, since its id is a setting. */
async function withAnnouncements(kind: { botIsMember?: boolean; isArchived?: boolean; isPrivate?: boolean }) {
  const slack = await openInstalledSlack();
  const watcher = slack.addPerson({ name: 'watcher' });
  const alerts = slack.addChannel({ name: 'alerts', members: [watcher], ...kind });
  const acme = await openGeneral({ profile: berlin, slack, settings: { ANNOUNCE_CHANNEL: alerts.id } });
  return { ...acme, watcher, alerts };
}

test('declaring by form: prefilled with what was typed, then incident, channel, card, and a receipt where it was typed', async () => {
  const { place, alice, declare, form, incident, slack } = await openGeneral({ profile: berlin });
  await declare('Checkout answers 500 --severity major --label checkout --label eu --drill');
  expect(form()).toContain('Title: [Checkout answers 500]');
  expect(form()).toContain('How bad is it?: [🟠 Major – many people are affected ▾]');
  expect(form()).toContain('(x) This is a drill');
  expect(form()).toContain('Labels (optional): [checkout, eu]');

  expect((await alice.submit({})).status).toBe(200);
  await place.quiet();
  expect(place.lastRead(alice, 'general')).toBe(
    '🚨 You declared incident 1 (a drill): “Checkout answers 500”, severity major.\nHead to #inc-1-checkout-answers-500.\n[Undo]',
  );
  const made = await incident('1');
  expect(made).toMatchObject({ title: 'Checkout answers 500', severity: 'major', isDrill: true, status: 'active' });
  expect(made.labels.map(each => each.label)).toEqual(['checkout', 'eu']);
  expect(made.createdByUser.name).toBe('alice');

  const room = slack.channel('inc-1-checkout-answers-500');
  expect(room.members.has(alice.id)).toBe(true);
  expect(room.topic).toBe('Drill · Active · Checkout answers 500');
  const [card] = place.messages(alice, room.name);
  expect(card?.pinned).toBe(true);
  expect(place.reads(alice, room.name)[0]).toContain('🧪 DRILL · 🟠 MAJOR · Checkout answers 500');
  expect(place.reads(alice, room.name)[0]).toContain('checkout');
  expect(place.reads(alice, room.name)).toHaveLength(1);
});

test('already resolved, with its start, a link and a caption, and a commander', async () => {
  const { place, alice, declare, incident, timeline } = await openGeneral({ profile: berlin });
  await declare('Certificate ran out --resolved --channel --commander');
  const started = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 7_200_000);
  await alice.submit({ started, link: 'https://ci.example.com/1?a=b&c=<d>', caption: 'The failing <build>' });
  await place.quiet();
  const made = await incident('1');
  expect(made.status).toBe('resolved');
  expect(new Date(made.incidentStart)).toEqual(started);
  expect(made.incidentMembership.assignments.map(each => [each.role.name, each.user.name])).toEqual([
    ['commander', 'alice'],
  ]);
  const context = (await timeline('1')).find(each => each.activityKind === 'contextAttached');
  expect(context).toMatchObject({ body: 'The failing <build>', url: 'https://ci.example.com/1?a=b&c=<d>' });
  expect(place.reads(alice, 'inc-1-certificate-ran-out')[0]).toContain('Resolved');
  expect(place.reads(alice, 'inc-1-certificate-ran-out')[0]).toContain('Commander @alice');
});

test('the form says where it will be announced; what else is known becomes the first line of the room', async () => {
  const { place, slack, alice, declare, alerts, act } = await withAnnouncements({ botIsMember: true });
  await declare('Checkout answers 500');
  const form = renderView(slack, alice.view ?? expect.unreachable('no form'));
  expect(form).toContain(`Everybody in #${alerts.name} will see it, unless it is private.`);
  const details = 'Since the release of 12:00 <!channel>';
  await openMore(place, alice);
  await act(() => alice.submit({ details }));
  const room = slack.channel('inc-1-checkout-answers-500');
  const read = place.reads(alice, room.id);
  expect(read[0]).toContain('Checkout answers 500');
  expect(read.at(-1)).toBe(`:memo: @alice noted: “${details}”`);
  const [note] = await notesOf(place, '1');
  expect(note?.body).toBe(`${details}\n\n— alice in Slack`);
});

test('a private incident has a private channel and is announced nowhere', async () => {
  const { place, slack, alice, watcher, declare, incidents } = await withAnnouncements({ botIsMember: true });
  await declare('Data leak --private --now');
  expect(await incidents()).toMatchObject([{ title: 'Data leak', incidentType: 'private' }]);
  const room = slack.channel('inc-1-data-leak');
  expect(room.isPrivate).toBe(true);
  expect([...room.members].sort()).toEqual([alice.id, slack.botUserId].sort());
  expect(place.messages(watcher, 'alerts')).toEqual([]);
  expect(place.lastRead(alice, 'general')).toContain('Head to');
});

test.each([
  ['हिन्दी में समस्या', 'inc-1'],
  ['ระบบล่ม', 'inc-1'],
  ['サーバーが落ちた', 'inc-1-サーバーが落ちた'],
  ['🔥🔥', 'inc-1'],
  ['Zażółć', 'inc-1-zazołc'],
])('the channel of “%s” is %s: Slack takes no name in each script', async (title, name) => {
  const { alice, general, slack, place } = await openGeneral();
  await alice.command(general, `/incident declare ${title} --now`);
  await place.quiet();
  expect(slack.channels.filter(each => each.name.startsWith('inc-')).map(each => each.name)).toEqual([name]);
  expect(place.lastRead(alice, general.id)).not.toContain('could not');
});

test.each(['invalid_name', 'invalid_name_specials', 'invalid_name_maxlength', 'name_taken'])(
  'where Slack refuses each name with the title (%s), the channel has the number alone, and is what people are told',
  async error => {
    const { alice, general, slack, place } = await openGeneral();
    const hasTitle = (args: Readonly<Record<string, unknown>>) => args.name !== 'inc-1';
    slack.fail('conversations.create', { error }, { times: 1000, when: hasTitle });
    await alice.command(general, '/incident declare Disk is full --now');
    await place.quiet();
    const room = slack.channel('inc-1');
    expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toEqual([room]);
    const read = place.lastRead(alice, general.id);
    expect(read).toContain('Head to #inc-1');
    expect(read).not.toMatch(/could not|no channel/);
    expect(place.reads(alice, room.id)[0]).toContain('Disk is full');
  },
);

test('it is announced, with the way to its channel and without buttons', async () => {
  const { place, watcher, declare } = await withAnnouncements({ botIsMember: true });
  await declare('Checkout answers 500 --now');
  const read = place.lastRead(watcher, 'alerts');
  expect(read).toContain('Checkout answers 500');
  expect(read).toContain('#inc-1-checkout-answers-500');
  expect(JSON.stringify(place.messages(watcher, 'alerts').at(-1)?.blocks)).not.toContain('button');
});

test('the answer to a declaration waits for three calls of the Web API, and for nothing that follows', async () => {
  const { place, slack, alice, general, alerts } = await withAnnouncements({ botIsMember: true });
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const before = slack.calls.length;
  const waited = () => slack.calls.slice(before).filter(each => each.method !== 'response_url');
  const isAnnouncement = (args: Readonly<Record<string, unknown>>) => args.channel === alerts.id;
  for (const method of ['conversations.invite', 'conversations.setTopic', 'pins.add', 'bookmarks.list']) {
    slack.fail(method, { until: () => held });
  }
  slack.fail('chat.postMessage', { until: () => held }, { when: isAnnouncement });
  await alice.command(general, '/incident declare Checkout answers 500 --now');
  await slack.until(() => place.lastRead(alice, 'general').includes('You declared incident 1'));
  expect(waited().map(each => each.method)).toEqual(['users.info', 'conversations.create', 'chat.postMessage']);
  letGo();
  await place.quiet();
  const room = slack.channel('inc-1-checkout-answers-500');
  expect(room.members.has(alice.id)).toBe(true);
  expect(room.topic).toBe('Active · Checkout answers 500');
  expect(room.messages.filter(each => each.pinned)).toHaveLength(1);
  expect(alerts.messages).toHaveLength(1);
});

test('what follows a declaration survives the process that was to do it', async () => {
  const databaseFile = join(await openFolder(), 'muster.db');
  const { place, slack, alice, general } = await openGeneral({ profile: berlin, databaseFile, deadlines: stopsAtOnce });
  slack.fail('conversations.invite', { stall: true });
  await alice.command(general, '/incident declare Disk is full --now');
  await slack.until(() => slack.callsOf('conversations.invite').length > 0);
  await place[Symbol.asyncDispose]();
  const room = slack.channel('inc-1-disk-is-full');
  expect(room.members.has(alice.id)).toBe(false);
  const next = await openWorkplace({ slack, databaseFile });
  await next.muster.bot.journal.wake();
  await next.quiet();
  expect(room.members.has(alice.id)).toBe(true);
  expect(room.messages.filter(each => each.pinned)).toHaveLength(1);
  expect(room.topic).toBe('Active · Disk is full');
});

test.each([
  ['conversations.create', { dropBefore: true }, 'make a channel for this incident'],
  ['conversations.create', { status: 200, body: '<html>busy</html>' }, 'make a channel for this incident'],
  ['conversations.invite', { error: 'fatal_error' }, ''],
  ['chat.postMessage', { dropBefore: true }, 'post the incident’s card here'],
  ['pins.add', { error: 'internal_error' }, ''],
] as const)('when Slack does not answer %s (%o) the place is finished later, once', async (method, fault, what) => {
  const { place, slack, alice, declare, incidents } = await openGeneral({ profile: berlin });
  slack.fail(method, fault, { times: 1000 });
  const read = await declare('Disk is full --now');
  expect(read).toContain('You declared incident 1');
  if (what !== '') expect(read).toContain(`:warning: Slack does not answer, so I could not ${what} yet. I will do it`);
  await recover(place, slack);
  await place.quiet();
  expect(await incidents()).toHaveLength(1);
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
  const room = slack.channel('inc-1-disk-is-full');
  expect(room.members.has(alice.id)).toBe(true);
  expect(room.messages.filter(each => each.text.startsWith('Incident 1'))).toHaveLength(1);
  expect(room.messages.filter(each => each.pinned).map(each => each.text.split('\n')[0])).toEqual([
    'Incident 1 (active, pending): Disk is full',
  ]);
  expect(room.topic).toBe('Active · Disk is full');
});

test('a form sent twice, at once or later, declares one incident and says so', async () => {
  const { place, alice, declare, incidents, slack, act } = await openGeneral({ profile: berlin });
  await declare('Disk is full');
  const [first, second] = await alice.submitTwice({});
  expect([first.status, second.status]).toEqual([200, 200]);
  await place.quiet();
  await act(() => alice.resubmit());
  expect(await incidents()).toHaveLength(1);
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
  const reads = place.reads(alice, 'general').filter(each => each.includes('declared incident 1'));
  // The two that come at once may be taken for one.
  expect([1, 2]).toContain(reads.filter(each => each.includes('You already declared incident 1')).length);
  expect(reads.at(-1)).toContain('#inc-1-disk-is-full');
});

const hostile = '<!channel> &lt;b&gt; <@U123|x> *bold* `code` <https://evil.example|click> @here \u202e\u0007';

test('text that would call everybody calls nobody, whatever field it is in', async () => {
  const { place, slack, alice, watcher, declare, incident } = await withAnnouncements({ botIsMember: true });
  await declare('');
  await openMore(place, alice);
  await alice.submit({
    title: hostile,
    labels: `<!channel>, &amp;, ${hostile}`,
    link: 'https://example.com/<!here>',
    caption: hostile,
  });
  await place.quiet();
  const made = await incident('1');
  expect(made.title).toBe('<!channel> &lt;b&gt; <@U123|x> *bold* `code` <https://evil.example|click> @here');
  const sent = JSON.stringify(
    slack.calls.map(call => call.args),
    // Slack reads nothing in these.
    (name, part) =>
      name === 'accessibility_label' || part?.type === 'plain_text' || part?.type === 'modal' ? undefined : part,
  );
  expect(sent).not.toMatch(/<!(channel|here|everyone)/);
  for (const each of [
    ...place.reads(alice, 'general'),
    ...place.reads(watcher, 'alerts'),
    ...place.reads(alice, slack.channels.at(-1)?.name ?? ''),
  ]) {
    expect(each).not.toContain('!!!');
  }
  expect(slack.channels.find(each => each.name.startsWith('inc-1'))?.topic).toContain('&lt;!channel&gt;');
});

describe('the channel where an incident is declared', () => {
  test('reads who declared it, and joins with one press', async () => {
    const { place, bob, general, home, carol, act } = await openIncident();
    const told = place.messages(carol, general.id).find(message => message.text.includes('declared'));
    if (!told) throw new Error('#general reads nothing');
    expect(told.text).toBe(`🚨 @alice declared Checkout answers 500 (pending). It is handled in <#${home.id}>.`);
    expect(home.members).not.toContain(carol.id);
    await act(() => carol.press(told, 'Join'));
    expect(home.members).toContain(carol.id);
    expect(place.lastRead(carol, general.id)).toBe(`You are in #${home.name} now.`);
    expect(place.messages(bob, general.id).filter(message => message.text.includes('declared'))).toHaveLength(1);
  });

  test('reads how it stands since, and no more once it was made private', async () => {
    const { place, alice, carol, general, home, type } = await openIncident();
    const told = () => place.reads(carol, general.id).filter(each => each.includes('declared'));
    await type('/incident severity major');
    await type('/incident title Checkout is down');
    expect(told()).toEqual([`🚨 @alice declared Checkout is down (major). It is handled in #${home.name}.\n[Join]`]);
    await type('/incident resolve --now');
    expect(told()).toEqual([
      `🚨 @alice declared Checkout is down (major, resolved). It is handled in #${home.name}.\n[Join]`,
    ]);
    alice.makePrivate(home);
    await place.slack.settled();
    await place.quiet();
    expect(told()).toEqual([]);
  });

  test('reads nothing of a private one, or where the bot is not', async () => {
    const hidden = await openIncident({ flags: '--private' });
    expect(hidden.place.reads(hidden.carol, hidden.general.id).join()).not.toContain('Checkout');
    const { slack, type, alice, carol, place } = await openIncident();
    const elsewhere = slack.addChannel({ name: 'elsewhere', isPrivate: true, members: [alice, carol] });
    const answer = await type('/incident declare Search is empty --now', alice, elsewhere);
    expect(answer).toContain('You declared');
    expect(answer).not.toContain('could not');
    expect(place.reads(carol, elsewhere.id)).toEqual([]);
  });
});
