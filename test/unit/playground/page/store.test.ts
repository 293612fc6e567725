import { expect, test } from 'vitest';
import type { Connection, Hearer, MessageQuery } from '../../../../playground/page/connection.ts';
import type { Pane } from '../../../../playground/page/panes.ts';
import { Store } from '../../../../playground/page/store.ts';
import type { Act, ActAnswer, MessagePage } from '../../../../playground/workspace/protocol.ts';
import { channelFacts, messageFacts, messagesOf, tsOf, workspaceFacts } from '../../../support/page-facts.ts';

const workspace = workspaceFacts({ channels: [channelFacts({ readTs: tsOf(1050) })] });

/** A store that has heard of the workspace. Its server answers no sooner than the test says. */
function openStore(first: ConstructorParameters<typeof Store>[1] = {}) {
  const questions: { readonly query: MessageQuery; readonly answer: (page: MessagePage | undefined) => void }[] = [];
  const hearers: Hearer[] = [];
  const acts: Act[] = [];
  const actAnswers: Promise<ActAnswer>[] = [];
  const connection: Connection = {
    act: async act => {
      acts.push(act);
      return (await actAnswers.shift()) ?? {};
    },
    messages: query => new Promise(answer => questions.push({ query, answer })),
    pins: async () => undefined,
    close: () => undefined,
  };
  const store = new Store(hearer => {
    hearers.push(hearer);
    return connection;
  }, first);
  const hear = hearers[0]?.onTold ?? (() => undefined);
  hear({ kind: 'workspace', workspace });
  return {
    store,
    acts,
    /** What the next acts are answered with; those after them have their effect at once. */
    actAnswers,
    hear,
    /** Answers the oldest question, and resolves to it. */
    answer: async (page: MessagePage | undefined) => {
      const question = questions.shift();
      question?.answer(page);
      await new Promise(resolve => setImmediate(resolve));
      return question?.query;
    },
  };
}

const shown = (store: Store, pane: Pane = 'channel') =>
  store.state.panes[pane].window?.messages.map(({ ts, text }) => [Number(ts), text]);
const seconds = (store: Store, pane: Pane = 'channel') => shown(store, pane)?.map(([second]) => second);

test('a message that is written while the channel is being read is shown', async () => {
  const { store, hear, answer } = openStore();
  hear({ kind: 'message', message: messageFacts(1003, { text: 'new' }) });
  hear({ kind: 'message', message: messageFacts(1001, { text: 'edited' }) });
  hear({ kind: 'messageGone', channel: 'C1', ts: tsOf(1002) });
  await answer({ messages: messagesOf(1001, 1002), hasOlder: false });
  expect(shown(store)).toEqual([
    [1001, 'edited'],
    [1003, 'new'],
  ]);
});

test('a reply that is written while the thread is being read is shown', async () => {
  const { store, hear, answer } = openStore();
  await answer({ messages: messagesOf(1001, 1001), hasOlder: false });
  void store.showThread(tsOf(1001));
  hear({ kind: 'message', message: messageFacts(1002, { threadTs: tsOf(1001) }) });
  await answer({ messages: messagesOf(1001, 1001), hasOlder: false });
  expect(seconds(store, 'thread')).toEqual([1001, 1002]);
});

test('older messages are added although somebody writes meanwhile', async () => {
  const { store, hear, answer } = openStore();
  await answer({ messages: messagesOf(1002, 1002), hasOlder: true });
  void store.showOlder('channel');
  hear({ kind: 'message', message: messageFacts(1003) });
  await answer({ messages: messagesOf(1001, 1001), hasOlder: false });
  expect(seconds(store)).toEqual([1001, 1002, 1003]);
});

test('older replies are added to a thread, and a reader of them keeps what they look at', async () => {
  const { store, hear, answer } = openStore();
  const inThread = { threadTs: tsOf(1001) };
  await answer({ messages: messagesOf(1001, 1001), hasOlder: false });
  void store.showThread(tsOf(1001));
  expect(await answer({ messages: messagesOf(1200, 1299, inThread), hasOlder: true })).toMatchObject(inThread);
  store.setAtEnd('thread', false);
  void store.showOlder('thread');
  const query = await answer({ messages: messagesOf(1100, 1199, inThread), hasOlder: true });
  expect(query).toEqual({ channel: 'C1', ...inThread, before: tsOf(1200) });
  expect(seconds(store, 'thread')).toHaveLength(200);
  hear({ kind: 'message', message: messageFacts(1300, inThread) });
  expect([seconds(store, 'thread')?.[0], store.state.panes.thread.window?.hasNewer]).toEqual([1100, true]);
  expect(seconds(store)).toEqual([1001]);
});

test('an answer for a thread that is open no more shows nothing', async () => {
  const { store, answer } = openStore();
  await answer({ messages: messagesOf(1001, 1002), hasOlder: false });
  void store.showThread(tsOf(1001));
  void store.showThread(tsOf(1002));
  await answer({ messages: messagesOf(1001, 1001), hasOlder: false });
  expect(shown(store, 'thread')).toBeUndefined();
  await answer({ messages: messagesOf(1002, 1002), hasOlder: false });
  expect(seconds(store, 'thread')).toEqual([1002]);
});

test('a page that is asked for a reply shows the message of its thread, and the reply beside it', async () => {
  const { store, answer, acts } = openStore({ channel: 'checkout', thread: tsOf(1001), message: tsOf(1400) });
  const around = await answer({ messages: messagesOf(1001, 1100), hasOlder: false, hasNewer: true });
  expect(around).toEqual({ channel: 'C1', around: tsOf(1001) });
  expect(store.state.panes.channel).toMatchObject({ isAtEnd: false, target: { ts: tsOf(1001) } });
  const reply = await answer({ messages: messagesOf(1400, 1410), hasOlder: true, hasNewer: false });
  expect(reply).toEqual({ channel: 'C1', threadTs: tsOf(1001), around: tsOf(1400) });
  expect(store.state.panes.thread).toMatchObject({ isAtEnd: false, target: { ts: tsOf(1400) } });
  // What stands below has not been seen.
  expect(acts).toEqual([]);
  void store.showNewest('channel');
  await answer({ messages: messagesOf(1400, 1410), hasOlder: true });
  expect(acts).toEqual([{ do: 'read', channel: 'C1', ts: tsOf(1410) }]);
});

test('a person who goes elsewhere while a reply is being looked for stays there', async () => {
  const { store, hear, answer } = openStore();
  hear({ kind: 'channel', channel: channelFacts({ id: 'C2', name: 'database' }) });
  await answer({ messages: messagesOf(1001, 1001), hasOlder: false });
  void store.showMessage({ channel: 'C1', ts: tsOf(1002), threadTs: tsOf(1001) });
  void store.showChannel('C2');
  await answer({ messages: messagesOf(1001, 1001), hasOlder: false });
  expect([store.state.channel, store.state.thread]).toEqual(['C2', undefined]);
  expect(await answer({ messages: messagesOf(2001, 2001), hasOlder: false })).toEqual({ channel: 'C2' });
  expect(seconds(store)).toEqual([2001]);
});

test('of two wishes for a pane the later one holds, whichever is answered first', async () => {
  const { store, answer } = openStore();
  await answer({ messages: messagesOf(1001, 1001), hasOlder: false });
  void store.showMessage({ channel: 'C1', ts: tsOf(1010) });
  void store.showNewest('channel');
  await answer({ messages: messagesOf(1005, 1015), hasOlder: true, hasNewer: true });
  expect(seconds(store)).toBeUndefined();
  await answer({ messages: messagesOf(1050, 1051), hasOlder: true });
  expect(seconds(store)).toEqual([1050, 1051]);
  expect(store.state.panes.channel).toMatchObject({ isAtEnd: true, target: undefined });
});

test('an act that was refused stays refused when an earlier one has its effect', async () => {
  const { store, actAnswers } = openStore();
  const slow = Promise.withResolvers<ActAnswer>();
  actAnswers.push(slow.promise, Promise.resolve({ problem: 'Join #checkout first.' }));
  const earlier = store.act({ do: 'command', channel: 'C1', line: '/incident list' });
  await store.act({ do: 'say', channel: 'C1', text: 'Hello' });
  slow.resolve({});
  await earlier;
  expect(store.state.problem).toBe('Join #checkout first.');
  await store.act({ do: 'say', channel: 'C1', text: 'Hello' });
  expect(store.state.problem).toBeUndefined();
});

test('a server that does not answer is named, and what is shown stays', async () => {
  const { store, answer } = openStore();
  await answer({ messages: messagesOf(1002, 1002), hasOlder: true });
  void store.showOlder('channel');
  await answer(undefined);
  expect(store.state.problem).toMatch(/could not be read/);
  expect(seconds(store)).toEqual([1002]);
  expect(await store.findPins('C1')).toEqual([]);
});

test('what messages speak of is another object only when a name has changed, not with each unread message', () => {
  const { store, hear } = openStore();
  const { directory } = store.state;
  hear({ kind: 'channel', channel: channelFacts({ unread: 1, topic: 'Calm' }) });
  hear({ kind: 'views', views: [] });
  expect(store.state.workspace?.channels[0]?.unread).toBe(1);
  expect(store.state.directory).toBe(directory);
  hear({ kind: 'channel', channel: channelFacts({ name: 'shop' }) });
  expect(store.state.directory?.channels[0]?.name).toBe('shop');
  hear({ kind: 'channel', channel: channelFacts({ id: 'C2' }) });
  expect(store.state.directory?.channels).toHaveLength(2);
});

/** A story that plays in a channel. */
const story = (place: string) => ({
  kind: 'stories' as const,
  stories: [{ name: 'incident', title: 'One', steps: ['a'], done: 0, isPlaying: true, speed: 1, place }],
});
const rooms = workspaceFacts({ channels: ['C1', 'C2', 'C3'].map(id => channelFacts({ id, name: id.toLowerCase() })) });

test('the window that plays a story goes where it happens, until the person goes elsewhere; others stay', () => {
  const { store, hear } = openStore();
  hear({ kind: 'workspace', workspace: rooms });
  hear(story('C2'));
  expect(store.state.channel).toBe('C1');
  void store.act({ do: 'story', name: 'incident', command: 'play' });
  hear(story('C2'));
  expect(store.state.channel).toBe('C2');
  hear(story('C9'));
  expect(store.state.channel).toBe('C2');
  hear(story('C3'));
  expect(store.state.channel).toBe('C3');
  void store.showChannel('C1');
  hear(story('C3'));
  hear(story('C2'));
  expect(store.state.channel).toBe('C1');
  void store.act({ do: 'story', name: 'incident', command: 'step' });
  hear(story('C3'));
  expect(store.state.channel).toBe('C3');
});

test('the newest message of one’s own is edited, where there is one', async () => {
  const { store, answer } = openStore();
  await answer({ messages: [], hasOlder: false });
  expect(store.editLast('channel')).toBe(false);
  void store.showChannel('C1');
  const messages = [1001, 1002, 1003].map(second =>
    messageFacts(second, { author: second === 1003 ? 'U9' : workspace.me }),
  );
  await answer({ messages, hasOlder: false });
  expect(store.editLast('channel')).toBe(true);
  expect(store.state.editing).toEqual({ pane: 'channel', ts: tsOf(1002) });
  expect(store.editLast('thread')).toBe(false);
  store.edit('channel');
  expect(store.state.editing).toBeUndefined();
});

test('a server that was started anew leaves nothing stale: no line of the wire, no problem, and the home tab is asked for', async () => {
  const { store, hear, acts, actAnswers } = openStore();
  const line = { id: 7, way: 'RPC', name: 'x', at: 0, isFailure: false, request: {} } as const;
  hear({ kind: 'wire', line });
  actAnswers.push(Promise.resolve({ problem: 'The playground does not answer.' }));
  await store.act({ do: 'say', channel: 'C1', text: 'x' });
  await store.showHome();
  hear({ kind: 'workspace', workspace });
  expect(store.state).toMatchObject({ wire: [], problem: undefined, isHomeOpen: true });
  expect(acts.filter(each => each.do === 'openHome')).toHaveLength(2);
});
