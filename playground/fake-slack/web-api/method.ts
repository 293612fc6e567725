import type { JsonObject } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import type { TriggerIds } from '../to-app/trigger-ids.ts';
import type { Modals } from '../workspace/modals.ts';
import type { StoredChannel, StoredMessage } from '../workspace/records.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Arguments } from './arguments.ts';

/** The parts of the fake Slack that Web API methods use. */
export interface Backend {
  readonly workspace: Workspace;
  readonly modals: Modals;
  readonly triggers: TriggerIds;
  /** Scopes of the bot token; `undefined` grants everything. */
  readonly scopes: readonly string[] | undefined;
  /** The app's manifest; `undefined` when nobody can read it. */
  readonly manifest: JsonObject | undefined;
  /** A fresh address for a Socket Mode connection. */
  openSocketUrl(): string;
}

/** One Web API method. `run` returns the answer's members, or throws `SlackError` to refuse. */
export interface Method {
  /** Scopes of which one is enough. When absent, the method needs none. */
  readonly scopes?: (backend: Backend, args: Arguments) => readonly string[];
  /** The token it takes; `none` when it takes any or no token. */
  readonly token?: 'bot' | 'app' | 'config' | 'none';
  readonly run: (backend: Backend, args: Arguments) => JsonObject;
}

/** Methods by their name, such as `chat.postMessage`. */
export type Methods = Readonly<Record<string, Method>>;

/** Whether the bot token carries the scope. */
export function hasScope(backend: Backend, scope: string): boolean {
  return backend.scopes === undefined || backend.scopes.includes(scope);
}

/** Needs one of these scopes. */
export function anyOf(...scopes: string[]): () => readonly string[] {
  return () => scopes;
}

/** Needs one scope in public channels and another in private ones and direct messages. */
export function byKind(publicScopes: readonly string[], privateScopes: readonly string[]) {
  return (backend: Backend, args: Arguments): readonly string[] =>
    backend.workspace.channels.get(args.text('channel') ?? '')?.isPrivate ? privateScopes : publicScopes;
}

/** The channel that an argument names by id. Throws `channel_not_found` for private channels without the bot, too. */
export function findChannel(backend: Backend, args: Arguments, member = 'channel'): StoredChannel {
  const channel = backend.workspace.channels.get(args.required(member));
  if (channel === undefined || (channel.isPrivate && !isMember(backend, channel))) {
    throw new SlackError('channel_not_found');
  }
  return channel;
}

/** A channel in which the bot may act. Throws when it is no member or the channel is archived. */
export function findOwnChannel(backend: Backend, args: Arguments, member = 'channel'): StoredChannel {
  const channel = findChannel(backend, args, member);
  if (!isMember(backend, channel)) throw new SlackError('not_in_channel');
  if (channel.isArchived) throw new SlackError('is_archived');
  return channel;
}

/** A message by its timestamp. Throws `message_not_found` for an ephemeral one, too. */
export function findMessage(backend: Backend, channel: StoredChannel, ts: string | undefined): StoredMessage {
  const message = backend.workspace.message(channel, ts);
  if (message === undefined || message.ephemeralTo !== undefined) throw new SlackError('message_not_found');
  return message;
}

/** Whether the bot is in the channel. */
export function isMember(backend: Backend, channel: StoredChannel): boolean {
  return channel.members.has(backend.workspace.botUserId);
}

/** One page of a list, with Slack's cursor: empty on the last page. */
export function toPage<T>(items: readonly T[], args: Arguments, fallback: number, max = 1000) {
  const cursor = args.text('cursor');
  const start = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64').toString().replace('offset:', ''));
  if (!Number.isInteger(start) || start < 0 || start > items.length) throw new SlackError('invalid_cursor');
  const end = start + args.count('limit', fallback, max);
  const next = end < items.length ? Buffer.from(`offset:${end}`).toString('base64') : '';
  return { items: items.slice(start, end), metadata: { next_cursor: next } };
}
