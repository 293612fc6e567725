import type { Act, ActAnswer, ChannelView, MessagePage, MessageView, Told } from '../workspace/protocol.ts';
import type { Connection, Hearer, MessageQuery } from './connection.ts';
import { toWindow, withNewer, withOlder } from './message-window.ts';
import { changeWindow, emptyPane, type Pane, type PaneState } from './panes.ts';
import { emptyState, findChannel, hear, type State } from './state.ts';
import { StoryGuide } from './story-guide.ts';

/** What the page shows of a channel: a thread of it, and a message of either. */
export interface Place {
  readonly thread?: string | undefined;
  readonly message?: string | undefined;
}

/** Which messages of a pane to read. */
type Range = Omit<MessageQuery, 'channel' | 'threadTs'>;

const unread = 'The messages could not be read. Is `npm run demo` still running?';

/** The page's state, and all that changes it: the server's word, and what the person does. */
export class Store {
  state: State = emptyState;
  readonly #connection: Connection;
  /** For each question that is open: the messages that the server told of since it was asked. */
  readonly #toldWhileReading = new Set<Told[]>();
  /** What each pane was last asked to show. An answer to an earlier wish changes nothing. */
  readonly #wishes = new Map<Pane, object>();
  #acts = 0;
  /** The number of the act whose problem is shown. */
  #refused = 0;
  /** The edges of panes beyond which messages are being read. */
  readonly #edges = new Set<string>();
  readonly #listeners = new Set<() => void>();
  /** The name of a channel that is to be shown and is not there yet. */
  #awaited: string | undefined;
  readonly #guide = new StoryGuide();
  readonly #first: Place & { readonly channel?: string | undefined };

  /** Opens the page of a person over a connection. `first` names the channel and the place in it to show at the beginning. */
  constructor(
    connectTo: (hearer: Hearer) => Connection,
    first: Place & { readonly channel?: string | undefined } = {},
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

  /** Sends what the person does. The answer's problem stays in the state until a later act has its effect. */
  async act(act: Act): Promise<ActAnswer> {
    if (act.do === 'read') return await this.#connection.act(act);
    if (act.do === 'story' && act.command !== 'pause') this.#guide.begin(act.name);
    this.#acts += 1;
    const number = this.#acts;
    const answer = await this.#connection.act(act);
    if (answer.problem !== undefined) this.#refuse(answer.problem, number);
    else if (number > this.#refused) this.forgetProblem();
    return answer;
  }

  /** Makes a channel, and shows it once the server tells of it. */
  async createChannel(name: string, isPrivate: boolean): Promise<ActAnswer> {
    const answer = await this.act({ do: 'createChannel', name, isPrivate });
    if (answer.problem === undefined) {
      this.#awaited = name;
      this.#showAwaited();
    }
    return answer;
  }

  /** Reads the pinned messages of a channel, the newest first. */
  async findPins(channel: string): Promise<readonly MessageView[]> {
    const page = await this.#connection.pins(channel);
    if (page === undefined) this.showProblem(unread);
    return page?.messages ?? [];
  }

  /** Says why something had no effect. */
  showProblem(problem: string): void {
    this.#refuse(problem, this.#acts);
  }

  /** Takes the words on the last act's problem away. */
  forgetProblem(): void {
    if (this.state.problem !== undefined) this.#set({ problem: undefined });
  }

  /** Shows a channel: its newest messages, or a place in it. */
  async showChannel(id: string, { thread, message }: Place = {}): Promise<void> {
    const facts = this.channel(id);
    if (facts === undefined) return;
    this.#set({
      channel: facts.id,
      isHomeOpen: false,
      panes: { channel: emptyPane, thread: emptyPane },
      readTs: facts.readTs,
      thread: undefined,
    });
    const inChannel = message === undefined ? undefined : (thread ?? message);
    const isWanted = await this.#show('channel', inChannel);
    // The person may have gone elsewhere meanwhile.
    if (isWanted && thread !== undefined && this.state.thread === undefined) await this.showThread(thread, message);
  }

  /** Shows a message where it stands, in its thread when it is a reply. */
  async showMessage({ channel, ts, threadTs }: Pick<MessageView, 'channel' | 'ts' | 'threadTs'>): Promise<void> {
    await this.showChannel(channel, { message: ts, thread: threadTs === ts ? undefined : threadTs });
  }

  /** Shows the app's home tab. */
  async showHome(): Promise<void> {
    const panes = { channel: emptyPane, thread: emptyPane };
    this.#set({ isHomeOpen: true, channel: undefined, thread: undefined, panes });
    await this.act({ do: 'openHome' });
  }

  /** Opens the thread of a message of the open channel: its newest replies, or a certain one. */
  async showThread(threadTs: string, reply?: string): Promise<void> {
    if (this.state.channel === undefined) return;
    this.#set({ thread: threadTs });
    this.#setPane('thread', emptyPane);
    await this.#show('thread', reply);
  }

  /** Closes the open thread. */
  closeThread(): void {
    this.#set({ thread: undefined });
    this.#setPane('thread', emptyPane);
  }

  /** Shows the newest messages of a pane. */
  async showNewest(pane: Pane): Promise<void> {
    this.#setPane(pane, { isAtEnd: true, target: undefined });
    await this.#show(pane);
  }

  /** Adds the messages before those that are shown. */
  async showOlder(pane: Pane): Promise<void> {
    const { window } = this.state.panes[pane];
    const before = window?.messages[0]?.ts;
    if (before === undefined || !window?.hasOlder) return;
    await this.#readBeyond(pane, { before }, page => {
      this.#changePane(pane, shown => (shown.messages[0]?.ts === before ? withOlder(shown, page) : shown));
    });
  }

  /** Adds the messages after those that are shown. */
  async showNewer(pane: Pane): Promise<void> {
    const { window } = this.state.panes[pane];
    const after = window?.messages.at(-1)?.ts;
    if (after === undefined || !window?.hasNewer) return;
    await this.#readBeyond(pane, { after }, page => {
      this.#changePane(pane, shown => (shown.messages.at(-1)?.ts === after ? withNewer(shown, page) : shown));
    });
  }

  /** Keeps in mind whether the reader is at the end of a pane. */
  setAtEnd(pane: Pane, isAtEnd: boolean): void {
    if (this.state.panes[pane].isAtEnd !== isAtEnd) this.#setPane(pane, { isAtEnd });
  }

  /** Lets the person change the words of a message of a pane; of none when it is absent. */
  edit(pane: Pane, ts?: string): void {
    this.#set({ editing: ts === undefined ? undefined : { pane, ts } });
  }

  /** Lets the person change the newest message of their own that a pane shows. Returns whether there is one. */
  editLast(pane: Pane): boolean {
    const { panes, workspace } = this.state;
    const last = panes[pane].window?.messages.findLast(each => each.author === workspace?.me && !each.isNotice);
    if (last !== undefined) this.edit(pane, last.ts);
    return last !== undefined;
  }

  /** Tells the server that the open channel is read to its end. */
  markRead(): void {
    const { channel, panes } = this.state;
    const { window } = panes.channel;
    const newest = window?.hasNewer ? undefined : window?.messages.at(-1)?.ts;
    const facts = this.channel(channel);
    if (channel === undefined || newest === undefined || facts === undefined || facts.readTs >= newest) return;
    void this.act({ do: 'read', channel, ts: newest });
  }

  /** The channel with an id or name, as the person sees it. */
  channel(idOrName: string | undefined): ChannelView | undefined {
    return findChannel(this.state, idOrName);
  }

  /** Ends the connection. */
  close(): void {
    this.#connection.close();
  }

  /** Shows the newest messages of a pane, or those around one. Resolves to whether that is still wanted. */
  async #show(pane: Pane, around?: string): Promise<boolean> {
    const { channel } = this.state;
    const wish = {};
    this.#wishes.set(pane, wish);
    const isWanted = (): boolean => this.#wishes.get(pane) === wish && this.state.channel === channel;
    await this.#read(pane, around === undefined ? {} : { around }, page => {
      if (!isWanted()) return;
      const place = around === undefined ? {} : { isAtEnd: false, target: { ts: around } };
      this.#setPane(pane, { window: toWindow(page), ...place });
    });
    if (pane === 'channel' && isWanted()) this.markRead();
    return isWanted();
  }

  /** Reads what is beyond an edge of a pane, unless that is under way. */
  async #readBeyond(pane: Pane, range: Range, show: (page: MessagePage) => void): Promise<void> {
    const edge = `${pane} ${this.state.channel} ${this.state.thread} ${JSON.stringify(range)}`;
    if (this.#edges.has(edge)) return;
    this.#edges.add(edge);
    await this.#read(pane, range, show);
    this.#edges.delete(edge);
  }

  /**
   * Reads messages of a pane and shows them, unless the pane shows something else meanwhile. An answer is as old as its question,
   * so the messages that came in between are heard again after it. Says so when the server does not answer.
   */
  async #read(pane: Pane, range: Range, show: (page: MessagePage) => void): Promise<void> {
    const { channel, thread } = this.state;
    if (channel === undefined) return;
    const inThread = pane === 'thread' && thread !== undefined ? { threadTs: thread } : {};
    const told: Told[] = [];
    this.#toldWhileReading.add(told);
    const page = await this.#connection.messages({ channel, ...inThread, ...range });
    this.#toldWhileReading.delete(told);
    if (page === undefined) return this.showProblem(unread);
    const isOpen = this.state.channel === channel && (pane === 'channel' || this.state.thread === thread);
    if (!isOpen) return;
    show(page);
    this.#set(told.reduce(hear, this.state));
  }

  #hear(told: Told): void {
    if (told.kind === 'message' || told.kind === 'messageGone') {
      for (const each of this.#toldWhileReading) each.push(told);
    }
    this.#set(hear(this.state, told));
    if (told.kind === 'channel') this.#showAwaited();
    const { channel, isHomeOpen } = this.state;
    const isGone = told.kind === 'channelGone' && channel === told.id;
    if (!isHomeOpen && (told.kind === 'workspace' || isGone)) void this.#openFirst();
    // A server that was started anew shows nobody's home tab before they ask for it.
    if (isHomeOpen && told.kind === 'workspace' && told.workspace.home === undefined) void this.act({ do: 'openHome' });
    if (told.kind === 'stories') {
      const place = this.#guide.next(told.stories, this.state.channel, id => this.channel(id) !== undefined);
      if (place !== undefined) void this.showChannel(place);
    }
  }

  #showAwaited(): void {
    const channel = this.channel(this.#awaited);
    if (channel === undefined) return;
    this.#awaited = undefined;
    void this.showChannel(channel.id);
  }

  /** Shows the channel that was open, the one that the page was asked for, or the first one that the person is in. */
  async #openFirst(): Promise<void> {
    const { workspace, channel, thread } = this.state;
    const again = this.channel(channel);
    if (again !== undefined) return this.showChannel(again.id, { thread });
    const first =
      this.channel(this.#first.channel) ??
      workspace?.channels.find(each => each.isMember && each.kind !== 'direct') ??
      workspace?.channels[0];
    const isWanted = first !== undefined && first === this.channel(this.#first.channel);
    if (first !== undefined) await this.showChannel(first.id, isWanted ? this.#first : {});
  }

  #setPane(pane: Pane, change: Partial<PaneState>): void {
    const { panes } = this.state;
    this.#set({ panes: { ...panes, [pane]: { ...panes[pane], ...change } } });
  }

  #changePane(pane: Pane, change: Parameters<typeof changeWindow>[1]): void {
    this.#setPane(pane, changeWindow(this.state.panes[pane], change));
  }

  #refuse(problem: string, act: number): void {
    this.#refused = act;
    this.#set({ problem });
  }

  #set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
