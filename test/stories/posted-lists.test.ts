import { expect, test } from 'vitest';
import { renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { declareNow, type IncidentOptions, openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/** An incident with a commander, one that is over, and #support, whose people are in neither room. */
async function openLists({ flags = '--severity major', ...options }: IncidentOptions = {}) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const slack = await openInstalledSlack(clock);
  const opened = await openIncident({ slack, clock, flags, ...options });
  const { alice, bob, carol, general, type, place } = opened;
  await type('/role assign @bob commander');
  const over = await declareNow(place, alice, general, 'Disk was full --severity minor');
  await type('/incident resolve cleaned up --now', alice, over);
  now = new Date(now.getTime() + 28 * 60_000);
  const support = slack.addChannel({ name: 'support', members: [alice, bob, carol], botIsMember: true });
  const posted = () => support.messages.filter(each => each.botId === slack.botId && each.ephemeralTo === undefined);
  return {
    ...opened,
    support,
    over,
    /** What everybody in #support was shown. */
    posted,
    /** Types a line in #support and has its answer posted; yields what the person is told then. */
    post: async (line: string, person = alice) => {
      await type(line, person, support);
      const answer = place.messages(person, support.id).at(-1);
      if (answer) await Promise.all([person.press(answer, 'Post to channel'), person.press(answer, 'Post to channel')]);
      await place.quiet();
      return place.lastRead(person, support.id);
    },
  };
}

const told = 'Posted for everybody in this channel.';

test('a list of incidents is posted once, for all, and its text says the same', async () => {
  const { post, posted, place, bob, carol, support, home, over, slack } = await openLists();
  expect(await post('/incident list')).toBe(told);
  expect(posted()).toHaveLength(1);
  const read = place.lastRead(carol, support.id);
  expect(read.split('\n')).toEqual([
    phrases.active(1),
    `🟠 major · #1 Checkout answers 500 · active for 28 min · commander bob · #${home.name}`,
    `✅ resolved · #2 Disk was full · minor · 28 min ago, after 0 s · #${over.name}`,
    'Asked for by @alice',
  ]);
  expect(posted()[0]?.text).toContain('🟠 major · #1 Checkout answers 500 · active for 28 min · commander bob');
  expect(posted()[0]?.text).toContain('2 Disk was full');
  // A list calls nobody.
  expect(JSON.stringify(slack.callsOf('chat.postMessage').at(-1)?.args)).not.toContain(bob.id);
});

test('a posted list says of a resolved incident who commanded it, and nothing where nobody did', async () => {
  const { type, post, posted, place, carol, alice, support, home } = await openLists();
  await type('/incident resolve rolled back --now', alice, home);
  await post('/incident list');
  const read = place.lastRead(carol, support.id);
  expect(read).toContain('✅ resolved · #1 Checkout answers 500 · major · 0 s ago, after 28 min · commander bob');
  expect(read).not.toContain('no commander');
  expect(posted()[0]?.text).toContain('✅ resolved · #1 Checkout answers 500');
  expect(posted()[0]?.text).toContain('commander bob');
  expect(posted()[0]?.text).not.toContain('no commander');
});

test('a mention is answered in its thread, for all; one’s own list is not', async () => {
  const { alice, carol, support, posted, place, act } = await openLists();
  const said = carol.say(support, 'Is anything broken?');
  await act(() => alice.mention(support, 'list', { threadTs: said.ts }));
  await act(() => alice.mention(support, 'incident list severity:major'));
  expect(posted().map(({ threadTs }) => threadTs === said.ts)).toEqual([true, false]);
  expect(posted()[1]?.text).toContain(`${phrases.active(1)} for “severity:major”`);
  expect(posted()[1]?.text).not.toContain('Disk was full');
  expect(place.messages(alice, support.id).filter(each => each.ephemeralTo !== undefined)).toEqual([]);
  await act(() => alice.mention(support, 'incident list me'));
  expect(posted()).toHaveLength(2);
  expect(place.lastRead(alice, support.id)).not.toContain('Post to channel');
});

test('a posted list holds what everybody in the channel may see, and the person reads that something is missing', async () => {
  const { post, posted, place, alice, bob, general, home, type, act } = await openLists();
  const hidden = await declareNow(place, alice, general, 'Keys leaked --private');
  expect(await type('/incident list', alice)).toContain('Keys leaked');
  expect(await post('/incident list')).toBe(`${told} I left out 1 incident that not everybody here sees.`);
  expect(posted()[0]?.text).toContain('Checkout answers 500');
  expect(JSON.stringify(posted())).not.toContain('Keys leaked');
  expect(await post('/incident list Keys')).toBe('I did not post it: not everybody here sees one of those incidents.');
  expect(posted()).toHaveLength(1);
  // In its own channel everybody sees it.
  await type('/incident list', alice, hidden);
  await act(() => alice.press(place.messages(alice, hidden.id).at(-1)!, 'Post to channel'));
  expect(hidden.messages.findLast(each => each.ephemeralTo === undefined)?.text).toContain('Keys leaked');
  expect(JSON.stringify(place.messages(bob, home.id))).not.toContain('Keys leaked');
});

test('nothing is posted where another organisation reads, and guests and direct messages get no button', async () => {
  const { alice, gus, slack, place, type, act } = await openLists();
  const shared = slack.addChannel({ name: 'partners', members: [alice], botIsMember: true, isExtShared: true });
  await type('/incident list', alice, shared);
  await act(() => alice.press(place.messages(alice, shared.id).at(-1)!, 'Post to channel'));
  expect(place.lastRead(alice, shared.id)).toBe('I did not post it: people of another organisation read this channel.');
  await act(() => alice.mention(shared, 'list'));
  expect(shared.messages.filter(each => each.botId === slack.botId && each.ephemeralTo === undefined)).toEqual([]);
  expect(place.lastRead(alice, shared.id)).toContain('Checkout answers 500');
  expect(await type('/incident list', gus)).not.toContain('Post to channel');
  const direct = slack.openDm(alice);
  await act(() => alice.say(direct, 'list'));
  expect(place.lastRead(alice, direct.id)).not.toContain('Post to channel');
});

test('a list is posted in a public channel that Muster is not in, once', async () => {
  const { alice, general, place, slack, type } = await openLists();
  await type('/incident list', alice, general);
  const answer = place.messages(alice, general.id).at(-1)!;
  await Promise.all([alice.press(answer, 'Post to channel'), alice.press(answer, 'Post to channel')]);
  await place.quiet();
  expect(place.lastRead(alice, general.id)).toBe(told);
  expect(general.members.has(slack.botUserId)).toBe(false);
  expect(general.messages.filter(({ text }) => text.includes('Asked for by'))).toHaveLength(1);
});

test('a lost answer to the post does not post the list twice', async () => {
  const { post, posted, slack } = await openLists();
  slack.fail('chat.postMessage', { dropAfterEffect: true });
  expect(await post('/incident list')).toBe(told);
  expect(posted()).toHaveLength(1);
});

test('a long list is cut to what Slack takes, and says so', async () => {
  const { post, posted, api, slack } = await openLists();
  for (let each = 1; each <= 70; each += 1)
    await api.IncidentsService.CreateIncident({
      title: `Region ${each} ${'*answers* slowly_ '.repeat(5)}`,
      severity: 'minor',
      status: 'active',
      labels: [],
      roomPrefix: '',
      isDrill: false,
      attachCaption: '',
      attachURL: '',
    });
  expect(await post('/incident list')).toBe(told);
  const [list] = posted();
  expect(list?.text).toContain('There are more: /incident list shows them, page by page.');
  expect(list?.text.match(/Region \d+/g)?.length).toBeGreaterThan(15);
  expect(slack.callsOf('chat.postMessage').at(-1)?.response).toMatchObject({ ok: true });
});

test('while the API is away, the posted list says how old it is, and does not search', async () => {
  const { type, goAway, alice, general, place, act } = await openOutage();
  await type('/incident declare Disk is full --now');
  await type('/incident list');
  const answer = place.messages(alice, general.id).at(-1)!;
  await type('/incident list full');
  const search = place.messages(alice, general.id).at(-1)!;
  goAway();
  await act(() => alice.press(answer, 'Post to channel'));
  const posted = general.messages.find(
    ({ ephemeralTo, text }) => ephemeralTo === undefined && text.includes('Asked for'),
  );
  expect(posted?.text).toContain('This is how it was');
  expect(posted?.text).toContain('Disk is full');
  await act(() => alice.press(search, 'Post to channel'));
  expect(place.lastRead(alice, general.id)).toBe(
    'I did not post it: Grafana cannot be reached, and only it can search.',
  );
});

test('tasks and roles are posted from their lists and by mention, with the same words', async () => {
  const { type, press, last, home, place, alice, carol, slack, support, act } = await openLists();
  await type('/task add Roll back *1141* @bob');
  await type('/task add Call the bank');
  await type('/task start 1');
  await type('/task list');
  await press(last(), 'Post to channel');
  await type('/role list');
  await press(last(), 'Post to channel');
  for (const line of ['task list 1', 'role list 1']) {
    await act(() => alice.mention(support, line));
  }
  const shown = home.messages.filter(each => each.botId === slack.botId && each.text.includes('Asked for by'));
  const answers = support.messages.filter(each => each.botId === slack.botId);
  expect(answers.map(each => [each.ephemeralTo, each.threadTs === undefined])).toEqual([
    [undefined, false],
    [undefined, false],
  ]);
  for (const lists of [shown, answers])
    expect(lists.map(each => renderMessage(slack, each).split('\n'))).toEqual([
      [
        'Tasks of incident 1 “Checkout answers 500”: 2 open, 0 done',
        '1. Roll back *1141* · ▶️ in progress · bob',
        '2. Call the bank · ⬜ to do · nobody',
        'Asked for by @alice',
      ],
      [
        'Roles of incident 1 “Checkout answers 500”',
        expect.stringMatching(/^commander: bob · ./),
        expect.stringMatching(/^investigator: nobody · ./),
        expect.stringMatching(/^observer: nobody · ./),
        'Asked for by @alice',
      ],
    ]);
  expect(place.reads(carol, support.id).join()).toContain('Call the bank');
});

test('a mention that asks for tasks is answered for all where there are none', async () => {
  const { alice, support, slack, act } = await openLists();
  await act(() => alice.mention(support, 'task list 1'));
  const [answer] = support.messages.filter(each => each.botId === slack.botId);
  expect(answer?.ephemeralTo).toBeUndefined();
  expect(answer && renderMessage(slack, answer).split('\n')).toEqual([
    'Tasks of incident 1 “Checkout answers 500”: No tasks yet. /task add adds one.',
    'Asked for by @alice',
  ]);
});

test('tasks and roles of a private incident are not posted where others read; an empty list offers nothing', async () => {
  const { type, alice, support, posted, place, act } = await openLists({ flags: '--private' });
  expect(await type('/task list')).not.toContain('Post to channel');
  await type('/task add Rotate the keys');
  for (const line of ['/task list --incident 1', '/role list --incident 1']) {
    await type(line, alice, support);
    await act(() => alice.press(place.messages(alice, support.id).at(-1)!, 'Post to channel'));
    expect(place.lastRead(alice, support.id)).toBe(
      'I did not post it: the incident is private, and not everybody here sees it.',
    );
  }
  await act(() => alice.mention(support, 'task list 1'));
  expect(place.lastRead(alice, support.id)).toContain('Rotate the keys');
  expect(posted()).toEqual([]);
});
