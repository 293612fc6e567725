import { expect, test } from 'vitest';
import type { Channel } from '../../playground/fake-slack/fake-slack.ts';
import { openIncident } from '../support/incident-room.ts';
import { openRestarts } from '../support/restarts.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/**
 * An incident, and #support, where bob and carol are. What everybody there reads of Muster is in `shown`. Muster may be told of its
 * members or not, as in a public channel that it is not in.
 */
async function openSupport(
  options: { settings?: Record<string, string>; hears?: boolean; announces?: boolean; fails?: string } = {},
) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const slack = await openInstalledSlack(clock);
  if (options.fails) slack.fail(options.fails, { error: 'internal_error' }, { times: 100 });
  const incidents = slack.addChannel({ name: 'incidents', botIsMember: true });
  const announce = options.announces === true ? { ANNOUNCE_CHANNEL: incidents.id } : {};
  const opened = await openIncident({ slack, clock, settings: { ...announce, ...options.settings } });
  const { alice, bob, carol, gus, place } = opened;
  const support = slack.addChannel({
    name: 'support',
    members: [alice, bob, carol],
    botIsMember: options.hears !== false,
  });
  const byBot = (channel: Channel) =>
    slack
      .channel(channel.id)
      .messages.filter(each => each.botId === slack.botId && each.ephemeralTo === undefined)
      .map(each => `${each.text}${JSON.stringify(each.blocks)}`);
  const quiet = async () => {
    await slack.settled();
    await place.quiet();
  };
  return {
    ...opened,
    support,
    incidents,
    quiet,
    /** What everybody in #support reads of Muster. */
    shown: () => byBot(support).join('\n'),
    announced: () => byBot(incidents),
    mention: async (line: string, channel = support) => {
      alice.mention(channel, line);
      await quiet();
      return place.lastRead(alice, channel.id);
    },
    bringIn: async () => {
      alice.invite(support, gus);
      await quiet();
    },
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
  };
}

const title = 'Checkout answers 500';

/** What people do in #support, and what the person who does it reads. */
const acts: Readonly<Record<string, (opened: Awaited<ReturnType<typeof openSupport>>) => Promise<unknown>>> = {
  'a mention that asks for the list': ({ mention }) => mention('list'),
  'the same with a filter': ({ mention }) => mention('incident list active'),
  'a mention in a thread': async ({ alice, carol, support, quiet }) => {
    const said = carol.say(support, 'Is anything broken?');
    alice.mention(support, 'list', { threadTs: said.ts });
    await quiet();
  },
  'a mention that asks for the status': ({ mention }) => mention('incident status --incident 1'),
  'a mention that asks for the tasks': ({ mention }) => mention('task list --incident 1'),
  'a mention that asks for the roles': ({ mention }) => mention('role list --incident 1'),
  'the button of a list': async ({ type, alice, support, last, press }) => {
    await type('/incident list', alice, support);
    await press(last(alice, support), 'Post to channel');
  },
  'the button of a status': async ({ type, alice, support, last, press }) => {
    await type('/incident status --incident 1', alice, support);
    await press(last(alice, support), 'Post to channel');
  },
  'the button of a list of tasks': async ({ type, alice, support, last, press }) => {
    await type('/task add restart checkout');
    await type('/task list --incident 1', alice, support);
    await press(last(alice, support), 'Post to channel');
  },
  'a declaration': ({ type, alice, support }) => type('/incident declare Checkout burns --now', alice, support),
  'a declaration by mention': ({ mention }) => mention('incident declare Checkout burns --now'),
  'a declaration from a message': async ({ alice, bob, support, quiet }) => {
    await alice.shortcut('declare_message', bob.say(support, 'Checkout burns'));
    await quiet();
    await alice.submit({});
    await quiet();
  },
};

test.each(Object.keys(acts))(
  '%s shows nothing in a channel where a guest reads, and everything where none does',
  async name => {
    const opened = await openSupport();
    const act = acts[name];
    if (!act) throw new Error(name);
    await opened.bringIn();
    await act(opened);
    expect(opened.shown()).toBe('');
    expect(opened.place.reads(opened.gus, opened.support.id).join('\n')).not.toMatch(/Checkout answers|declared/);
    opened.gus.leave(opened.support);
    await opened.quiet();
    await act(opened);
    expect(opened.shown()).toMatch(/Checkout|checkout|commander|declared/);
  },
);

test('the person who asked is answered alone, and reads why nobody else is', async () => {
  const { mention, bringIn, type, alice, support, last, press, reads } = await openSupport();
  await bringIn();
  expect(await mention('list')).toContain(title);
  await type('/incident list', alice, support);
  await press(last(alice, support), 'Post to channel');
  expect(reads(alice, support)).toBe('I did not post it: guests may read this channel.');
});

test('GUESTS=all shows the list where a guest reads', async () => {
  const { mention, bringIn, shown } = await openSupport({ settings: { GUESTS: 'all' } });
  await bringIn();
  await mention('list');
  expect(shown()).toContain(title);
});

test('in the room of an incident a guest reads it', async () => {
  const { mention, home, gus, place } = await openSupport();
  await mention('status', home);
  expect(place.reads(gus, home.id).join('\n')).toContain(title);
});

test.each([
  ['members', 'conversations.members'],
  ['guests', 'users.list'],
])('while Slack does not tell the %s, a list is for one person', async (_, method) => {
  const { mention, shown, slack, wait } = await openSupport({ fails: method });
  expect(await mention('list')).toContain(title);
  expect(shown()).toBe('');
  slack.heal();
  wait(2);
  await mention('list');
  expect(shown()).toContain(title);
});

test.each(['a member who becomes a guest', 'somebody new who is a guest'])('%s is a guest at once', async who => {
  const { mention, shown, alice, bob, support, slack, quiet } = await openSupport();
  await mention('list');
  expect(shown()).toContain(title);
  const before = shown();
  if (who.startsWith('a member')) bob.change({ isRestricted: true });
  else alice.invite(support, slack.addPerson({ name: 'nina', isUltraRestricted: true }));
  await quiet();
  await mention('list');
  expect(shown()).toBe(before);
});

test('a guest who came while Muster heard nothing of the channel is seen after five minutes', async () => {
  const { mention, shown, bringIn, wait } = await openSupport({ hears: false });
  await mention('list');
  const before = shown();
  await bringIn();
  wait(6);
  await mention('list');
  expect(shown()).toBe(before);
});

test('an announcement shows the number alone as soon as a guest reads it, and all of it when none does', async () => {
  const { announced, alice, gus, incidents, quiet, type } = await openSupport({ announces: true });
  alice.join(incidents);
  await quiet();
  expect(announced().join()).toContain(title);
  alice.invite(incidents, gus);
  await quiet();
  expect(announced().join()).not.toContain(title);
  expect(announced().join()).toContain('Incident 1');
  await type('/incident update customers can pay again');
  expect(announced().join()).not.toContain('customers can pay');
  gus.leave(incidents);
  await type('/incident severity critical');
  expect(announced().join()).toContain(title);
});

test('a busy day asks Slack a few times who reads a channel, and once an hour who is a guest', async () => {
  const { mention, slack, wait } = await openSupport();
  for (let minute = 0; minute < 60; minute += 2) {
    await mention('list');
    wait(2);
  }
  expect(slack.callsOf('users.list').length).toBeLessThanOrEqual(2);
  expect(slack.callsOf('conversations.members').length).toBeLessThanOrEqual(30);
});

/**
 * Alice and bob, who read #news, where incidents are announced, and #support. Musters start one after the other. `begin`: Slack lists nobody
 * while the next one runs, until `heal`.
 */
async function openAway(method: string) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const world = await openRestarts({ clock, monotonicNow: () => now.getTime() });
  const { slack, alice, bob, general } = world;
  const news = slack.addChannel({ name: 'news', members: [alice, bob], botIsMember: true });
  const support = slack.addChannel({ name: 'support', members: [alice, bob], botIsMember: true });
  const settings = { DATABASE_URL: world.url, ANNOUNCE_CHANNEL: news.id };
  const open = () => world.open({ settings });
  let place = await open();
  const fail = () => slack.fail(method, { error: 'internal_error' }, { times: 100 });
  const type = async (line: string, channel: Channel) => {
    await alice.command(channel, line);
    await place.quiet();
  };
  const read = (channel: Channel) => JSON.stringify(place.messages(bob, channel.id).filter(each => !each.deleted));
  return {
    ...{ type, fail, general, support },
    room: () => slack.channels.find(each => each.name.startsWith('inc-')) ?? expect.fail('There is no room'),
    mention: async (line: string) => {
      alice.mention(support, line);
      await place.quiet();
    },
    restart: async () => {
      await place[Symbol.asyncDispose]();
      fail();
      place = await open();
    },
    heal: async () => {
      slack.heal();
      now = new Date(now.getTime() + 2 * 60_000);
      await place.muster.bot.journal.tick();
      await place.quiet();
    },
    news: () => read(news),
    listed: () => read(support),
  };
}

const untold = ['users.list', 'conversations.members'];

test.each(untold)('an announcement that is made while %s fails is whole once Slack answers', async method => {
  const { type, fail, general, news, heal } = await openAway(method);
  fail();
  await type(`/incident declare ${title} --now`, general);
  expect(news()).toContain('Incident 1');
  expect(news()).not.toContain(title);
  await heal();
  expect(news()).toContain(title);
});

test('a Muster that starts while Slack lists nobody takes nothing back for good, and shows nothing new meanwhile', async () => {
  const { type, general, room, mention, restart, news, listed, heal } = await openAway('users.list');
  await type(`/incident declare ${title} --now`, general);
  await mention('list');
  expect(listed()).toContain(title);
  await restart();
  await type('/incident severity critical', room());
  await type('/incident update customers cannot pay', room());
  expect(listed()).toContain(title);
  expect(news()).not.toContain('customers cannot pay');
  await heal();
  expect(listed()).toContain(title);
  expect(news()).toContain(title);
  expect(news()).toContain('customers cannot pay');
});
