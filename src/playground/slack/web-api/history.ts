import { SlackRefusal } from '../refusal.ts';
import { toWireMessage } from '../wire.ts';
import type { StoredChannel, StoredMessage } from '../workspace.ts';
import type { Arguments } from './arguments.ts';
import { type Backend, byKind, findChannel, isMember, type Methods, toPage } from './method.ts';

const read = byKind(['channels:history'], ['groups:history', 'im:history']);

/** Reading back what was said. */
export const historyMethods: Methods = {
  'conversations.history': {
    scopes: read,
    run(backend, args) {
      const channel = findReadable(backend, args);
      const top = visible(channel).filter(
        message =>
          message.threadTs === undefined || message.threadTs === message.ts || message.subtype === 'thread_broadcast',
      );
      return toAnswer(backend, args, top.toReversed());
    },
  },
  'conversations.replies': {
    scopes: read,
    run(backend, args) {
      const channel = findReadable(backend, args);
      const asked = visible(channel).find(message => message.ts === args.required('ts'));
      if (asked === undefined) throw new SlackRefusal('thread_not_found');
      const parentTs = asked.threadTs ?? asked.ts;
      return toAnswer(
        backend,
        args,
        visible(channel).filter(message => message.ts === parentTs || message.threadTs === parentTs),
        parentTs,
      );
    },
  },
};

function findReadable(backend: Backend, args: Arguments): StoredChannel {
  const channel = findChannel(backend, args);
  if (!isMember(backend, channel)) throw new SlackRefusal('not_in_channel');
  return channel;
}

function visible(channel: StoredChannel): StoredMessage[] {
  return channel.messages.filter(message => message.ephemeralTo === undefined);
}

function toAnswer(backend: Backend, args: Arguments, messages: readonly StoredMessage[], always?: string) {
  const oldest = Number(args.text('oldest') ?? 0);
  const latest = Number(args.text('latest') ?? Number.POSITIVE_INFINITY);
  const inclusive = args.flag('inclusive');
  const within = messages.filter(({ ts }) => {
    const at = Number(ts);
    return ts === always || (inclusive ? at >= oldest && at <= latest : at > oldest && at < latest);
  });
  const page = toPage(within, args, 100, 999);
  return {
    messages: page.items.map(message => toWireMessage(backend.workspace, message, args.flag('include_all_metadata'))),
    has_more: page.hasMore,
    ...(page.hasMore ? { response_metadata: page.metadata } : {}),
  };
}
