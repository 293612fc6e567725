import { SlackError } from '../protocol/slack-error.ts';
import type { StoredChannel, StoredMessage } from '../workspace/records.ts';
import { serializeMessage } from '../workspace/serialize.ts';
import type { Arguments } from './arguments.ts';
import { type Backend, byKind, findChannel, isMember, type Methods } from './method.ts';

const read = byKind(['channels:history'], ['groups:history', 'im:history']);

/** Reading channels and threads. */
export const historyMethods: Methods = {
  'conversations.history': {
    scopes: read,
    run(backend, args) {
      const channel = findReadable(backend, args);
      const top = visible(channel).filter(
        message =>
          message.threadTs === undefined || message.threadTs === message.ts || message.subtype === 'thread_broadcast',
      );
      return toAnswer(backend, args, top.toReversed(), { size: 100, most: 999 });
    },
  },
  'conversations.replies': {
    scopes: read,
    run(backend, args) {
      const channel = findReadable(backend, args);
      const asked = visible(channel).find(message => message.ts === args.required('ts'));
      if (asked === undefined) throw new SlackError('thread_not_found');
      const parentTs = asked.threadTs ?? asked.ts;
      return toAnswer(
        backend,
        args,
        visible(channel).filter(message => message.ts === parentTs || message.threadTs === parentTs),
        { size: 1000, most: 1000, always: parentTs },
      );
    },
  },
};

function findReadable(backend: Backend, args: Arguments): StoredChannel {
  const channel = findChannel(backend, args);
  if (!isMember(backend, channel)) throw new SlackError('not_in_channel');
  return channel;
}

function visible(channel: StoredChannel): StoredMessage[] {
  return channel.messages.filter(message => message.ephemeralTo === undefined);
}

/** One page of messages between two times. The cursor names the next message, so that new messages shift no page. */
function toAnswer(backend: Backend, args: Arguments, messages: readonly StoredMessage[], page: Page) {
  const oldest = toTime(args, 'oldest', 0);
  const latest = toTime(args, 'latest', Number.POSITIVE_INFINITY);
  const inclusive = args.flag('inclusive');
  const within = messages.filter(({ ts }) => {
    const at = Number(ts);
    return ts === page.always || (inclusive ? at >= oldest && at <= latest : at > oldest && at < latest);
  });
  const cursor = args.text('cursor');
  const from = cursor === undefined ? 0 : within.findIndex(message => toCursor(message) === cursor);
  if (from === -1) throw new SlackError('invalid_cursor');
  const end = from + args.count('limit', page.size, page.most);
  const next = within[end];
  const withMetadata = args.flag('include_all_metadata');
  return {
    messages: within.slice(from, end).map(message => serializeMessage(backend.workspace, message, withMetadata)),
    has_more: next !== undefined,
    ...(next === undefined ? {} : { response_metadata: { next_cursor: toCursor(next) } }),
  };
}

interface Page {
  /** Messages on a page by default, and at most. */
  readonly size: number;
  readonly most: number;
  /** A message that is in the answer regardless of the times: the parent of a thread. */
  readonly always?: string;
}

function toCursor({ ts }: StoredMessage): string {
  return Buffer.from(`next_ts:${ts.replace('.', '')}`).toString('base64');
}

function toTime(args: Arguments, name: 'oldest' | 'latest', fallback: number): number {
  const time = Number(args.text(name) ?? fallback);
  if (Number.isNaN(time)) throw new SlackError(`invalid_ts_${name}`);
  return time;
}
