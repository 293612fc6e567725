import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Deliveries, type Delivery, type RawDelivery, type Reply } from './slack/deliveries.ts';
import { toDirectory } from './slack/directory.ts';
import { type ApiCall, handleRequest } from './slack/endpoint.ts';
import { EventFeed } from './slack/events.ts';
import { type Fault, type FaultOptions, Faults } from './slack/faults.ts';
import { Modals, type OpenView } from './slack/modals.ts';
import type { Directory } from './slack/mrkdwn.ts';
import { Person } from './slack/person.ts';
import { renderMessageText, renderViewText } from './slack/render.ts';
import { ResponseUrls } from './slack/response-urls.ts';
import { SocketServer } from './slack/socket.ts';
import { TriggerIds } from './slack/trigger-ids.ts';
import {
  type Channel,
  type Message,
  type NewPerson,
  type StoredChannel,
  type UserGroup,
  Workspace,
} from './slack/workspace.ts';

export type { Delivery, RawDelivery, Reply } from './slack/deliveries.ts';
export type { ApiCall } from './slack/endpoint.ts';
export type { Fault, FaultOptions } from './slack/faults.ts';
export type { OpenView } from './slack/modals.ts';
export type { Person } from './slack/person.ts';
export type { ButtonQuery } from './slack/pointing.ts';
export type { Answer, FormValue, FormValues, Place } from './slack/surroundings.ts';
export type { Channel, Message, NewPerson, UserGroup } from './slack/workspace.ts';

/** How the fake Slack is set up. */
export interface FakeSlackOptions {
  /** The workspace's clock: timestamps, trigger ids, `response_url`s. Real time when absent. */
  readonly now?: () => Date;
  /** The clock for signatures; real time when absent, since Bolt compares them with its own clock. */
  readonly signatureNow?: () => Date;
  /** 0 or absent: a free port. */
  readonly port?: number;
  /** Scopes of the bot token; everything is granted when absent. */
  readonly scopes?: readonly string[];
  /** Events the app subscribed to, named as in the manifest or in Bolt; all when absent. */
  readonly events?: readonly string[];
  /** How long the app may take to acknowledge, in milliseconds of real time; 3000 when absent (slack.md §4). */
  readonly ackTimeoutMs?: number;
}

/** A stand-in for Slack over real HTTP and WebSockets, with people who type and click. */
export interface FakeSlack extends AsyncDisposable {
  /** For `SLACK_API_URL`: `http://127.0.0.1:<port>/api/`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly teamId: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly appId: string;
  /** The address that receives signed commands, interactions and events. A Socket Mode connection goes before it. */
  connectApp(requestUrl: string): void;
  addPerson(person: NewPerson): Person;
  /** Without `members`, everybody there is joins; a private channel has the given ones only. The bot only on request. */
  addChannel(channel: {
    readonly name: string;
    readonly isPrivate?: boolean;
    readonly members?: readonly Person[];
    readonly botIsMember?: boolean;
    readonly isArchived?: boolean;
    readonly isExtShared?: boolean;
  }): Channel;
  addUserGroup(group: {
    readonly handle: string;
    readonly name?: string;
    readonly members?: readonly Person[];
  }): UserGroup;
  /** The direct message between a person and the bot. */
  openDm(person: Person): Channel;
  /** A channel by id or name, `#` allowed; throws when there is none. */
  channel(nameOrId: string): Channel;
  readonly channels: readonly Channel[];
  /** A person by id or name; throws when there is none. */
  person(nameOrId: string): Person;
  readonly people: readonly Person[];
  /** The names behind ids, for rendering. */
  readonly directory: Directory;
  /** Every Web API call, and as `response_url` every use of one, oldest first. */
  readonly calls: readonly ApiCall[];
  /** The calls of one method. */
  callsOf(method: string): ApiCall[];
  /** Lets the next calls of a method go wrong; `response_url` is a method here too. */
  fail(method: string, fault: Fault, options?: FaultOptions): void;
  /** Forgets the faults of a method, or all. */
  heal(method?: string): void;
  /** Every payload sent to the app, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Sends a request made by hand: wrong signature, old timestamp, other content type, big body. */
  deliver(raw: RawDelivery): Promise<Reply>;
  /** Sends identical bytes and headers again. */
  replay(delivery: Delivery): Promise<Reply>;
  /** Sends a payload again as Slack does when the first try failed, freshly signed, with retry headers. */
  redeliver(delivery: Delivery, reason?: string): Promise<Reply>;
  /** Makes every trigger id so far too old. */
  expireTriggers(): void;
  /** The next trigger ids, one when absent, are too old when they arrive. */
  delayTriggers(times?: number): void;
  /** Tells Socket Mode connections to reconnect, or breaks them off. */
  disconnectSockets(how: 'refresh_requested' | 'link_disabled' | 'terminate'): void;
  /** How many Socket Mode connections there are. */
  readonly socketCount: number;
  /** Resolves when every event so far was answered by the app. */
  settled(): Promise<void>;
  /**
   * Resolves with the first value that is neither `undefined`, `null` nor `false`, looking again whenever something
   * happens in the workspace. Throws after `timeoutMs` (5000 when absent), naming the last calls.
   */
  until<T>(look: () => T | undefined | null | false, timeoutMs?: number): Promise<T>;
}

/** Starts a fake Slack on a free port of this machine. Disposing ends every connection at once. */
export async function openFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const now = options.now ?? (() => new Date());
  const workspace = new Workspace(now);
  const calls: ApiCall[] = [];
  const watchers = new Set<() => void>();
  const onChange = (): void => {
    for (const watcher of watchers) watcher();
  };
  workspace.onEvent(onChange);
  let origin = '';
  const botToken = 'xoxb-fake-slack-bot-token';
  const appToken = 'xapp-fake-slack-app-token';
  const signingSecret = 'fake-slack-signing-secret';
  const modals = new Modals(workspace);
  const triggers = new TriggerIds(now);
  const faults = new Faults();
  const responseUrls = new ResponseUrls(workspace, () => `${origin}/respond/`);
  const socket = new SocketServer(workspace, onChange);
  const deliveries = new Deliveries({
    signingSecret,
    socket,
    now: options.signatureNow ?? (() => new Date()),
    ackTimeoutMs: options.ackTimeoutMs ?? 3000,
    onChange,
  });
  const events = new EventFeed(workspace, deliveries, options.events);
  const backend = {
    workspace,
    modals,
    triggers,
    scopes: options.scopes,
    openSocketUrl: () => `${origin.replace('http', 'ws')}/socket?ticket=${socket.issueTicket()}`,
  };
  const endpoint = {
    backend,
    faults,
    responseUrls,
    botToken,
    appToken,
    onCall(call: ApiCall) {
      calls.push(call);
      onChange();
    },
  };
  const server = createServer((request, response) => {
    handleRequest(endpoint, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(`The fake Slack has a bug: ${String(error)}`);
    });
  });
  server.on('upgrade', (request, stream, head) => socket.upgrade(request, stream, head));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const findChannel = (nameOrId: string): StoredChannel => {
    const name = nameOrId.replace(/^#/, '');
    const found = workspace.channels.get(nameOrId) ?? workspace.channelNamed(name);
    if (found !== undefined) return found;
    const known = [...workspace.channels.values()].map(channel => channel.name).join(', ');
    throw new Error(`There is no channel "${nameOrId}". There are: ${known || 'none'}.`);
  };
  const people = new Map<string, Person>();
  const around = { workspace, modals, triggers, responseUrls, deliveries, findChannel, onChange };

  return {
    apiUrl: `${origin}/api/`,
    botToken,
    appToken,
    signingSecret,
    teamId: workspace.teamId,
    botUserId: workspace.botUserId,
    botId: workspace.botId,
    appId: workspace.appId,
    connectApp: requestUrl => deliveries.connect(requestUrl),
    addPerson(details) {
      const person = new Person(workspace.addPerson(details), around);
      people.set(person.id, person);
      return person;
    },
    addChannel(channel) {
      const everybody = channel.isPrivate ? [] : [...people.values()];
      const members = (channel.members ?? everybody).map(person => person.id);
      return workspace.addChannel({
        ...channel,
        memberIds: channel.botIsMember ? [...members, workspace.botUserId] : members,
        creator: members[0] ?? workspace.botUserId,
      });
    },
    addUserGroup(group) {
      const users = (group.members ?? []).map(person => person.id);
      const stored = { id: workspace.nextId('S'), handle: group.handle, name: group.name ?? group.handle, users };
      workspace.userGroups.set(stored.id, stored);
      return stored;
    },
    openDm: person => workspace.directMessage(person.id),
    channel: findChannel,
    get channels() {
      return [...workspace.channels.values()];
    },
    person(nameOrId) {
      const found = people.get(nameOrId) ?? [...people.values()].find(person => person.name === nameOrId);
      if (found === undefined) throw new Error(`There is nobody called "${nameOrId}".`);
      return found;
    },
    get people() {
      return [...people.values()];
    },
    directory: toDirectory(workspace),
    calls,
    callsOf: method => calls.filter(call => call.method === method),
    fail: (method, fault, faultOptions) => faults.add(method, fault, faultOptions),
    heal: method => faults.heal(method),
    deliveries: deliveries.sent,
    deliver: raw => deliveries.post(raw),
    replay: delivery => deliveries.replay(delivery),
    redeliver: (delivery, reason) => deliveries.redeliver(delivery, reason),
    expireTriggers: () => triggers.expireAll(),
    delayTriggers: (times = 1) => triggers.makeLate(times),
    disconnectSockets: how => (how === 'terminate' ? socket.terminate() : socket.askToDisconnect(how)),
    get socketCount() {
      return socket.connectionCount;
    },
    settled: () => events.settled(),
    until: (look, timeoutMs = 5000) => until(watchers, calls, look, timeoutMs),
    async [Symbol.asyncDispose]() {
      deliveries.close();
      socket.terminate();
      await new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Renders a message as the plain text a person reads. A mention that alarms everybody shows as `@channel !!!`. */
export function renderMessage(fake: FakeSlack, message: Message): string {
  return renderMessageText(fake.directory, message);
}

/** Renders a modal or home tab as plain text, with what is filled in and the errors. */
export function renderView(fake: FakeSlack, view: OpenView): string {
  return renderViewText(fake.directory, view);
}

function until<T>(
  watchers: Set<() => void>,
  calls: readonly ApiCall[],
  look: () => T | undefined | null | false,
  timeoutMs: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (finish: () => void): void => {
      clearTimeout(timer);
      watchers.delete(watcher);
      finish();
    };
    const watcher = (): void => {
      try {
        const value = look();
        if (value !== undefined && value !== null && value !== false) end(() => resolve(value));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const timer = setTimeout(() => {
      const last = calls.slice(-8).map(call => `${call.method} → ${call.response?.error ?? 'ok'}`);
      end(() => reject(new Error(`Waited ${timeoutMs} ms in vain. The last calls: ${last.join(', ') || 'none'}.`)));
    }, timeoutMs);
    watchers.add(watcher);
    watcher();
  });
}
