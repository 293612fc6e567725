import { expect, test } from 'vitest';
import { readMessage } from '../../../../src/bot/inbox/listen.ts';

/** What is read of an event. */
function read(event: object) {
  const common = { user: 'U1', ts: '1795183559.000100', channel: 'D1', text: 'list' };
  const body = { type: 'event_callback', team_id: 'T1', event: { ...common, ...event } };
  const read = readMessage(body);
  return read && ('edit' in read ? read.message : read).act;
}

const direct = { type: 'message', channel_type: 'im' };
const mention = { type: 'app_mention', channel: 'C1' };
const file = { id: 'F1', name: 'graph.png', mimetype: 'image/png' };

test.each([
  ['words', { ...direct }, 'list'],
  ['words with a picture', { ...direct, subtype: 'file_share', files: [file] }, 'list'],
  ['a picture alone', { ...direct, subtype: 'file_share', text: '', files: [file] }, ''],
  ['a picture without a text at all', { ...direct, subtype: 'file_share', text: undefined, files: [file] }, ''],
  [
    'a voice message',
    { ...direct, subtype: 'file_share', text: '', files: [{ id: 'F2', subtype: 'slack_audio' }] },
    '',
  ],
  ['a reply that the channel reads too', { ...direct, subtype: 'thread_broadcast', thread_ts: '1.0' }, 'list'],
  ['what a person does', { ...direct, subtype: 'me_message' }, 'list'],
  ['a forward alone', { ...direct, text: '', attachments: [{ is_share: true, text: 'x' }] }, ''],
  ['a mention with a picture', { ...mention, subtype: 'file_share', text: '<@U0> list', files: [file] }, '<@U0> list'],
  ['a mention in a broadcast reply', { ...mention, subtype: 'thread_broadcast', text: '<@U0> list' }, '<@U0> list'],
  ['a mention by /me', { ...mention, subtype: 'me_message', text: 'asks <@U0>' }, 'asks <@U0>'],
])('%s is a message to the bot', (_, event, text) => {
  expect(read(event)).toMatchObject({ kind: 'command', root: 'mention', text });
});

test.each([
  ['a bot’s message', { ...direct, bot_id: 'B1' }],
  ['a webhook’s', { ...direct, subtype: 'bot_message', bot_id: 'B1' }],
  ['a joining', { ...direct, subtype: 'channel_join' }],
  ['a deletion', { ...direct, subtype: 'message_deleted' }],
  ['a stone', { ...direct, subtype: 'tombstone' }],
  ['a message in a channel', { type: 'message', channel_type: 'channel', channel: 'C1' }],
  ['a message of nobody', { ...direct, user: undefined }],
])('%s is none', (_, event) => {
  expect(read(event)).toBeUndefined();
});
