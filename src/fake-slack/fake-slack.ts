import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assemble } from './assembly.ts';
import type { Person } from './people/person.ts';
import type { Directory } from './render/mrkdwn.ts';
import { renderMessageText, renderViewText } from './render/render.ts';
import type { Delivery, RawDelivery, Reply } from './to-app/deliveries.ts';
import { type Deliver, DirectLine } from './to-app/direct-line.ts';
import { HttpLine } from './to-app/http-line.ts';
import { SocketServer } from './to-app/socket.ts';
import { createDirectFetch } from './web-api/direct-fetch.ts';
import type { ApiCall } from './web-api/endpoint.ts';
import type { ChooseFault, Fault, FaultOptions } from './web-api/faults.ts';
import { answerHttp } from './web-api/http-answer.ts';
import type { OpenView } from './web-api/modals.ts';
import type { Channel, Message, NewPerson, UserGroup, Workspace } from './workspace.ts';

export type { ButtonQuery } from './people/find-element.ts';
export type { Person } from './people/person.ts';
export type { Answer, FormValue, FormValues, Place } from './people/person-context.ts';
export type { Delivery, RawDelivery, Reply } from './to-app/deliveries.ts';
export type { Deliver } from './to-app/direct-line.ts';
export type { ApiCall } from './web-api/endpoint.ts';
export type { ChooseFault, Fault, FaultOptions } from './web-api/faults.ts';
export type { OpenView } from './web-api/modals.ts';
export type { Channel, Message, NewPerson, UserGroup } from './workspace.ts';

/** How the fake Slack is set up. */
export interface FakeSlackOptions {
  /** The workspace's clock: timestamps, trigger ids, `response_url`s. Real time when absent. */
  readonly now?: () => Date;
  /** The clock for signatures; real time when absent, since Bolt compares them with its own clock. */
  readonly signatureNow?: () => Date;
  /** Scopes of the bot token; everything is granted when absent. */
  readonly scopes?: readonly string[];
  /** Events the app subscribed to, named as in the manifest or in Bolt; all when absent. */
  readonly events?: readonly string[];
  /** How long the app may take to acknowledge, in milliseconds of the global timers; 3000 when absent (docs/slack.md 4). */
  readonly ackTimeoutMs?: number;
  /** Makes 32 hexadecimal digits for ids and hashes; truly random when absent. A seeded one makes histories repeatable. */
  readonly randomId?: () => string;
  /** Asked about every call that no `fail` waits for; the call goes well when it yields nothing. */
  readonly chooseFault?: ChooseFault;
}

/** A stand-in for Slack over real HTTP and WebSockets. */
export interface FakeSlack extends FakeSlackBase, AsyncDisposable {
  /** The address that receives signed commands, interactions and events. A Socket Mode connection goes before it. */
  connectApp(requestUrl: string): void;
}

/** A stand-in for Slack in the same process. */
export interface DirectFakeSlack extends FakeSlackBase {
  /** Answers calls to `apiUrl` and to `response_url`s. */
  readonly fetch: typeof fetch;
  /** The function that receives signed commands, interactions and events. */
  connectApp(deliver: Deliver): void;
}

/** A stand-in for Slack, however it is reached, with people who type and click. */
export interface FakeSlackBase {
  /** For `SLACK_API_URL`: `http://127.0.0.1:<port>/api/`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly teamId: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly appId: string;
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
export async function openFakeSlack(options: FakeSlackOptions & { readonly port?: number } = {}): Promise<FakeSlack> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const line = new HttpLine();
  const openSockets = (workspace: Workspace, onChange: () => void) => new SocketServer(workspace, onChange);
  const { slack, endpoint, sockets } = assemble(options, { origin, line, openSockets });
  server.on('request', (request, response) => answerHttp(endpoint, request, response));
  server.on('upgrade', (request, stream, head) => sockets?.upgrade(request, stream, head));
  return Object.assign(slack, {
    connectApp: (requestUrl: string) => line.connect(requestUrl),
    async [Symbol.asyncDispose]() {
      line.close();
      sockets?.terminate();
      await new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  });
}

/**
 * Makes a fake Slack that stays in this process: no server, no sockets, and no timers but the global `setTimeout`, so that
 * whoever replaces the global clock drives it.
 */
export function createFakeSlack(options: FakeSlackOptions = {}): DirectFakeSlack {
  const origin = 'http://fake-slack.invalid';
  const line = new DirectLine();
  const { slack, endpoint } = assemble(options, { origin, line });
  return Object.assign(slack, {
    fetch: createDirectFetch(endpoint, origin),
    connectApp: (deliver: Deliver) => line.connect(deliver),
  });
}

/** Renders a message as the plain text a person reads. A mention that alarms everybody shows as `@channel !!!`. */
export function renderMessage(fake: Pick<FakeSlackBase, 'directory'>, message: Message): string {
  return renderMessageText(fake.directory, message);
}

/** Renders a modal or home tab as plain text, with what is filled in and the errors. */
export function renderView(fake: Pick<FakeSlackBase, 'directory'>, view: OpenView): string {
  return renderViewText(fake.directory, view);
}
