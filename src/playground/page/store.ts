import type { Act, ActAnswer, ChannelFacts, MessagePage, OptionPage, Told } from '../workspace/protocol.ts';
import type { Connection, Hearer, MessageQuery, OptionQuery } from './connection.ts';
import { toWindow, withNewer, withOlder } from './message-window.ts';
import { emptyState, findChannel, hear, type State } from './state.ts';

const noThread = { thread: undefined, threadMessages: undefined };

/** The page's state, and all that changes it: the server's word, and what the person does. */
export class Store {
  state: State = emptyState;
  readonly #connection: Connection;
  /** For each question that is open: the messages that the server told of since it was asked. */
  readonly #toldWhileReading = new Set<Told[]>();
  readonly #listeners = new Set<() => void>();
  readonly #first: { readonly channel?: string | undefined; readonly thread?: string | undefined };

  /** Opens the page of a person over a connection. `first` names the channel and thread to show at the beginning. */
  constructor(
    connectTo: (hearer: Hearer) => Connection,
    first: { readonly channel?: string | undefined; readonly thread?: string | undefined } = {},
  ) {
    this.#first = first;
    this.#connection = connectTo({
      onTold: told => this.#hear(told),
      onLine: isOnline => this.#set({ isOnline }),
    });
  }

  /** Calls the listener after each change. Returns the function that ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends what the person does. The answer's problem stays in the state until the next act. */
  async act(act: Act): Promise<ActAnswer> {
    const answer = await this.#connection.act(act);
    if (act.do !== 'read' && this.state.problem !== answer.problem) this.#set({ problem: answer.problem });
    return answer;
  }

  /** Asks for the options of an external menu. */
  findOptions(query: OptionQuery): Promise<OptionPage> {
    return this.#connection.options(query);
  }

  /** Takes the words on the last act's problem away. */
  forgetProblem(): void {
    this.#set({ problem: undefined });
  }

  /** Shows a channel's newest messages, and a thread of it. */
  async showChannel(id: string, thread?: string): Promise<void> {
    const facts = this.channel(id);
    if (facts === undefined) return;
    this.#set({
      channel: facts.id,
      isHomeOpen: false,
      messages: undefined,
      isAtEnd: true,
      readTs: facts.readTs,
      ...noThread,
    });
    await this.showNewest();
    if (thread !== undefined) await this.showThread(thread);
  }

  /** Shows the app's home tab. */
  async showHome(): Promise<void> {
    this.#set({ isHomeOpen: true, channel: undefined, messages: undefined, ...noThread });
    await this.act({ do: 'openHome' });
  }

  /** Shows the newest messages of the open channel. */
  async showNewest(): Promise<void> {
    const { channel } = this.state;
    if (channel === undefined) return;
    await this.#read({ channel }, page => {
      if (this.state.channel === channel) this.#set({ messages: toWindow(page) });
    });
    this.markRead();
  }

  /** Adds the messages before those that are shown. */
  async showOlder(): Promise<void> {
    const { channel, messages } = this.state;
    const before = messages?.messages[0]?.ts;
    if (channel === undefined || before === undefined || !messages?.hasOlder) return;
    await this.#read({ channel, before }, page => {
      const shown = this.state.messages;
      if (shown !== undefined && shown.messages[0]?.ts === before) this.#set({ messages: withOlder(shown, page) });
    });
  }

  /** Adds the messages after those that are shown. */
  async showNewer(): Promise<void> {
    const { channel, messages } = this.state;
    const after = messages?.messages.at(-1)?.ts;
    if (channel === undefined || after === undefined || !messages?.hasNewer) return;
    await this.#read({ channel, after }, page => {
      const shown = this.state.messages;
      if (shown !== undefined && shown.messages.at(-1)?.ts === after) this.#set({ messages: withNewer(shown, page) });
    });
  }

  /** Opens the thread of a message of the open channel. */
  async showThread(threadTs: string): Promise<void> {
    const { channel } = this.state;
    if (channel === undefined) return;
    this.#set({ thread: threadTs, threadMessages: undefined });
    await this.#read({ channel, threadTs }, page => {
      if (this.state.thread === threadTs) this.#set({ threadMessages: toWindow(page) });
    });
  }

  /** Closes the open thread. */
  closeThread(): void {
    this.#set(noThread);
  }

  /** Keeps in mind whether the reader is at the end of the messages. */
  setAtEnd(isAtEnd: boolean): void {
    if (this.state.isAtEnd !== isAtEnd) this.#set({ isAtEnd });
  }

  /** Tells the server that the open channel is read to its end. */
  markRead(): void {
    const { channel, messages } = this.state;
    const newest = messages?.hasNewer ? undefined : messages?.messages.at(-1)?.ts;
    const facts = this.channel(channel);
    if (channel === undefined || newest === undefined || facts === undefined || facts.readTs >= newest) return;
    void this.act({ do: 'read', channel, ts: newest });
  }

  /** The channel with an id or name, as the person sees it. */
  channel(idOrName: string | undefined): ChannelFacts | undefined {
    return findChannel(this.state, idOrName);
  }

  /** Ends the connection. */
  close(): void {
    this.#connection.close();
  }

  /**
   * Reads messages and shows them. An answer is as old as its question, so the messages that came in between are heard again
   * after it. Says so when the server does not answer.
   */
  async #read(query: MessageQuery, show: (page: MessagePage) => void): Promise<void> {
    const told: Told[] = [];
    this.#toldWhileReading.add(told);
    const page = await this.#connection.messages(query);
    this.#toldWhileReading.delete(told);
    if (page === undefined) {
      this.#set({ problem: 'The messages could not be read. Is `npm run demo` still running?' });
      return;
    }
    show(page);
    this.#set(told.reduce(hear, this.state));
  }

  #hear(told: Told): void {
    if (told.kind === 'message' || told.kind === 'messageGone') {
      for (const each of this.#toldWhileReading) each.push(told);
    }
    this.#set(hear(this.state, told));
    const { channel, isHomeOpen } = this.state;
    const isGone = told.kind === 'channelGone' && channel === told.id;
    if (!isHomeOpen && (told.kind === 'workspace' || isGone)) void this.#openFirst();
  }

  /** Shows the channel that was open, the one that the page was asked for, or the first one that the person is in. */
  async #openFirst(): Promise<void> {
    const { workspace, channel, thread } = this.state;
    const again = this.channel(channel);
    if (again !== undefined) return this.showChannel(again.id, thread);
    const first =
      this.channel(this.#first.channel) ??
      workspace?.channels.find(each => each.isMember && each.kind !== 'direct') ??
      workspace?.channels[0];
    const isWanted = first !== undefined && first === this.channel(this.#first.channel);
    if (first !== undefined) await this.showChannel(first.id, isWanted ? this.#first.thread : undefined);
  }

  #set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
