import { type FakeSlackBase, type FakeSlackOptions, type SlackDeadlines, slackDeadlines } from './interface.ts';
import { Person } from './people/person.ts';
import type { PersonContext } from './people/person-context.ts';
import { SlackError } from './protocol/slack-error.ts';
import { toDirectory } from './render/mrkdwn.ts';
import { Deliveries, type Line, remember } from './to-app/deliveries.ts';
import { EventSender } from './to-app/events.ts';
import { ResponseUrls } from './to-app/response-urls.ts';
import type { SocketServer } from './to-app/socket.ts';
import { TriggerIds } from './to-app/trigger-ids.ts';
import type { ApiCall, EndpointOptions } from './web-api/endpoint.ts';
import { Faults } from './web-api/faults.ts';
import { limitRates } from './web-api/rate-limits.ts';
import { Modals } from './workspace/modals.ts';
import type { StoredChannel } from './workspace/records.ts';
import { restoreState, saveState } from './workspace/state.ts';
import { slackbotId, Workspace } from './workspace/workspace.ts';

/** How a fake Slack and the app reach each other. */
export interface Wiring {
  /** The origin of the Web API and of every `response_url`, such as `http://127.0.0.1:4711`. */
  readonly origin: string;
  readonly line: Line;
  /** Opens Socket Mode. When absent, the app cannot use it. */
  readonly openSockets?: (workspace: Workspace, onChange: () => void) => SocketServer;
}

/** A fake Slack without its transports: the interface that tests hold, and the endpoint that answers the app's calls. */
export interface Assembly {
  readonly slack: FakeSlackBase;
  readonly endpoint: EndpointOptions;
  readonly sockets: SocketServer | undefined;
}

const botToken = 'xoxb-fake-slack-bot-token';
const configToken = 'xoxe.xoxp-fake-slack-config-token';
const signingSecret = 'fake-slack-signing-secret';

/** The parts of a fake Slack. */
interface Parts extends PersonContext {
  readonly origin: string;
  readonly sockets: SocketServer | undefined;
  readonly faults: Faults;
  readonly events: EventSender;
  readonly calls: readonly ApiCall[];
  /** Called at every change. */
  readonly watchers: Set<() => void>;
  readonly waits: SlackDeadlines;
}

/** Builds a fake Slack. The caller adds the transport. */
export function assemble(options: FakeSlackOptions, wiring: Wiring): Assembly {
  const now = options.now ?? (() => new Date());
  const workspace = new Workspace(now, options.randomId ?? (() => crypto.randomUUID().replaceAll('-', '')));
  workspace.filesOrigin = wiring.origin;
  workspace.grid = options.grid;
  const modals = new Modals(workspace);
  if (options.state !== undefined) restoreState(workspace, modals, options.state);
  const calls: ApiCall[] = [];
  const watchers = new Set<() => void>();
  const onChange = (): void => {
    for (const watcher of watchers) watcher();
  };
  workspace.onEvent(onChange);
  const { origin, line } = wiring;
  const sockets = wiring.openSockets?.(workspace, onChange);
  const signatureNow = options.signatureNow ?? (() => new Date());
  const waits = { ...slackDeadlines, ...options.deadlines };
  const deliveries = new Deliveries({
    ...{ signingSecret, line, sockets, now: signatureNow, ackTimeoutMs: waits.acknowledge, onChange },
    observe: options.observeDelivery,
    remembers: options.remembers,
  });
  const limit = options.rateLimits === true ? limitRates(now) : undefined;
  const parts: Parts = {
    origin,
    workspace,
    modals,
    triggers: new TriggerIds({ now, randomId: workspace.randomId, lifeMs: waits.trigger }),
    responseUrls: new ResponseUrls(workspace, `${origin}/respond/`),
    deliveries,
    events: new EventSender(workspace, deliveries, options),
    faults: new Faults((method, args) => options.chooseFault?.(method, args) ?? limit?.(method, args)),
    findChannel: nameOrId => findChannel(workspace, nameOrId),
    sockets,
    calls,
    watchers,
    onChange,
    waits,
  };
  const onCall = (call: ApiCall): void => {
    remember(calls, call, options.remembers);
    onChange();
  };
  return { slack: toInterface(parts), endpoint: toEndpoint(parts, options, onCall), sockets };
}

function toEndpoint(
  parts: Parts,
  { scopes, manifest, observeCall }: Pick<FakeSlackOptions, 'scopes' | 'manifest' | 'observeCall'>,
  onCall: (call: ApiCall) => void,
): EndpointOptions {
  const { workspace, modals, triggers, faults, responseUrls, sockets, origin } = parts;
  const openSocketUrl = (): string => {
    if (sockets === undefined) throw new SlackError('internal_error');
    return `${origin.replace('http', 'ws')}/socket?ticket=${sockets.issueTicket()}`;
  };
  const backend = { workspace, modals, triggers, scopes, manifest, openSocketUrl };
  const tokens = { botToken, appToken: appTokenOf(workspace), configToken };
  return { backend, faults, responseUrls, ...tokens, onCall, observeCall };
}

/** An app-level token, which names its app. */
function appTokenOf({ appId }: Workspace): string {
  return `xapp-1-${appId}-1-fake`;
}

function toInterface(parts: Parts): FakeSlackBase {
  const { workspace, deliveries, triggers, faults, sockets, calls } = parts;
  const people = new Map(
    [...workspace.people.values()]
      .filter(({ id }) => id !== workspace.botUserId && id !== slackbotId)
      .map(record => [record.id, new Person(record, parts)]),
  );
  return {
    apiUrl: `${parts.origin}/api/`,
    botToken,
    appToken: appTokenOf(workspace),
    configToken,
    signingSecret,
    teamId: workspace.teamId,
    teamName: workspace.teamName,
    botUserId: workspace.botUserId,
    botId: workspace.botId,
    appId: workspace.appId,
    addPerson(details) {
      const person = new Person(workspace.addPerson(details), parts);
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
      const { handle, name = handle, teamId = workspace.teamId, isDisabled = false } = group;
      const stored = { id: workspace.nextId('S'), teamId, handle, name, users, ...(isDisabled ? { isDisabled } : {}) };
      workspace.userGroups.set(stored.id, stored);
      return stored;
    },
    setGroupMembers(groupId, members) {
      const group = workspace.userGroups.get(groupId);
      if (group === undefined) throw new Error(`There is no group ${groupId}.`);
      workspace.userGroups.set(groupId, { ...group, users: members.map(person => person.id) });
    },
    takeCommand: name => void workspace.takenCommands.add(name),
    openDm: person => workspace.directMessage(person.id),
    channel: parts.findChannel,
    get channels() {
      return [...workspace.channels.values()];
    },
    person(nameOrId) {
      const slackbot = workspace.people.get(slackbotId);
      if (slackbot && nameOrId === slackbot.name) return new Person(slackbot, parts);
      const found = people.get(nameOrId) ?? [...people.values()].find(person => person.name === nameOrId);
      if (found === undefined) throw new Error(`There is nobody called "${nameOrId}".`);
      return found;
    },
    get people() {
      return [...people.values()];
    },
    get userGroups() {
      return [...workspace.userGroups.values()];
    },
    get users() {
      return [...workspace.people.values()];
    },
    file: id => workspace.files.get(id),
    save: () => saveState(workspace, parts.modals),
    watch: watcher => workspace.watch(watcher),
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
    delayTriggers: (times = 1) => triggers.expireNext(times),
    revokeToken(how) {
      workspace.tokenRefusal = how === 'uninstalled' ? 'account_inactive' : 'token_revoked';
      workspace.emit(
        how === 'uninstalled'
          ? { type: 'app_uninstalled' }
          : { type: 'tokens_revoked', tokens: { oauth: [], bot: [workspace.botUserId] } },
      );
    },
    restoreToken() {
      workspace.tokenRefusal = undefined;
    },
    limitEvents: () =>
      deliveries.send('event', {
        token: 'verification-token',
        type: 'app_rate_limited',
        team_id: workspace.teamId,
        minute_rate_limited: workspace.seconds(),
        api_app_id: workspace.appId,
      }),
    disconnectSockets: how => (how === 'terminate' ? sockets?.terminate() : sockets?.askToDisconnect(how)),
    get socketCount() {
      return sockets?.connectionCount ?? 0;
    },
    settled: () => parts.events.settled(),
    until: look => until(parts, look),
  };
}

function findChannel(workspace: Workspace, nameOrId: string): StoredChannel {
  const found = workspace.channels.get(nameOrId) ?? workspace.channelNamed(nameOrId.replace(/^#/, ''));
  if (found !== undefined) return found;
  const known = [...workspace.channels.values()].map(channel => channel.name).join(', ');
  throw new Error(`There is no channel "${nameOrId}". There are: ${known || 'none'}.`);
}

function until<T>({ watchers, calls, waits }: Parts, look: () => T | undefined | null | false): Promise<T> {
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
      end(() => reject(new Error(`Waited ${waits.until} ms in vain. The last calls: ${last.join(', ') || 'none'}.`)));
    }, waits.until);
    watchers.add(watcher);
    watcher();
  });
}
