import pino from 'pino';
import { expect, test } from 'vitest';
import { ChannelStore, Channels } from '../../../../../src/bot/incident/state/channels.ts';
import { createRooms } from '../../../../../src/bot/incident/state/room-store.ts';
import type { Slack } from '../../../../../src/bot/slack/clients.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';

const minute = 60_000;

/** A channel of a Slack that counts what it is asked. It is not known until somebody asks. */
async function openChannel() {
  let now = new Date('2026-11-20T12:00:00Z');
  const database = await openBotDatabase(now);
  const slack = { isPrivate: false, isShared: false, members: ['U1'], refusal: '', asked: [] as string[] };
  /** Called while an answer of Slack's is on its way. */
  let meanwhile: () => Promise<void> = async () => undefined;
  const answer = async <T>(method: string, members: T) => {
    slack.asked.push(method);
    if (slack.refusal) throw Object.assign(new Error(slack.refusal), { data: { error: slack.refusal } });
    return { ok: true, ...members };
  };
  const changed: string[] = [];
  const opened: string[] = [];
  const conversations = {
    info: async () => {
      const channel = { name: 'room', is_private: slack.isPrivate, is_ext_shared: slack.isShared };
      await meanwhile();
      return answer('info', { channel });
    },
    members: () => answer('members', { members: slack.members }),
  };
  const channels = new Channels({
    slack: { quick: { conversations }, identity: { botUserId: 'B1' } } as unknown as Slack,
    store: new ChannelStore(database, 'T1'),
    clock: () => now,
    log: pino({ level: 'silent' }),
    meet: async () => true,
    onChanged: incidentID => changed.push(incidentID),
    onCounted: () => {},
    onOpened: channelId => opened.push(channelId),
    presence: {
      comeBack: async channelId => opened.push(`back ${channelId}`),
      tellOut: async (channelId, by) => opened.push(`left ${channelId} ${by}`),
      tellBack: async channelId => opened.push(`entered ${channelId}`),
    },
  });
  const rooms = createRooms(database, () => now);
  await rooms.keep({ ...roomSeven, channelName: 'room', declaredBy: 'U1' });
  return {
    channels,
    slack,
    changed,
    opened,
    now: () => now.getTime(),
    whileAsked: (work: () => Promise<void>) => {
      meanwhile = work;
    },
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * minute);
    },
    askedSince: () => slack.asked.splice(0),
  };
}

test('a channel is asked for once, and again when what is known is old', async () => {
  const { channels, slack, wait, askedSince } = await openChannel();
  expect(await channels.look('C1', 10 * minute)).toMatchObject({ name: 'room', isPrivate: false });
  await channels.look('C1', 10 * minute);
  expect(askedSince()).toEqual(['info']);
  wait(11);
  slack.isPrivate = true;
  expect(await channels.look('C1', 10 * minute)).toMatchObject({ isPrivate: true });
  expect(askedSince()).toEqual(['info']);
});

test('a late event that a channel is unshared opens nothing, and Slack is asked', async () => {
  const { channels, slack, changed, askedSince } = await openChannel();
  slack.isShared = true;
  await channels.look('C1', minute);
  changed.splice(0);
  askedSince();
  slack.refusal = 'internal_error';
  await channels.take({ channelId: 'C1', at: 1, change: { isShared: false } });
  expect(await channels.look('C1', minute)).toMatchObject({ isShared: true });
  await channels.idle();
  expect(await channels.look('C1', minute)).toMatchObject({ isShared: true });
  await channels.idle();
  expect(askedSince()).toContain('info');
});

test('a channel that is unshared opens when Slack says so, and its card is shown anew', async () => {
  const { channels, slack, changed } = await openChannel();
  slack.isShared = true;
  await channels.look('C1', minute);
  changed.splice(0);
  slack.isShared = false;
  await channels.take({ channelId: 'C1', at: 1, change: { isShared: false } });
  expect(changed.splice(0)).toEqual(['7']);
  expect(await channels.look('C1', minute)).toMatchObject({ isShared: true });
  await channels.idle();
  expect(await channels.look('C1', minute)).toMatchObject({ isShared: false });
  expect(changed).toEqual(['7']);
});

test('a private channel is private at once, and Slack is asked behind the answer', async () => {
  const { channels, slack, changed, askedSince, wait } = await openChannel();
  await channels.look('C1', minute);
  await channels.take({ channelId: 'C1', at: 1, change: { isPrivate: true } });
  expect(changed).toEqual(['7']);
  wait(5);
  expect(await channels.look('C1', minute)).toMatchObject({ isPrivate: true });
  await channels.idle();
  expect(await channels.look('C1', minute)).toMatchObject({ isPrivate: false });
  expect(changed).toEqual(['7', '7']);
  expect(askedSince()).toEqual(['info', 'info']);
  slack.refusal = 'channel_not_found';
  wait(5);
  expect(await channels.look('C1', minute)).toMatchObject({ isPrivate: true, isDeleted: false });
});

test('when Slack cannot be asked, what is stored counts, and what is not stored is not known', async () => {
  const { channels, slack, wait } = await openChannel();
  slack.refusal = 'ratelimited';
  expect(await channels.look('C1', minute)).toBeUndefined();
  expect(await channels.isMember('C1', 'U1', minute)).toBe(false);
  slack.refusal = '';
  await channels.look('C1', minute);
  expect(await channels.isMember('C1', 'U1', minute)).toBe(true);
  slack.refusal = 'ratelimited';
  wait(60);
  expect(await channels.look('C1', minute)).toMatchObject({ isPrivate: false });
  expect(await channels.isMember('C1', 'U1', minute)).toBe(true);
});

test('members follow events, and a late event does not undo a newer one', async () => {
  const { channels, slack, now, wait, askedSince } = await openChannel();
  await channels.look('C1', minute);
  expect(await channels.isMember('C1', 'U2', 10 * minute)).toBe(false);
  wait(1);
  await channels.take({ channelId: 'C1', at: now(), userId: 'U2', isMember: true });
  expect(await channels.isMember('C1', 'U2', 10 * minute)).toBe(true);
  await channels.take({ channelId: 'C1', at: now() + 2000, userId: 'U2', isMember: false });
  await channels.take({ channelId: 'C1', at: now() + 1000, userId: 'U2', isMember: true });
  expect(await channels.isMember('C1', 'U2', 10 * minute)).toBe(false);
  expect(askedSince()).toEqual(['info', 'members']);
  wait(20);
  slack.members = ['U2'];
  expect(await channels.isMember('C1', 'U1', 10 * minute)).toBe(false);
  expect(await channels.isMember('C1', 'U2', 10 * minute)).toBe(true);
});

test('a deleted channel is as it was, and Slack is not asked for it', async () => {
  const { channels, askedSince, wait } = await openChannel();
  await channels.look('C1', minute);
  await channels.isMember('C1', 'U1', minute);
  await channels.take({ channelId: 'C1', at: 1, change: { isDeleted: true } });
  askedSince();
  wait(600);
  expect(await channels.look('C1', minute)).toMatchObject({ isPrivate: false, isDeleted: true });
  expect(await channels.isMember('C1', 'U1', minute)).toBe(true);
  expect(askedSince()).toEqual([]);
});

test('an answer that was on its way when an event came does not undo it, and Slack is asked again', async () => {
  const { channels, slack, whileAsked, wait, askedSince } = await openChannel();
  await channels.look('C1', minute);
  wait(2);
  whileAsked(async () => {
    slack.isPrivate = true;
    await channels.take({ channelId: 'C1', at: 1, change: { isPrivate: true } });
  });
  expect(await channels.look('C1', minute)).toMatchObject({ isPrivate: true });
  expect(await channels.look('C1', minute)).toMatchObject({ isPrivate: true });
  whileAsked(async () => undefined);
  await channels.idle();
  await channels.look('C1', minute);
  await channels.idle();
  askedSince();
  expect(await channels.look('C1', minute)).toMatchObject({ isPrivate: true });
  expect(askedSince()).toEqual([]);
});

test.each([
  ['is away', 'internal_error', undefined],
  ['refuses', 'missing_scope', true],
])(
  'while Slack %s, nobody knows the guests of a channel, or they are taken for there',
  async (_, refusal, expected) => {
    const { channels, slack, wait } = await openChannel();
    slack.refusal = refusal;
    expect(await channels.hasGuests('C1', minute)).toBe(expected);
    slack.refusal = '';
    wait(2);
    expect(await channels.hasGuests('C1', minute)).toBe(false);
    slack.refusal = refusal;
    wait(2);
    // What Slack said before still counts.
    expect(await channels.hasGuests('C1', minute)).toBe(false);
  },
);
