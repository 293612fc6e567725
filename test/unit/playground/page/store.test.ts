import { expect, test } from 'vitest';
import type { Connection, Hearer, MessageQuery } from '../../../../src/playground/page/connection.ts';
import { Store } from '../../../../src/playground/page/store.ts';
import type {
  ChannelFacts,
  MessageFacts,
  MessagePage,
  WorkspaceFacts,
} from '../../../../src/playground/workspace/protocol.ts';

const readTs = '9999.000000';
const channel: ChannelFacts = {
  ...{ id: 'C1', name: 'checkout', kind: 'public', isMember: true, isArchived: false, isShared: false },
  ...{ topic: '', purpose: '', members: [], bookmarks: [], readTs, unread: 0, mentions: 0 },
};
const workspace: WorkspaceFacts = {
  ...{ team: 'T1', me: 'U1', app: 'U2', people: [], groups: [], channels: [channel] },
  ...{ commands: [], shortcuts: [], views: [] },
};

function message(second: number, more: Partial<MessageFacts> = {}): MessageFacts {
  const rest = { blocks: [], attachments: [], files: [], reactions: [], replies: 0, permalink: '' };
  const marks = { isPinned: false, isEphemeral: false, isEdited: false, isNotice: false };
  return { channel: 'C1', ts: `${second}.000000`, author: 'U1', text: '', ...rest, ...marks, ...more };
}

/** A store whose server answers no sooner than the test says. */
function openStore() {
  const questions: { readonly query: MessageQuery; readonly answer: (page: MessagePage) => void }[] = [];
  const hearers: Hearer[] = [];
  const connection: Connection = {
    act: async () => ({}),
    messages: query => new Promise(answer => questions.push({ query, answer })),
    options: async () => ({ options: [] }),
    close: () => undefined,
  };
  const store = new Store(hearer => {
    hearers.push(hearer);
    return connection;
  });
  return {
    store,
    hear: hearers[0]?.onTold ?? (() => undefined),
    answer: async (page: MessagePage) => {
      questions.shift()?.answer(page);
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

const shown = (store: Store) => store.state.messages?.messages.map(({ ts, text }) => [Number(ts), text]);

test('a message that is written while the channel is being read is shown', async () => {
  const { store, hear, answer } = openStore();
  hear({ kind: 'workspace', workspace });
  hear({ kind: 'message', message: message(1003, { text: 'new' }) });
  hear({ kind: 'message', message: message(1001, { text: 'edited' }) });
  hear({ kind: 'messageGone', channel: 'C1', ts: message(1002).ts });
  await answer({ messages: [message(1001), message(1002)], hasOlder: false });
  expect(shown(store)).toEqual([
    [1001, 'edited'],
    [1003, 'new'],
  ]);
});

test('a reply that is written while the thread is being read is shown', async () => {
  const { store, hear, answer } = openStore();
  hear({ kind: 'workspace', workspace });
  await answer({ messages: [message(1001)], hasOlder: false });
  const { ts } = message(1001);
  void store.showThread(ts);
  hear({ kind: 'message', message: message(1002, { threadTs: ts }) });
  await answer({ messages: [message(1001)], hasOlder: false });
  expect(store.state.threadMessages?.messages.map(each => each.ts)).toEqual([ts, message(1002).ts]);
});

test('older messages are added although somebody writes meanwhile', async () => {
  const { store, hear, answer } = openStore();
  hear({ kind: 'workspace', workspace });
  await answer({ messages: [message(1002)], hasOlder: true });
  void store.showOlder();
  hear({ kind: 'message', message: message(1003) });
  await answer({ messages: [message(1001)], hasOlder: false });
  expect(shown(store)?.map(([second]) => second)).toEqual([1001, 1002, 1003]);
});

test('what messages speak of is another object only when a name has changed, not with each unread message', () => {
  const { store, hear } = openStore();
  hear({ kind: 'workspace', workspace });
  const { directory } = store.state;
  hear({ kind: 'channel', channel: { ...channel, unread: 1, topic: 'Calm' } });
  hear({ kind: 'views', views: [] });
  expect(store.state.workspace?.channels[0]?.unread).toBe(1);
  expect(store.state.directory).toBe(directory);
  hear({ kind: 'channel', channel: { ...channel, name: 'shop' } });
  expect(store.state.directory?.channels[0]?.name).toBe('shop');
  hear({ kind: 'channel', channel: { ...channel, id: 'C2' } });
  expect(store.state.directory?.channels).toHaveLength(2);
});
