import { SlackError } from '../protocol/slack-error.ts';
import { setPinned } from '../workspace/message-marks.ts';
import { serializeMessage } from '../workspace/serialize.ts';
import { anyOf, findChannel, findMessage, findOwnChannel, type Methods } from './method.ts';

/** Pinning messages. */
export const pinMethods: Methods = {
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
  'pins.list': {
    scopes: anyOf('pins:read'),
    run(backend, args) {
      const channel = findChannel(backend, args);
      const pinned = channel.messages.filter(message => message.pinned);
      return {
        items: pinned.map(message => ({
          type: 'message',
          channel: channel.id,
          message: { ...serializeMessage(backend.workspace, message), permalink: message.permalink },
        })),
      };
    },
  },
};
