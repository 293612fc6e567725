import { bookmarkMethods } from './bookmarks.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import { fileMethods } from './files.ts';
import { historyMethods } from './history.ts';
import { markMethods } from './message-marks.ts';
import type { Methods } from './method.ts';
import { teamMethods } from './team.ts';
import { viewMethods } from './views.ts';

/** Every Web API method there is; any other is `unknown_method`. */
export const methods: Methods = {
  ...teamMethods,
  ...chatMethods,
  ...conversationMethods,
  ...historyMethods,
  ...viewMethods,
  ...markMethods,
  ...bookmarkMethods,
  ...fileMethods,
};
