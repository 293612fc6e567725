import type { JsonObject } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import { setPinned, setReaction } from '../workspace/message-marks.ts';
import { serializeMessage } from '../workspace/serialize.ts';
import type { Arguments } from './arguments.ts';
import { anyOf, type Backend, findChannel, findMessage, findOwnChannel, type Methods } from './method.ts';

/** What hangs on a message: reactions and pins. */
export const markMethods: Methods = {
  'reactions.add': { scopes: anyOf('reactions:write'), run: (backend, args) => react(backend, args, true) },
  'reactions.remove': { scopes: anyOf('reactions:write'), run: (backend, args) => react(backend, args, false) },
  'reactions.get': {
    scopes: anyOf('reactions:read'),
    run(backend, args) {
      const channel = findChannel(backend, args);
      const message = findMessage(backend, channel, args.required('timestamp'));
      return { type: 'message', channel: channel.id, message: serializeMessage(backend.workspace, message) };
    },
  },
  'pins.add': {
    scopes: anyOf('pins:write'),
    run(backend, args) {
      const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
      if (!setPinned(backend.workspace, message, backend.workspace.botUserId, true)) {
        throw new SlackError('already_pinned');
      }
      return {};
    },
  },
  'pins.remove': {
    scopes: anyOf('pins:write'),
    run(backend, args) {
      const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
      if (!setPinned(backend.workspace, message, backend.workspace.botUserId, false)) throw new SlackError('no_pin');
      return {};
    },
  },
};

function react(backend: Backend, args: Arguments, present: boolean): JsonObject {
  const name = args.required('name').replaceAll(':', '');
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new SlackError('invalid_name');
  const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
  if (!setReaction(backend.workspace, message, backend.workspace.botUserId, name, present)) {
    throw new SlackError(present ? 'already_reacted' : 'no_reaction');
  }
  return {};
}
