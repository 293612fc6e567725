import { SlackError } from '../protocol/slack-error.ts';
import { setPinned } from '../workspace/message-marks.ts';
import { anyOf, findMessage, findOwnChannel, type Methods } from './method.ts';

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
};
