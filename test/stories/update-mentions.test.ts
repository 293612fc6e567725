import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/** An incident that is announced, and the group sre-oncall, of bob, who is in its room, and carol, who is not. */
async function openTeam(flags = '') {
  const clock = () => new Date('2026-11-20T12:15:00Z');
  const slack = await openInstalledSlack(clock);
  const incidents = slack.addChannel({ name: 'incidents', botIsMember: true });
  const opened = await openIncident({ slack, clock, settings: { ANNOUNCE_CHANNEL: incidents.id }, flags });
  const { bob, carol, home } = opened;
  const group = slack.addUserGroup({ handle: 'sre-oncall', name: 'On call', members: [bob, carol] });
  const byBot = (channelId: string) =>
    slack
      .channel(channelId)
      .messages.filter(each => each.botId === slack.botId && each.ephemeralTo === undefined)
      .map(each => `${each.text}\n${JSON.stringify(each.blocks)}`);
  const known = byBot(home.id).length;
  return {
    ...opened,
    incidents,
    group,
    /** What the room was told since the declaration. */
    told: () => byBot(home.id).slice(known).join('\n'),
    announced: () => byBot(incidents.id).join('\n'),
    invitations: () => slack.callsOf('conversations.invite').filter(each => each.args.users !== opened.alice.id),
  };
}

/** The mentions in Slack's text that notify somebody, each once. */
function notified(text: string, alice: { readonly id: string }): readonly string[] {
  const found = [...text.matchAll(/<(@[UW]\w+|!subteam\^\w+|!(?:here|channel|everyone|group)[^>]*)(?:\|[^>]*)?>/g)];
  return [...new Set(found.map(([, target = '']) => target))].filter(each => each !== `@${alice.id}`).sort();
}

/** What is typed behind `/incident update`, and who is notified: b for bob, c for carol, g for the group. */
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

test.each(typed)('an update “%s” notifies in the room whom it names, and nobody else anywhere', async (text, who) => {
  const { type, alice, bob, carol, group, told, announced, bodies, invitations } = await openTeam();
  await type(`/incident update ${text}`);
  const ids: Record<string, string> = { b: `@${bob.id}`, c: `@${carol.id}`, g: `!subteam^${group.id}` };
  expect(notified(told(), alice)).toEqual([...who].map(each => ids[each]).sort());
  expect(notified(announced(), alice)).toEqual([]);
  const [body = ''] = (await bodies()).slice(-1);
  expect(body).not.toMatch(/[US]0000000\w|<@|subteam\^S0{6}/.test(text) ? /never/ : /[US]0000000\w|<@|subteam/);
  if (who.includes('b')) expect(body).toContain('@bob');
  if (who.includes('g')) expect(body).toContain('@sre-oncall');
  expect(invitations()).toEqual([]);
});

test.each([
  ['a mention', 'b'],
  ['the form, opened with words', 'bg'],
  ['the form, where a group is typed', 'g'],
  ['another word for a stage', 'b'],
  ['a resolution', 'bg'],
  ['the form of a resolution', 'b'],
])('%s keeps its mentions', async (way, who) => {
  const { type, alice, bob, home, group, told, announced, place, submit } = await openTeam();
  const acts: Record<string, () => Promise<unknown>> = {
    'a mention': async () => {
      alice.mention(home, 'update @bob restarts it');
      await place.quiet();
    },
    'the form, opened with words': async () => {
      await type('/incident update STATUS: @bob and @sre-oncall:');
      await type('/incident update MITIGATED:');
      await type('/incident update @bob @sre-oncall STABLE:');
      await submit({});
    },
    'the form, where a group is typed': async () => {
      await type('/incident update');
      await submit({ happened: '@sre-oncall please join' });
    },
    'another word for a stage': () => type('/incident mitigated @bob rolled back'),
    'a resolution': () => type('/incident resolve @bob rolled back, thanks @sre-oncall --now'),
    'the form of a resolution': async () => {
      await type('/incident resolve @bob rolled back');
      await submit({});
    },
  };
  await acts[way]?.();
  const ids: Record<string, string> = { b: `@${bob.id}`, g: `!subteam^${group.id}` };
  expect(notified(told(), alice)).toEqual([...who].map(each => ids[each]).sort());
  expect(notified(announced(), alice)).toEqual([]);
});

test.each(['note add ask @bob', 'note @sre-oncall knows', 'task add ask @bob about it', 'incident title ask @bob now'])(
  '“/%s” notifies nobody in the room',
  async line => {
    const { type, alice, told } = await openTeam();
    await type(`/${line}`);
    expect(notified(told(), alice)).toEqual([]);
  },
);

test('the reason of a reopening is no announcement, so its names notify nobody', async () => {
  const { type, alice, told } = await openTeam();
  await type('/incident resolve done --now');
  await type('/incident reopen @bob sees it again');
  expect(told()).toContain('sees it again');
  expect(notified(told(), alice)).toEqual([]);
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
    const { type, gus, home, slack, place, last, press, invitations, reads, alice } = await openTeam();
    slack.addPerson({ name: 'robot', isBot: true });
    slack.addPerson({ name: 'gone', deleted: true });
    slack.addPerson({ name: 'stranger', teamId: 'T0OTHER', isStranger: true });
    gus.leave(home);
    await slack.settled();
    await place.quiet();
    const answer = await type(`/incident update ${text}`);
    expect(invitations()).toEqual([]);
    expect(answer.includes('[Invite]')).toBe(names.length > 0);
    for (const name of names) expect(answer).toContain(`@${name} is not in #inc-1-checkout-answers-500`);
    if (names.length === 0) return;
    await press(last(), 'Invite');
    expect(reads(alice)).toContain('in #inc-1-checkout-answers-500 now');
    expect(invitations().map(each => each.args.users)).toEqual(names.map(name => slack.person(name).id));
  },
);

test('in a private room the offer stands too, and nobody enters by a mention', async () => {
  const { type, carol, home, slack, last, press } = await openTeam('--private');
  expect(await type('/incident update @carol knows the keys')).toContain('[Invite]');
  expect(slack.channel(home.id).members).not.toContain(carol.id);
  await press(last(), 'Invite');
  expect(slack.channel(home.id).members).toContain(carol.id);
});
