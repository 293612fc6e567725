import { expect, test } from 'vitest';
import type { FakeSlack } from '../../playground/fake-slack/fake-slack.ts';
import { openGeneral } from '../support/general.ts';
import { openIncident } from '../support/incident-room.ts';
import { readList } from '../support/table.ts';

/** Changes that the room would read of, typed in #general. */
const lined: readonly string[] = readList(`
  /incident update half of the payments fail --incident 1 | /note add restarted the pods --incident 1
  /task add fail over --incident 1 | /task done 1 --incident 1 | /task assign 1 @bob --incident 1
  /role assign @bob commander --incident 1 | /incident severity major --incident 1
  /incident title Payments fail --incident 1 | /incident label database --incident 1
  /incident drill on --incident 1 | /incident resolve it is over --now --incident 1
`);

/** What somebody types there one after the other, about an incident whose room does not read it. */
const verbs: readonly string[] = [
  '/role unassign commander --incident 1',
  '/incident receipts thread --incident 1',
  '/incident status 1',
  '/incident list',
  '/dash link /d/nowhere --incident 1',
  ...lined,
];

/** What is typed alone: it needs another incident, or leaves one. */
const alone: readonly (readonly string[])[] = [
  ['/incident reopen it is back --incident 1'],
  ['/incident archive now --incident 1'],
  ['/incident link 1'],
];

type Room = Awaited<ReturnType<typeof openIncident>>;

/** Slack refuses everything that is posted or changed in a channel. */
function refuse(slack: FakeSlack, channel: string, error: string, methods: readonly string[]): void {
  for (const method of methods) {
    const of = ({ channel: one }: { readonly channel?: unknown }) => one === channel;
    slack.fail(method, { error }, { times: 10_000, when: of });
  }
}

const writes = ['chat.postMessage', 'chat.update', 'conversations.setTopic', 'conversations.invite', 'pins.add'];

/** How a room comes to read nothing; `isClosed`: nobody can type there. */
const ways: readonly (readonly [name: string, isClosed: boolean, close: (room: Room) => void])[] = [
  ['archived by hand', true, ({ alice, home }) => alice.archive(home)],
  ['archived, and Slack’s event was lost', true, ({ slack, home }) => refuse(slack, home.id, 'is_archived', writes)],
  [
    'deleted',
    true,
    ({ slack, home }) => refuse(slack, home.id, 'channel_not_found', [...writes, 'conversations.info']),
  ],
  ['the bot was removed', false, ({ slack, home }) => refuse(slack, home.id, 'not_in_channel', writes)],
  ['posting is restricted', false, ({ slack, home }) => refuse(slack, home.id, 'restricted_action', writes)],
];

/** Sentences that say that something was posted, or send people to a room. */
const claims = /\bPosted\b|\bis ready\b|Head to|You are in #inc-/;

function rows() {
  return ways.flatMap(([name, isClosed, close]) => [verbs, ...alone].map(typed => ({ name, isClosed, close, typed })));
}

test.each(rows())('$name: each answer says what is, from “$typed.0” on', async ({ close, isClosed, typed }) => {
  const room = await openIncident();
  const { place, slack, alice, general, home, type } = room;
  await type('/task add call the bank');
  if (typed === verbs) await type('/role assign @bob commander');
  if (/reopen|archive/.test(typed.join())) await type('/incident resolve --now');
  close(room);
  // The room learns of it by the first act after it.
  await type('/incident label seen --incident 1', alice, general);
  await slack.settled();
  // Slack itself says that a channel was archived.
  const posted = () => home.messages.filter(each => each.botId !== undefined && each.subtype === undefined).length;
  const dm = slack.openDm(alice).id;
  for (const verb of typed) {
    const known = { general: place.reads(alice, general.id).length, home: posted() };
    const toldBefore = place.reads(alice, dm).length;
    const answer = await type(verb, alice, general);
    const read = [...place.reads(alice, general.id).slice(known.general), ...place.reads(alice, dm).slice(toldBefore)];
    expect(read.join('\n'), `somebody answers ${verb}`).not.toBe('');
    expect(posted(), `nothing was posted after ${verb}`).toBe(known.home);
    for (const text of read) {
      expect(text, verb).not.toMatch(claims);
      if (!isClosed) continue;
      for (const line of text.split('\n').filter(each => each.includes(`#${home.name}`)))
        expect(line, `a room in which nobody can type, after ${verb}`).toMatch(
          /archived|no longer exists|could not|was handled/,
        );
    }
    if (!lined.includes(verb)) continue;
    // Each change says that the room does not read it, and what works.
    expect(answer, verb).toContain('I could not say so in');
    expect(answer, verb).toContain('--incident 1');
    if (isClosed) expect(answer, verb).toContain('/incident link 1');
  }
});

test('the first act after a refusal that nobody could know of is corrected in a direct message', async () => {
  const room = await openIncident();
  const { place, slack, alice, home, type } = room;
  refuse(slack, home.id, 'restricted_action', writes);
  await type('/incident update half of the payments fail', alice);
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain('I could not say so in');
});

test('a room that is unarchived reads lines again at once', async () => {
  const room = await openIncident();
  const { alice, general, home, type, publicLines } = room;
  alice.archive(home);
  await room.slack.settled();
  expect(await type('/note add one --incident 1', alice, general)).toContain('archived');
  alice.unarchive(home);
  await room.slack.settled();
  expect(await type('/note add two --incident 1', alice, general)).not.toContain('could not');
  expect(publicLines().join('\n')).toContain('two');
});

test('an incident whose room is archived moves to another channel', async () => {
  const room = await openIncident();
  const { place, slack, alice, general, home, type } = room;
  alice.archive(home);
  await slack.settled();
  const other = slack.addChannel({ name: 'war-room', members: [alice], botIsMember: true });
  expect(await type('/incident link 1', alice, other)).toContain('follow incident 1');
  await type('/incident update we moved', alice, other);
  expect(place.reads(alice, other.id).join('\n')).toContain('we moved');
  expect(await type('/incident status 1', alice, general)).toContain('#war-room');
});

test.each([
  'restricted_action',
  'name_taken',
  'missing_scope',
  'not_allowed_token_type',
  'no_permission',
  'invalid_name',
])('a channel that Slack does not make (%s) is not called ready, and the way that works is said', async error => {
  const { place, slack, alice, general, type } = await openGeneral();
  slack.fail('conversations.create', { error }, { times: 1000 });
  slack.fail('pins.add', { error: 'not_pinnable' }, { times: 10 });
  await type('/incident declare Disk is full --now');
  const read = [...place.reads(alice, general.id), ...place.reads(alice, slack.openDm(alice).id)].join('\n');
  expect(read).toContain('I could not make a channel for this incident');
  expect(read).not.toMatch(/is ready|Head to|has its channel/);
  expect(read).toContain('--incident 1');
  expect(read).toContain('/incident link 1');
  const other = slack.addChannel({ name: 'war-room', members: [alice], botIsMember: true });
  await type('/incident link 1', other.id);
  expect(place.reads(alice, other.id).join('\n')).toContain('follow incident 1');
});

test('declared where there is no other place, an incident without a channel is nowhere, and says how to act on it', async () => {
  const { place, slack, alice, act } = await openGeneral();
  const dm = slack.openDm(alice);
  slack.fail('conversations.create', { error: 'restricted_action' }, { times: 1000 });
  await act(() => alice.command(dm, '/incident declare Disk is full --now'));
  const read = place.reads(alice, dm.id).join('\n');
  expect(read).not.toMatch(/is ready|Head to|has its channel/);
  expect(read).toContain('--incident 1');
});
