import type { JsonObject } from '../protocol/json.ts';
import { invalidPayload, SlackError } from '../protocol/slack-error.ts';
import type { Bookmark, StoredChannel } from '../workspace/records.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { anyOf, findChannel, findOwnChannel, type Methods } from './method.ts';

/** Bookmarks a channel may have. Slack has such a limit and publishes no figure. */
const mostBookmarks = 100;
/** Characters of a title and of a link, as Slack's reference gives them. */
const titleLimit = 256;
const linkLimit = 2048;

/** The links in a channel's bookmark bar. */
export const bookmarkMethods: Methods = {
  'bookmarks.add': {
    scopes: anyOf('bookmarks:write'),
    run(backend, args) {
      const { workspace } = backend;
      const channel = findOwnChannel(backend, args, 'channel_id');
      if (args.text('type') !== 'link') throw new SlackError('invalid_bookmark_type');
      const title = checkTitle(args.required('title'));
      const link = checkLink(args.text('link'));
      const emoji = checkEmoji(args.text('emoji') ?? '');
      if (channel.bookmarks.length >= mostBookmarks) throw new SlackError('too_many_bookmarks');
      const id = workspace.nextId('Bk');
      const bookmark = { id, title, link, emoji, created: workspace.seconds(), updated: 0 };
      channel.bookmarks.push(bookmark);
      workspace.tell({ kind: 'channel', channel });
      return { bookmark: serializeBookmark(workspace, channel, bookmark) };
    },
  },
  'bookmarks.list': {
    scopes: anyOf('bookmarks:read'),
    run(backend, args) {
      const channel = findChannel(backend, args, 'channel_id');
      return { bookmarks: channel.bookmarks.map(each => serializeBookmark(backend.workspace, channel, each)) };
    },
  },
};

function checkTitle(title: string): string {
  if (title.length <= titleLimit) return title;
  throw invalidPayload('invalid_arguments', [`must be less than ${titleLimit + 1} characters [json-pointer:/title]`]);
}

function checkLink(link: string | undefined): string {
  if (link === undefined || link.length > linkLimit || !/^https?:\/\//.test(link) || !URL.canParse(link)) {
    throw new SlackError('invalid_link');
  }
  return link;
}

function checkEmoji(emoji: string): string {
  if (emoji !== '' && !/^:[a-z0-9_+'-]+:$/.test(emoji)) throw new SlackError('invalid_emoji');
  return emoji;
}

function serializeBookmark(workspace: Workspace, channel: StoredChannel, bookmark: Bookmark): JsonObject {
  const { id, title, link, emoji, created, updated } = bookmark;
  return {
    id,
    channel_id: channel.id,
    title,
    link,
    emoji,
    icon_url: '',
    type: 'link',
    entity_id: null,
    date_created: created,
    date_updated: updated,
    rank: String(channel.bookmarks.indexOf(bookmark)).padStart(3, '0'),
    last_updated_by_user_id: workspace.botUserId,
    last_updated_by_team_id: workspace.teamId,
    shortcut_id: null,
    app_id: null,
  };
}
