import { expect, test } from 'vitest';
import { toRoomTalk } from '../../../../src/bot/slack/channel-events.ts';

const said = { type: 'message', channel_type: 'channel', channel: 'C1', user: 'U1', text: 'hello', ts: '1.2' };
const body = (event: object) => ({ type: 'event_callback', event });

test.each<[what: string, event: object, channel: string | undefined]>([
  ['a message', said, 'C1'],
  ['one in a private channel', { ...said, channel_type: 'group' }, 'C1'],
  ['a reply', { ...said, thread_ts: '1.1' }, 'C1'],
  ['a reply that the channel reads too', { ...said, thread_ts: '1.1', subtype: 'thread_broadcast' }, 'C1'],
  ['one with a file', { ...said, subtype: 'file_share' }, 'C1'],
  ['/me', { ...said, subtype: 'me_message' }, 'C1'],
  ['a direct message', { ...said, channel_type: 'im', channel: 'D1' }, undefined],
  ['a bot', { ...said, bot_id: 'B1' }, undefined],
  ['an edit', { ...said, subtype: 'message_changed', user: undefined }, undefined],
  ['a deletion', { ...said, subtype: 'message_deleted', user: undefined }, undefined],
  ['somebody who joins', { ...said, subtype: 'channel_join' }, undefined],
  ['a topic', { ...said, subtype: 'channel_topic' }, undefined],
  ['a reaction', { type: 'reaction_added', user: 'U1', item: { channel: 'C1' } }, undefined],
])('%s', (_what, event, channel) => {
  expect(toRoomTalk(body(event))?.channelId).toBe(channel);
});

test('what is no event is no talk', () => {
  for (const each of [undefined, null, {}, 'x', { type: 'url_verification' }, { ...body(said), type: 'other' }])
    expect(toRoomTalk(each)).toBeUndefined();
});
