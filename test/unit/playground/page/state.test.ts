import { expect, test } from 'vitest';
import { emptyPane } from '../../../../playground/page/panes.ts';
import { emptyState, findChannel, hear, type State } from '../../../../playground/page/state.ts';
import type { Told, WireLine } from '../../../../playground/workspace/protocol.ts';
import { channelFacts, messageFacts, personFacts, tsOf, workspaceFacts } from '../../../support/page-facts.ts';

const begun = hear(emptyState, { kind: 'workspace', workspace: workspaceFacts() });
const reading: State = {
  ...begun,
  channel: 'C1',
  thread: tsOf(1001),
  panes: {
    channel: { ...emptyPane, window: { messages: [messageFacts(1001)], hasOlder: false, hasNewer: false } },
    thread: { ...emptyPane, window: { messages: [messageFacts(1001)], hasOlder: false, hasNewer: false } },
  },
};
const seconds = ({ panes }: State) =>
  [panes.channel, panes.thread].map(({ window }) => window?.messages.map(each => Number(each.ts)));

test('nothing but the workspace itself changes a page that knows no workspace', () => {
  expect(hear(emptyState, { kind: 'channel', channel: channelFacts() })).toBe(emptyState);
  expect(hear(emptyState, { kind: 'message', message: messageFacts(1001) })).toBe(emptyState);
});

test('a channel is added, replaced and taken away, and is found by id and by name', () => {
  const two = hear(begun, { kind: 'channel', channel: channelFacts({ id: 'C2', name: 'database' }) });
  const renamed = hear(two, { kind: 'channel', channel: channelFacts({ name: 'shop' }) });
  expect(renamed.workspace?.channels.map(each => each.name)).toEqual(['shop', 'database']);
  expect(findChannel(renamed, 'C2')).toBe(findChannel(renamed, 'database'));
  const one = hear(renamed, { kind: 'channelGone', id: 'C1' });
  expect(one.workspace?.channels.map(each => each.id)).toEqual(['C2']);
  expect(findChannel(one, 'C1')).toBeUndefined();
});

test('a person who changes keeps their place', () => {
  const people = ['ann', 'bea'].map(name => personFacts(name));
  const state = { ...begun, workspace: workspaceFacts({ people }) };
  const left = hear(state, { kind: 'person', person: personFacts('ann', { isDeactivated: true }) });
  expect(left.workspace?.people.map(each => [each.name, each.isDeactivated])).toEqual([
    ['ann', true],
    ['bea', false],
  ]);
});

test('a message stands in the channel, a reply in its thread, and what is of neither nowhere', () => {
  const said = hear(reading, { kind: 'message', message: messageFacts(1002) });
  expect(seconds(said)).toEqual([[1001, 1002], [1001]]);
  const answered = hear(said, { kind: 'message', message: messageFacts(1003, { threadTs: tsOf(1001) }) });
  expect(seconds(answered)).toEqual([
    [1001, 1002],
    [1001, 1003],
  ]);
  const elsewhere = hear(answered, { kind: 'message', message: messageFacts(1004, { threadTs: tsOf(1002) }) });
  expect(seconds(elsewhere)).toEqual(seconds(answered));
  expect(hear(answered, { kind: 'message', message: messageFacts(1005, { channel: 'C2' }) })).toBe(answered);
});

test('the first message of a thread changes in both panes, and goes from both', () => {
  const marked = hear(reading, { kind: 'message', message: messageFacts(1001, { threadTs: tsOf(1001), replies: 1 }) });
  for (const pane of ['channel', 'thread'] as const)
    expect(marked.panes[pane].window?.messages).toMatchObject([{ replies: 1 }]);
  expect(seconds(hear(marked, { kind: 'messageGone', channel: 'C1', ts: tsOf(1001) }))).toEqual([[], []]);
  expect(hear(marked, { kind: 'messageGone', channel: 'C2', ts: tsOf(1001) })).toBe(marked);
});

test('views replace each other, and the home tab stays when it is not told again', () => {
  const view = {
    type: 'modal',
    title: 'Form',
    close: 'Cancel',
    blocks: [],
    values: {},
    errors: {},
    hash: '1',
  } as const;
  const home = { ...view, id: 'V1', type: 'home' } as const;
  const open = hear(begun, { kind: 'views', views: [{ ...view, id: 'V2' }], home });
  const closed = hear(open, { kind: 'views', views: [] });
  expect([closed.workspace?.views, closed.workspace?.home]).toEqual([[], home]);
});

test('the wire replaces a line that has its answer, and holds no more than the last lines', () => {
  const line = (id: number, outcome?: string): Told => {
    const open: WireLine = { id, way: 'RPC', name: 'Get', at: id, isFailure: false, request: {} };
    return { kind: 'wire', line: outcome === undefined ? open : { ...open, outcome } };
  };
  const answered = [line(1), line(2), line(1, 'ok')].reduce(hear, begun);
  expect(answered.wire.map(each => [each.id, each.outcome])).toEqual([
    [1, 'ok'],
    [2, undefined],
  ]);
  const long = Array.from({ length: 1000 }, (_, index) => line(index + 1)).reduce(hear, begun);
  expect([long.wire.length, long.wire[0]?.id, long.wire.at(-1)?.id]).toEqual([300, 701, 1000]);
});
