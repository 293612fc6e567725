import { setPinned, setReaction } from '../channel-log.ts';
import type { JsonObject } from '../json.ts';
import type { Arguments } from './arguments.ts';
import { anyOf, type Backend, findChannel, findMessage, findOwnChannel, type Methods } from './method.ts';
import { toWireMessage } from './serialize.ts';
import { SlackRefusal } from './slack-error.ts';

/** Reactions and pins: marks on messages. */
export const markMethods: Methods = {
  'reactions.add': { scopes: anyOf('reactions:write'), run: (backend, args) => react(backend, args, true) },
  'reactions.remove': { scopes: anyOf('reactions:write'), run: (backend, args) => react(backend, args, false) },
  'reactions.get': {
    scopes: anyOf('reactions:read'),
    run(backend, args) {
      const channel = findChannel(backend, args);
      const message = findMessage(backend, channel, args.required('timestamp'));
      return { type: 'message', channel: channel.id, message: toWireMessage(backend.workspace, message) };
    },
  },
  'pins.add': {
    scopes: anyOf('pins:write'),
    run(backend, args) {
      const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
      if (!setPinned(backend.workspace, message, backend.workspace.botUserId, true)) {
        throw new SlackRefusal('already_pinned');
      }
      return {};
    },
  },
  'pins.remove': {
    scopes: anyOf('pins:write'),
    run(backend, args) {
      const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
      if (!setPinned(backend.workspace, message, backend.workspace.botUserId, false)) throw new SlackRefusal('no_pin');
      return {};
    },
  },
  'pins.list': {
    scopes: anyOf('pins:read'),
    run(backend, args) {
      const channel = findChannel(backend, args);
      const pinned = channel.messages.filter(message => message.pinned);
      return {
        items: pinned.map(message => ({
          type: 'message',
          channel: channel.id,
          message: { ...toWireMessage(backend.workspace, message), permalink: message.permalink },
        })),
      };
    },
  },
};

function react(backend: Backend, args: Arguments, present: boolean): JsonObject {
  const name = args.required('name').replaceAll(':', '');
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new SlackRefusal('invalid_name');
  const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
  if (!setReaction(backend.workspace, message, backend.workspace.botUserId, name, present)) {
    throw new SlackRefusal(present ? 'already_reacted' : 'no_reaction');
  }
  return {};
}
