import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test.each([
  ['HTTP', false],
  ['a socket', true],
])(
  'over %s, a direct message works like a mention; the first one is greeted in three lines',
  async (_how, socketMode) => {
    const { write, notes, alice, place, slack, act } = await openIncident({ socketMode });
    const direct = slack.openDm(alice);
    const first = await write('note rolled back --incident 1');
    const [greeting = '', receipt = ''] = first.answer;
    expect(first.answer).toHaveLength(2);
    expect(greeting.split('\n').slice(0, 3)).toEqual([
      'Hello, I am Muster: I run incidents.',
      expect.stringContaining('Write to me as you would type a command, without the slash'),
      expect.stringContaining('In an incident’s channel'),
    ]);
    expect(greeting).toContain('[Declare an incident]\n[List incidents]\n[Help]');
    expect(receipt).toContain(`${phrases.added}: “rolled back”.`);
    expect(await notes()).toEqual(['rolled back']);
    expect((await write('list')).answer).toEqual([expect.stringContaining('Checkout answers 500')]);
    expect((await write('hlep')).answer).toEqual([expect.stringContaining('There is no command “hlep”')]);
    expect((await write('@muster help')).answer).toHaveLength(1);
    const undo = place.messages(alice, direct.id).find(each => JSON.stringify(each.blocks).includes('muster.undo'));
    if (!undo) throw new Error('There is no Undo');
    await act(() => alice.press(undo, 'Undo'));
    expect(await notes()).toEqual([]);
    expect(undo.ephemeralTo).toBeUndefined();
  },
);

test('an edited direct message is corrected, a deleted one and a preview of a link change nothing', async () => {
  const { write, notes, alice, place, slack, readsDirect, act } = await openIncident();
  const read = () => readsDirect(alice);
  const { message } = await write('note one --incident 1');
  await act(() => alice.editMessage(message, 'note two --incident 1'));
  expect(await notes()).toEqual(['two']);
  const known = read().length;
  const unfurled = {
    type: 'message',
    subtype: 'message_changed',
    channel: message.channel,
    channel_type: 'im',
    ts: '1795000000.000900',
    message: { user: alice.id, ts: message.ts, text: 'note two --incident 1', edited: { ts: '1795000000.000800' } },
    previous_message: { text: 'note two --incident 1' },
  };
  const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev9', team_id: slack.teamId, event: unfurled });
  await slack.deliver({ body, contentType: 'application/json' });
  await act(() => alice.deleteMessage(message));
  expect(await notes()).toEqual(['two']);
  expect(read()).toHaveLength(known - 1);
  expect(place.troubles).toEqual([]);
});
