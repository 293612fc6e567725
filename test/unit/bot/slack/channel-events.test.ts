import { expect, test } from 'vitest';
import { isRoomTalk, toChannelEvent, toRoomTalk } from '../../../../src/bot/slack/channel-events.ts';
import { oneWorkspace } from '../../../../src/bot/slack/workspaces.ts';

const at = 1_730_984_822_596;
const read = (event: object) =>
  toChannelEvent(
    { type: 'event_callback', event: { event_ts: '1730984822.596869', ...event } },
    { identity: { teamId: 'T1' }, workspaces: oneWorkspace() },
  );

test.each([
  [{ type: 'channel_archive', channel: 'C1', user: 'U1' }, { isArchived: true }],
  [{ type: 'group_archive', channel: 'C1', user: 'U1' }, { isArchived: true }],
  [{ type: 'channel_unarchive', channel: 'C1', user: 'U1' }, { isArchived: false }],
  [{ type: 'group_unarchive', channel: 'C1', actor_id: 'U1' }, { isArchived: false }],
  [{ type: 'channel_deleted', channel: 'C1' }, { isDeleted: true }],
  [{ type: 'group_deleted', channel: 'C1', date_deleted: 1 }, { isDeleted: true }],
  [{ type: 'channel_rename', channel: { id: 'C1', name: 'ops' } }, { name: 'ops' }],
  [{ type: 'group_rename', channel: { id: 'C1', name: 'ops' } }, { name: 'ops' }],
  [{ type: 'channel_shared', channel: 'C1', connected_team_id: 'T2' }, { isShared: true }],
  // With a workspace of the same organisation. Slack is asked.
  [{ type: 'channel_shared', channel: 'C1', connected_team_id: 'T1' }, {}],
  [{ type: 'channel_unshared', channel: 'C1', is_ext_shared: false }, { isShared: false }],
  [{ type: 'channel_unshared', channel: 'C1', is_ext_shared: true }, { isShared: true }],
  [
    { type: 'message', subtype: 'channel_convert_to_private', channel: 'C1', channel_type: 'group' },
    { isPrivate: true },
  ],
  [{ type: 'message', subtype: 'channel_convert_to_public', channel: 'C1', channel_type: 'channel' }, {}],
])('%o changes the channel', (event, change) => {
  expect(read(event)).toEqual({ channelId: 'C1', at, change });
});

test.each([
  [{ type: 'member_joined_channel' }, { isMember: true, isOwn: true }],
  [{ type: 'member_joined_channel', inviter: 'U2' }, { isMember: true }],
  [{ type: 'member_left_channel' }, { isMember: false }],
])('%o changes the members', (event, change) => {
  expect(read({ ...event, channel: 'C1', user: 'U1' })).toEqual({ channelId: 'C1', at, userId: 'U1', ...change });
});

test('a message in a private channel says nothing about the channel, and a mention is none of both', () => {
  const said = { type: 'message', channel: 'C1', channel_type: 'group', user: 'U1', text: 'hello' };
  expect(read(said)).toBeUndefined();
  expect(isRoomTalk({ type: 'event_callback', event: said })).toBe(true);
  expect(isRoomTalk({ type: 'event_callback', event: { ...said, type: 'app_mention' } })).toBe(false);
  expect(isRoomTalk({ type: 'event_callback', event: { ...said, channel_type: 'im' } })).toBe(false);
});

test.each([
  [{ type: 'message', channel: 'C1', channel_type: 'group', user: 'U1', text: 'hello' }, 'hello'],
  [{ type: 'message', channel: 'C1', channel_type: 'group', user: 'U1', subtype: 'file_share' }, ''],
  [
    {
      type: 'message',
      channel: 'C1',
      channel_type: 'group',
      user: 'U1',
      subtype: 'thread_broadcast',
      text: 'x',
      bot_id: null,
    },
    'x',
  ],
  [
    { type: 'message', channel: 'C1', channel_type: 'group', user: 'U1', subtype: 'channel_join', text: 'x' },
    undefined,
  ],
  [{ type: 'message', channel: 'C1', channel_type: 'group', user: 'U1', subtype: 'message_changed' }, undefined],
  [{ type: 'message', channel: 'C1', channel_type: 'group', user: 'U1', bot_id: 'B1', text: 'x' }, undefined],
  [{ type: 'message', channel: 'C1', subtype: 'message_deleted' }, undefined],
  [{ type: 'reaction_added', user: 'U1', item: { channel: 'C1' } }, undefined],
])('what a person wrote in a channel is read: %o', (event, text) => {
  const talk = toRoomTalk({ type: 'event_callback', event });
  expect(talk).toEqual(text === undefined ? undefined : { channelId: 'C1', userId: 'U1', text });
});
