import { expect, test } from 'vitest';
import { lineWords } from '../../../../../src/bot/incident/lines/words.ts';
import type { LinePlace } from '../../../../../src/bot/schema/lines.ts';
import { toMessage } from '../../../../../src/bot/text/spoken.ts';
import { openVerbs, shareVerbs, type VerbOptions } from '../../../../support/verbs.ts';

type Verbs = Awaited<ReturnType<typeof openVerbs>>;

/** Messages for the room or the announcement that notify, and whom: b for bob, c for carol, g for the group. */
function watch(verbs: Verbs) {
  const { slack, alice, bob, carol, linesOf } = verbs;
  const groups = slack.userGroups.map(each => each.id);
  const letters = new Map([
    [`@${bob.id}`, 'b'],
    [`@${carol.id}`, 'c'],
    ...groups.map(id => [`!subteam^${id}`, 'g'] as const),
  ]);
  return async (place: LinePlace, from = 0): Promise<string> => {
    const told = (await linesOf(place)).slice(from).map(line => JSON.stringify(toMessage(lineWords([line]))));
    const found = told
      .join('')
      .matchAll(/<(@[UW]\w+|!subteam\^\w+|!(?:here|channel|everyone|group)[^>]*)(?:\|[^>]*)?>/g);
    const targets = new Set([...found].map(([, target = '']) => target).filter(each => each !== `@${alice.id}`));
    return [...targets]
      .map(each => letters.get(each) ?? each)
      .sort()
      .join('');
  };
}

/** The group sre-oncall, of bob, who is in the room, and carol, who is not; the incident is announced. */
async function withTeam(verbs: Verbs): Promise<void> {
  const { slack, bob, carol, general, place } = verbs;
  slack.addUserGroup({ handle: 'sre-oncall', name: 'On call', members: [bob, carol] });
  const room = await place.deps.rooms.ofIncident('1');
  if (room) await place.deps.rooms.keep({ ...room, announcementChannelId: general.id, announcementTs: '1.1' });
}

async function openTeam(options: VerbOptions = {}) {
  const verbs = await openVerbs(options);
  await withTeam(verbs);
  const { slack } = verbs;
  return {
    ...verbs,
    notified: watch(verbs),
    invitations: () => slack.callsOf('conversations.invite').map(each => each.args.users),
  };
}

/** What is typed behind `/incident update`, and who is notified. */
const typed: readonly (readonly [text: string, who: string])[] = [
  ['@sre-oncall @bob please join', 'bg'],
  ['talk to @bob', 'b'],
  ['@bob’s laptop fills the queue', 'b'],
  ['ask @bob, @carol and @sre-oncall!', 'bcg'],
  ['we roll back now, cc @carol', 'c'],
  ['@bob looks at the logs,\n@carol at the graphs', 'bc'],
  ['@bob restarts *checkout* and `cache`, _all_ of it ~now~ @carol', 'bc'],
  ['@bob and once more @bob', 'b'],
  ['(@bob) has the pager', 'b'],
  ['@channel it is back', ''],
  ['@here @everyone @bob come', 'b'],
  ['<!channel> <!here> <!everyone> it is back', ''],
  ['<!here|bob> &lt;!channel&gt; <!subteam^S0000000001|@channel> it is back', ''],
  ['<@U0000000VLV|bob> was typed by hand', ''],
  ['bob@example.com does not answer', ''],
  ['@bobby and @nobody are unknown, @bob is not', 'b'],
  [`${'so many words '.repeat(130)} @bob`, 'b'],
];

const room = shareVerbs();
let isStaffed = false;

test.each(typed)('an update “%s” notifies in the room whom it names, and nobody else anywhere', async (text, who) => {
  if (!isStaffed) await withTeam(room());
  isStaffed = true;
  const { type, slack, bodies, linesOf } = room();
  const notified = watch(room());
  const before = (await linesOf('room')).length;
  await type(`/incident update ${text}`);
  expect(await notified('room', before)).toBe(who);
  expect(await notified('announcement')).toBe('');
  const [body = ''] = (await bodies()).slice(-1);
  expect(body).not.toMatch(/[US]0000000\w|<@|subteam\^S0{6}/.test(text) ? /never/ : /[US]0000000\w|<@|subteam/);
  if (who.includes('b')) expect(body).toContain('@bob');
  if (who.includes('g')) expect(body).toContain('@sre-oncall');
  expect(slack.callsOf('conversations.invite')).toEqual([]);
});

test.each<[way: string, who: string, act: (room: Verbs) => Promise<unknown>]>([
  ['a mention', 'b', ({ act, alice, home }) => act(() => alice.mention(home, 'update: @bob restarts it'))],
  [
    'the form, opened with words',
    'bg',
    async ({ type, submit }) => {
      await type('/incident update STATUS: @bob and @sre-oncall:');
      await type('/incident update MITIGATED:');
      await type('/incident update @bob @sre-oncall STABLE:');
      await submit({});
    },
  ],
  [
    'the form, where a group is typed',
    'g',
    async ({ type, submit }) => {
      await type('/incident update');
      await submit({ happened: '@sre-oncall please join' });
    },
  ],
  ['another word for a stage', 'b', ({ type }) => type('/incident mitigated @bob rolled back')],
  ['a resolution', 'bg', ({ type }) => type('/incident resolve @bob rolled back, thanks @sre-oncall --now')],
  [
    'the form of a resolution',
    'b',
    async ({ type, submit }) => {
      await type('/incident resolve @bob rolled back');
      await submit({});
    },
  ],
  ['no note', '', ({ type }) => type('/note add ask @bob')],
  ['no note about a group', '', ({ type }) => type('/note @sre-oncall knows')],
  ['no task', '', ({ type }) => type('/task add ask @bob about it')],
  ['no title', '', ({ type }) => type('/incident title ask @bob now')],
])('%s notifies by its mentions', async (_way, who, act) => {
  const team = await openTeam();
  await act(team);
  expect(await team.linesOf('room')).not.toEqual([]);
  expect(await team.notified('room')).toBe(who);
  expect(await team.notified('announcement')).toBe('');
});

test('the reason of a reopening is no announcement, so its names notify nobody', async () => {
  const { type, notified, publicLines } = await openTeam();
  await type('/incident resolve done --now');
  await type('/incident reopen @bob sees it again');
  expect((await publicLines()).join('\n')).toContain('sees it again');
  expect(await notified('room')).toBe('');
});

test.each([
  ['@carol please join', ['carol']],
  ['@sre-oncall please join', ['carol']],
  ['@carol and @sre-oncall please join', ['carol']],
  ['@gus please join', ['gus']],
  ['@bob please join', []],
  ['@alice does it', []],
  ['@robot @gone @stranger please join', []],
  ['nobody is named', []],
] as const)(
  'an update “%s” offers to invite who is named and not in the room, and invites nobody',
  async (text, names) => {
    const { type, gus, home, slack, act, last, press, invitations, reads, alice } = await openTeam();
    slack.addPerson({ name: 'robot', isBot: true });
    slack.addPerson({ name: 'gone', deleted: true });
    slack.addPerson({ name: 'stranger', teamId: 'T0OTHER', isStranger: true });
    await act(() => gus.leave(home));
    const answer = await type(`/incident update ${text}`);
    expect(invitations()).toEqual([]);
    expect(answer.includes('[Invite]')).toBe(names.length > 0);
    for (const name of names) expect(answer).toContain(`@${name} is not in #inc-1-checkout-answers-500`);
    if (names.length === 0) return;
    await press(last(), 'Invite');
    expect(reads(alice)).toContain('in #inc-1-checkout-answers-500 now');
    expect(invitations()).toEqual(names.map(name => slack.person(name).id));
  },
);

test('in a private room the offer stands too, and nobody enters by a mention', async () => {
  const { type, carol, home, slack, last, press } = await openTeam({ isPrivate: true });
  expect(await type('/incident update @carol knows the keys')).toContain('[Invite]');
  expect(slack.channel(home.id).members).not.toContain(carol.id);
  await press(last(), 'Invite');
  expect(slack.channel(home.id).members).toContain(carol.id);
});
